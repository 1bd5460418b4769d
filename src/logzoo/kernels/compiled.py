"""Decorators that compile a function with numba and keep its machine code in the cache of the kernels.

The user's NUMBA_CACHE_DIR and the caching of other numba code in the process stay as they are.
"""

import contextlib

from numba import njit
from numba.core import config
from numba.core.registry import CPUDispatcher

from logzoo.kernels import cache

_NO_WRAPPERS = {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function=None, **options):
    """Compile a function that Python calls, with options of `numba.njit`."""
    if function is None:
        return lambda function: kernel(function, **options)
    with _own_cache():
        return njit(cache=True, **options)(function)


class Part(CPUDispatcher):
    """A compiled function that kernels call. Python that calls it, as tests do, has it compiled with a wrapper."""

    with_wrapper = None

    def __call__(self, *arguments):
        if self.with_wrapper is None:
            self.with_wrapper = njit(**self.options)(self.py_func)
        return self.with_wrapper(*arguments)


def part(function=None, **options):
    """Compile a function that only kernels call, with options of `numba.njit`.

    numba generates a CPython wrapper for every function, which takes a third of the time that a part takes to compile.
    """
    if function is None:
        return lambda function: part(function, **options)
    if config.DISABLE_JIT:
        return function
    compiled = Part(py_func=function, locals={}, targetoptions=_NO_WRAPPERS | options)
    compiled.options = options
    with _own_cache():
        compiled.enable_caching()
    return compiled


@contextlib.contextmanager
def _own_cache():
    # numba reads this setting when a function is decorated.
    kept, config.CACHE_DIR = config.CACHE_DIR, str(cache.folder() or config.CACHE_DIR)
    try:
        yield
    finally:
        config.CACHE_DIR = kept
