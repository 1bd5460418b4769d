"""Jobs as forks of a server that has loaded libraries and machine code. Loading takes longer than most jobs.

Snakemake starts each job as a separate program. If a server runs, the job hands over its script and waits for the end.
The job runs by itself if no server answers, or if the server has loaded nothing yet. Both ways give identical results.
"""

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from types import ModuleType

# Environment variable with the paths of the server's Python and of its socket.
_SERVER = "LOGZOO_FORKS"
# If this variable is set, a run compiles no kernels before its jobs. It is set for runs that only list jobs or make few
# files.
COMPILES_LATER = "LOGZOO_COMPILES_LATER"
# A job has one thread, as under Snakemake, because several threads would change the order of additions.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_started: list[subprocess.Popen] = []
# Number of jobs that run by themselves before the server loads anything.
_FEW = 6
# Of our packages, only the modules with machine code stay as they are. All others may hold state from the use of their
# functions, so the server imports them again before the first fork.
_PACKAGES, _STAYING = ("logzoo", "replication"), "logzoo.kernels"


def serve_jobs() -> None:
    """Start a server for the jobs of this process and its children. The server ends with this process at the latest."""
    if sys.platform != "linux":  # elsewhere a fork cannot safely use libraries that its parent has loaded
        return
    # The path of the project may be too long for a socket.
    path = Path(tempfile.mkdtemp(prefix="logzoo-")) / "jobs"
    # The pipe carries no data. It is closed when this process ends or is killed, and the server then ends.
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    _started.append(subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | _ONE_THREAD))
    os.environ[_SERVER] = f"{sys.executable}{os.pathsep}{path}"


def end_server() -> None:
    """End the server, if this process started one. Call this function after the last job."""
    while _started:
        _started.pop().communicate()


def hand_over() -> None:
    """If this process is a job and a server is ready, let the server run the script, and exit with the script's status.

    Otherwise return, so that the job runs by itself.
    """
    python, _, path = os.environ.pop(_SERVER).partition(os.pathsep)
    main = sys.modules["__main__"]
    if not hasattr(main, "snakemake") or python != sys.executable:
        return
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
            ready = server.recv(1)
        except OSError:  # not ready yet, or gone
            return
        if not ready:  # the server has loaded nothing yet
            return
        # An interrupt ends this process silently, because the fork reports it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        task = {"script": sys.argv[0], "folder": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(server, [b"\n"], [0, 1, 2])
        server.sendall(json.dumps(task).encode() + b"\n")
        with server.makefile() as answer:
            code = answer.read()
    # A job that was killed sends nothing.
    os._exit(int(code) if code else 1)


def serve(path: str, patience: int = _FEW) -> None:
    """Run the scripts that come to the socket at `path`, each in a fork, until the standard input ends.

    The first `patience` jobs run by themselves, because a few jobs would save less time than loading takes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            client, _ = listener.accept()
            if patience == 0:
                _load()
            patience -= 1
            # A fork inherits locks of other threads, but not the threads, so it might wait forever.
            if patience < 0 and threading.active_count() == 1 and os.fork() == 0:
                listener.close()
                sys.exit(_run(client))
            client.close()
            _reap()


def _reap() -> None:
    """Wait for the processes of jobs that have ended, so that their CPU seconds count for the run."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _load() -> None:
    """Load libraries and machine code by using them once. Then import our packages, except the kernels, again."""
    from tqdm import tqdm
    from xarray.backends import list_engines

    from replication.compiling import estimate_by_all, is_compiled, train_by_all
    from replication.reporting.style import new_figure, picture_bytes

    tqdm.monitor_interval = 0  # no monitor thread: `serve` forks only if no other thread runs
    if is_compiled():
        estimate_by_all()
        train_by_all()
    picture_bytes(new_figure(1.0, 1.0))
    list_engines()
    importlib.import_module("replication.jobs")
    used = [name for name in sys.modules if name.partition(".")[0] in _PACKAGES and not name.startswith(_STAYING)]
    for name in used:
        del sys.modules[name]
    for name in used:
        importlib.import_module(name)
    # Garbage collection of the objects loaded by now would copy their memory in every fork (copy-on-write).
    gc.freeze()


def _run(client: socket.socket) -> int:
    """Run the script of a client in the folder and environment of the client. Returns the exit status."""
    status = [1]
    # `_answer` must run after the script's exit functions. It is registered first, because atexit reverses the order.
    atexit.register(_answer, client, status)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    client.sendall(b"\n")
    for number, file in enumerate(socket.recv_fds(client, 1, 3)[1]):
        os.dup2(file, number)
        os.close(file)
    with client.makefile() as sent:
        task = json.loads(sent.readline())
    threading.Thread(target=_end_with, args=(client,), daemon=True).start()
    os.chdir(task["folder"])
    os.environ.clear()
    os.environ.update(task["environment"])
    script = task["script"]
    sys.argv, sys.modules["__main__"] = [script], ModuleType("__main__")
    sys.modules["__main__"].__file__ = script
    try:
        exec(compile(Path(script).read_bytes(), script, "exec"), vars(sys.modules["__main__"]))
        status[0] = 0
    except SystemExit as stop:
        status[0] = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    return status[0]


def _answer(client: socket.socket, status: list[int]) -> None:
    """Send the exit status and end this process at once, without freeing the objects that the server has loaded."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(OSError):  # the client no longer waits
        client.sendall(str(status[0]).encode())
    os._exit(status[0])


def _end_with(client: socket.socket) -> None:
    """End this process if its client ends."""
    if not client.recv(1):
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    serve(sys.argv[1])
    shutil.rmtree(Path(sys.argv[1]).parent, ignore_errors=True)
