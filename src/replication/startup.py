"""First steps of the Snakefile: find the sources and the libraries, and remove stale locks.

The Snakefile runs this file before it checks the libraries, so only the standard library is imported.
"""

import contextlib
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no fcntl; users run `snakemake --unlock`
    fcntl = None

# If this variable is set, a run compiles no kernels before its jobs. It is set for runs that only list
# jobs or make few files.
COMPILES_LATER = "LOGZOO_COMPILES_LATER"


def use_sources(folder: str) -> None:
    """Make this process and its jobs import the package from a folder, even if another version is installed.

    Jobs in an environment of conda lose PYTHONPATH. Snakemake appends this process's search path to the search path of
    these jobs, so such an environment needs only the dependencies.
    """
    sys.path.insert(0, folder)
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")])))


def require(*names: str) -> None:
    """Raise ModuleNotFoundError for the first missing module. Nothing is imported, because imports take long."""
    for name in names:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def clear_stale_locks(folder: str | Path = ".snakemake") -> bool:
    """Remove the locks that a killed snakemake left in its folder. Returns whether it removed any.

    Snakemake locks a project with lock files. Every process that calls this function also holds a system lock until it
    ends or is killed. The lock files are stale when no other process holds the system lock.
    """
    folder = Path(folder)
    if fcntl is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        # The handle stays open, so that the lock lasts as long as the process. O_CLOEXEC closes the handle in the jobs,
        # which may live longer.
        handle = os.open(folder / "logzoo.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stale = False
        with contextlib.suppress(BlockingIOError):  # another process holds the lock
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stale = any((folder / "locks").glob("*.lock"))
        if stale:
            shutil.rmtree(folder / "locks")
        fcntl.flock(handle, fcntl.LOCK_SH)
    except OSError:
        return False  # the disk has no such locks, or is full; Snakemake reports a full disk itself
    return stale
