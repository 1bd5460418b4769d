"""Jobs in forks of one process run as they would by themselves, and end with the process that waits for them."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from projects import ROOT, wait_for

from replication import forks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}/src"}
# A server that loads nothing and lets the first job run by itself, and the first lines of a job.
SERVER = "from replication import forks; forks._load = int; forks.serve({path!r}, patience=1)"
JOB = "import os, sys, time\nsnakemake = sys.argv\nimport replication\n"


@pytest.fixture
def started(tmp_path):
    """Starts jobs of some code in a separate folder, with a server."""
    path = str(tmp_path / "jobs")
    command = [sys.executable, "-P", "-c", SERVER.format(path=path)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, env=ENVIRONMENT)
    wait_for(Path(path).exists)

    def start(code, **more):
        (tmp_path / "job.py").write_text(JOB + code)
        environment = {**ENVIRONMENT, "LOGZOO_FORKS": f"{sys.executable}{os.pathsep}{path}", **more}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "job.py"], cwd=tmp_path, env=environment, text=True, **pipes)

    start.server, start.folder = server, tmp_path
    # The first job runs by itself.
    assert start("print(os.getppid())").communicate() == (f"{os.getpid()}\n", "")
    yield start
    server.communicate()
    assert server.returncode in (0, -signal.SIGKILL)


def test_a_job_is_a_fork_that_has_the_folder_environment_and_streams_of_its_own(started):
    code = "print(os.getppid(), os.getcwd(), os.environ['SAID'], sys.argv)\nprint('lost', file=sys.stderr)"
    job = started(code, SAID="x")
    assert job.communicate() == (f"{started.server.pid} {started.folder} x ['job.py']\n", "lost\n")
    assert job.returncode == 0
    # Changes that a job makes do not reach the next job.
    started("import json\njson.changed = True\nos.environ['CHANGED'] = ''").communicate()
    job = started("import json\nprint(hasattr(json, 'changed'), 'CHANGED' in os.environ)")
    assert job.communicate()[0] == "False False\n"


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("sys.exit(3)", 3, ""),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import atexit; atexit.register(print, 'at last', file=sys.stderr)", 0, "at last"),
        ("os.kill(os.getpid(), 9)", 1, ""),
    ],
)
def test_a_job_ends_as_a_program_of_its_own_does(started, code, status, said):
    job = started(code)
    err = job.communicate()[1]
    assert job.returncode == status and (said in err if said else not err)


def running(folder):
    """Count the processes that work in a folder; a process that ends meanwhile does not count."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            count += (process / "cwd").readlink() == folder
    return count


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_job_ends_with_the_process_that_waits_for_it(started, number):
    job = started("open('begun', 'w').close()\ntime.sleep(60)")
    wait_for((started.folder / "begun").exists)
    assert running(started.folder) == 2
    job.send_signal(number)
    assert job.communicate() == ("", "") and job.returncode == -number
    wait_for(lambda: not running(started.folder))


def test_a_job_ends_with_the_server(started):
    waiting = "with job('log.txt'): open('begun', 'w').close(); time.sleep(60)"
    job = started(f"from replication.jobs import job\n{waiting}")
    wait_for((started.folder / "begun").exists)
    started.server.kill()
    job.communicate()
    assert job.returncode == 1
    wait_for(lambda: not running(started.folder))


@pytest.mark.parametrize("server", ["", "{python}:nowhere"])
def test_a_job_runs_by_itself_where_no_server_answers(started, server):
    job = started("print(os.getppid())", LOGZOO_FORKS=server.format(python=sys.executable))
    assert job.communicate() == (f"{os.getpid()}\n", "")


def test_a_server_that_is_left_alone_ends_and_takes_its_folder_along(tmp_path):
    code = "import os; from replication import forks; forks.serve_jobs(); print(os.environ['LOGZOO_FORKS'])"
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    path = Path(done.stdout.strip().rpartition(":")[2])
    assert path.parents[1] == tmp_path and not path.parent.exists()


def test_libraries_of_a_job_have_one_thread(monkeypatch, tmp_path):
    probe = "import numpy, threadpoolctl; print([pool['num_threads'] for pool in threadpoolctl.threadpool_info()])"
    environments = []
    monkeypatch.setattr(forks.subprocess, "Popen", lambda command, **given: environments.append(given["env"]))
    monkeypatch.setattr(forks.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    monkeypatch.setenv("LOGZOO_FORKS", "")
    forks.serve_jobs()
    # By default NumPy would use a second core if there is any.
    monkeypatch.undo()
    done = subprocess.run([sys.executable, "-c", probe], env=environments[0], capture_output=True, text=True)
    assert done.stdout == "[1]\n"
