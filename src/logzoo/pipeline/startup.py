"""What the Snakefile does before anything else: sources are found, compiled modules whole, stale locks gone.

This module imports the standard library alone, and the Snakefile runs it from its source.
"""

import compileall
import contextlib
import marshal
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on Windows: there, snakemake --unlock
    fcntl = None

# Of a .pyc file, before the code.
_HEADER_BYTES = 16


def use_sources(folder: str) -> None:
    """Have this process, and the jobs that it starts, find the package in a folder, whatever is installed.

    Jobs in an environment of conda lose PYTHONPATH. Snakemake hands them the search path, too, to be looked through
    last: such an environment needs the dependencies alone.
    """
    sys.path.insert(0, folder)
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")])))


def require(*names: str) -> None:
    """Raise ModuleNotFoundError for the first module that is missing; none is imported, for jobs alone use them."""
    for name in names:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def keep_modules_compiled(name: str) -> None:
    """Compile a package here, look at the result, and write no compiled module from now on, nor in jobs.

    Before 3.12.8 Python does not see that a disk is full: the compiled module is cut short, and later imports fail.
    """
    package = find_spec(name)
    if package is None or sys.dont_write_bytecode:
        return
    for folder in package.submodule_search_locations:
        compileall.compile_dir(folder, quiet=2)
        for path in Path(folder).rglob(f"__pycache__/*.{sys.implementation.cache_tag}.pyc"):
            try:
                marshal.loads(path.read_bytes()[_HEADER_BYTES:])
            except (EOFError, TypeError, ValueError):
                path.unlink(missing_ok=True)
    sys.dont_write_bytecode = True
    os.environ.update(PYTHONDONTWRITEBYTECODE="1")


def clear_stale_locks(folder: str | Path = ".snakemake") -> bool:
    """Remove the locks that a killed snakemake left in its folder. Returns whether there were any.

    Snakemake locks a project by files. Beside them, every process that calls this holds a lock of the system on one
    file until it ends, however it ends: the files are stale when nobody else holds it.
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
