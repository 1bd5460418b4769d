"""The lock that snakemake leaves when it is killed: known to be stale, and removed.

Snakemake locks a project with files, and a run that is killed cannot remove them. Beside them every process that reads
the Snakefile holds a lock of the system on one file, which ends with the process however it ends.
"""

import os
import shutil
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on Windows: there, snakemake --unlock
    fcntl = None

_NAME = "logzoo.lock"


def clear_stale_locks(folder=".snakemake"):
    """Remove snakemake's locks in its folder if no process is there that holds them. Returns whether there were any.

    This process counts as one that may hold them from now on.
    """
    folder = Path(folder)
    if fcntl is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        # Not closed: the lock lasts as long as the process. Not inherited, so no job outlives it with the lock.
        handle = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stale = _is_alone(handle) and any((folder / "locks").glob("*.lock"))
        if stale:
            shutil.rmtree(folder / "locks")
        fcntl.flock(handle, fcntl.LOCK_SH)
    except OSError:
        return False  # a disk without such locks, or without room: snakemake says what it finds
    return stale


def _is_alone(handle):
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
