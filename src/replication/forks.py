"""Jobs as forks of one process that has loaded libraries and machine code: that takes longer than most jobs do.

Snakemake starts a job as a program of its own. Where a server runs, the job hands its script over to it and waits for
the end; where none does, or none answers, it runs by itself, to the same bits.
"""

import atexit
import contextlib
import gc
import json
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

# Which Python serves, and at which socket.
_SERVER = "LOGZOO_FORKS"
# A job has one thread, as it has where Snakemake starts it: sums of several come out in another order.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# What stays loaded of the package in all jobs: machine code. What any other module may hold is a job's own.
_PACKAGES, _STAYING = ("logzoo", "replication"), "logzoo.kernels"


def serve_jobs() -> None:
    """Start a server for the jobs that this process and its children start; it ends with this process."""
    if sys.platform != "linux":  # elsewhere a fork may not use what its parent has loaded
        return
    # For a socket the path of the project may be too long.
    path = Path(tempfile.mkdtemp(prefix="logzoo-")) / "jobs"
    # The pipe, which nobody writes to, is closed even where this process is killed.
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | _ONE_THREAD)
    atexit.register(_end, server, path.parent)
    os.environ[_SERVER] = f"{sys.executable}{os.pathsep}{path}"


def _end(server: subprocess.Popen, folder: Path) -> None:
    server.terminate()
    server.communicate()
    shutil.rmtree(folder, ignore_errors=True)


def hand_over() -> None:
    """Where this process is a job, have the server run its script, and end as that ends; else, return."""
    python, _, path = os.environ.pop(_SERVER).partition(os.pathsep)
    main = sys.modules["__main__"]
    if not hasattr(main, "snakemake") or python != sys.executable:
        return
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
        except OSError:  # not ready yet, or gone
            return
        # The job hears of an interruption, too, and says so itself.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        task = {"script": sys.argv[0], "folder": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(server, [b"\n"], [0, 1, 2])
        server.sendall(json.dumps(task).encode() + b"\n")
        with server.makefile() as answer:
            code = answer.read()
    # Nothing comes from a job that was killed.
    os._exit(int(code) if code else 1)


def serve(path: str) -> None:
    """Run the scripts that come to the socket at `path`, each in a fork, until the standard input ends."""
    _load()
    if threading.active_count() > 1:  # a fork would have their locks and not their threads
        return
    # Nothing loaded by now is searched for garbage, which would copy its memory in every fork.
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            client, _ = listener.accept()
            if os.fork() == 0:
                # Whatever happens here, the folder of the server stays.
                code = 1
                try:
                    listener.close()
                    code = _run(client)
                finally:
                    os._exit(code)
            client.close()
            _take_note()


def _take_note() -> None:
    """Take note of jobs that have ended, which the system keeps until then."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _load() -> None:
    """Load libraries and machine code by using them once, and nothing else of the package."""
    from tqdm import tqdm
    from xarray.backends import list_engines

    from replication.compiling import estimate_by_all, train_by_all
    from replication.reporting.style import new_figure, picture_bytes

    tqdm.monitor_interval = 0  # no thread that looks after bars
    estimate_by_all()
    train_by_all()
    picture_bytes(new_figure(1.0, 1.0))
    list_engines()
    for name in [name for name in sys.modules if name.partition(".")[0] in _PACKAGES]:
        if not name.startswith(_STAYING):
            del sys.modules[name]


def _run(client: socket.socket) -> int:
    """Run the script that a client hands over, in its folder and its environment; returns the exit status."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
    code = 0
    try:
        exec(compile(Path(script).read_bytes(), script, "exec"), vars(sys.modules["__main__"]))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    # What the job and libraries would have done at the end of a program of its own.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    client.sendall(str(code).encode())
    return code


def _end_with(client: socket.socket) -> None:
    """End this process when its client ends: that has been stopped, or will hear nothing any more."""
    if not client.recv(1):
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    try:
        serve(sys.argv[1])
    finally:
        shutil.rmtree(Path(sys.argv[1]).parent, ignore_errors=True)
