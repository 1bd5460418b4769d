"""Decorators that compile a function with numba and keep its machine code in the cache of the kernels.

The user's NUMBA_CACHE_DIR and the caching of other numba code in the process stay as they are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from numba import njit
from numba.core import config as _config
from numba.core.registry import CPUDispatcher

from logzoo.kernels import cache

# numba sets the attributes of this module by name.
config: Any = _config
_NO_WRAPPERS = {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


# numba checks calls by the types of arguments, so the compiled functions take any for a type checker.
def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Compile a function that Python calls, with options of `numba.njit`."""
    if function is None:
        return lambda function: kernel(function, **options)
    with _own_cache():
        return njit(cache=True, **options)(function)


class Part(CPUDispatcher):
    """A compiled function that kernels call. Python that calls it, as tests do, has it compiled with a wrapper."""

    options: dict[str, Any]
    with_wrapper = None

    def __call__(self, *arguments: Any) -> Any:
        if self.with_wrapper is None:
            self.with_wrapper = njit(**self.options)(self.py_func)
        return self.with_wrapper(*arguments)


def part(function: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
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
def _own_cache() -> Iterator[None]:
    # numba reads this setting when a function is decorated.
    kept, config.CACHE_DIR = config.CACHE_DIR, str(cache.folder() or config.CACHE_DIR)
    try:
        yield
    finally:
        config.CACHE_DIR = kept
