"""First steps of the Snakefile: find the sources and the libraries, remove stale locks.

This module imports the standard library alone, and the Snakefile runs it from its source.
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

# If this variable is set, a run compiles no kernels before its jobs, because it only lists jobs or makes a few files.
COMPILES_LATER = "LOGZOO_COMPILES_LATER"


def use_sources(folder: str) -> None:
    """Make this process and its jobs import the package from a folder, even if another version is installed.

    Jobs in an environment of conda lose PYTHONPATH. Snakemake appends this process's search path to theirs, so such an
    environment needs only the dependencies.
    """
    sys.path.insert(0, folder)
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")])))


def require(*names: str) -> None:
    """Raise ModuleNotFoundError for the first missing module. No module is imported, because only jobs use them."""
    for name in names:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def clear_stale_locks(folder: str | Path = ".snakemake") -> bool:
    """Remove the locks that a killed snakemake left in its folder. Returns whether there were any.

    Snakemake locks a project by files. Every process that calls this also holds a lock of the system on one file
    until it ends or is killed: the files are stale when nobody else holds it.
    """
    folder = Path(folder)
    if fcntl is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        # Not closed: the lock lasts as long as the process. Not inherited, so no job outlives it with the lock.
        handle = os.open(folder / "logzoo.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stale = False
        with contextlib.suppress(BlockingIOError):  # somebody else holds it
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stale = any((folder / "locks").glob("*.lock"))
        if stale:
            shutil.rmtree(folder / "locks")
        fcntl.flock(handle, fcntl.LOCK_SH)
    except OSError:
        return False  # a disk without such locks, or without room: snakemake reports it itself
    return stale
