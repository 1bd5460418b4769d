"""Decorators that compile a function with numba, and the folder for its machine code.

numba serves stale machine code when a kernel in another file changed. Therefore the name of the folder contains digests
of the sources of all kernels and of the kind of processor. numba is imported and the folder is created at the first
use, not when this module is imported. The user's NUMBA_CACHE_DIR and the caching of other numba code in the process
stay as they are.

A kernel outside this package may call only kernels of this package and of its own file. numba compiles a function again
if the digest of the function's own file changed.
"""

import contextlib
import gc
import hashlib
import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

_KERNELS = Path(__file__).parent
# By default numba also generates a wrapper of every kernel for callers in C. All kernels release Python's global
# interpreter lock, because kernels with equal options share the machine code of NumPy functions. A function without
# `_nrt` would take it from the function that first compiles it.
_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, "nogil": True, "_nrt": True}


# numba checks the types of arguments at each call, so the annotations allow any arguments.
def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Compile a function that Python calls, with options of `numba.njit`.

    inline="always" copies the function into other kernels, so that the first estimate does not compile it separately.
    """
    from numba import config, njit

    if function is None:
        return partial(kernel, **options)
    settings: Any = config
    # numba reads this setting when a function is decorated.
    users = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder() or users)
    try:
        return njit(cache=True, **{**_OPTIONS, **options})(function)
    finally:
        settings.CACHE_DIR = users


# Compiles a function that only kernels may call, with options of `numba.njit`. A call from Python crashes. By default
# numba also compiles a CPython wrapper, which would take a third of the compile time. By default it also counts the
# references to every array and view, with an atomic operation each (numba issues 2345 and 2350). Without the counts,
# AIS on 64 x 22 units takes 0.4 times as long. Such a function must neither create nor return arrays: what creates
# arrays or returns views for kernels is inlined into them.
part = partial(kernel, no_cpython_wrapper=True, _nrt=False)


@cache
def folder() -> Path | None:
    """Return the folder for machine code, and create it if needed. Returns None if no folder is writable.

    The first writable folder is used: below NUMBA_CACHE_DIR if it is set, in the user's cache, or in a private
    temporary folder.
    """
    name = f"{_digest()}-{_kind_of_processor()}"
    for path in (base / name for base in bases()):
        with contextlib.suppress(OSError):
            path.mkdir(parents=True, exist_ok=True)
            if os.access(path, os.W_OK):
                _share_between_copies(path)
                return path
    return None


def is_cold() -> bool:
    """Whether the cache has no machine code of these kernels for this processor."""
    path = folder()
    return path is None or next(path.rglob("*.nbi"), None) is None


@cache
def announce_compilation() -> None:
    """Print a line on a terminal, once per process, if no machine code is cached; compilation takes about 20 s."""
    # The condition equals `logzoo.printing.is_terminal`, which kernels do not import.
    if getattr(sys.stderr, "isatty", bool)() and is_cold():
        print("logzoo: compiling kernels (once, about 20 s)", file=sys.stderr, flush=True)


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Collect garbage less often if no machine code is cached: full collections take a tenth of the compile time."""
    thresholds = gc.get_threshold()
    if is_cold():
        gc.set_threshold(20_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def bases() -> Iterator[Path]:
    """Possible parents of the folder for machine code, in order of preference."""
    from platformdirs import user_cache_path

    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    with contextlib.suppress(RuntimeError):  # the user has no home folder
        yield user_cache_path("logzoo") / "numba"
    with contextlib.suppress(OSError):
        yield _private_folder()


def _digest():
    """Hash of the bytes of the kernels' sources. Every process that loads a kernel computes it, so it must be fast."""
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.glob("*.py")):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _kind_of_processor():
    # Nodes of a cluster share a home folder, but machine code for one processor may fail on another.
    try:
        lines = Path("/proc/cpuinfo").read_text().partition("\n\n")[0].splitlines()
    except OSError:
        lines = []
    lines = [line for line in lines if line.startswith(("model name", "flags", "Features"))] or [platform.processor()]
    variables = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    return hashlib.sha1("\n".join([platform.machine(), *lines, *variables]).encode()).hexdigest()[:12]


def _private_folder():
    # Anybody who can write to the folder could make this user run any code.
    path = Path(tempfile.gettempdir()) / f"logzoo-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise PermissionError(f"{path} belongs to another user, or other users can write to it")
    return path


def _share_between_copies(path):
    # numba names its folder after the path of the sources. With a symlink all copies of these kernels share one folder.
    with contextlib.suppress(OSError):
        (path / "kernels").mkdir(exist_ok=True)
        (path / f"kernels_{hashlib.sha1(os.path.abspath(_KERNELS).encode()).hexdigest()}").symlink_to("kernels")
