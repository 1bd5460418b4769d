"""Parts of kernels: what other kernels call and Python does not.

numba makes a door to Python for every function, which takes a third of the time that a part takes to compile.
"""

from numba import njit
from numba.core import config
from numba.core.registry import CPUDispatcher

_NO_DOORS = {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Part(CPUDispatcher):
    """A compiled function that kernels call. Python that calls it, as tests do, has it compiled once more."""

    with_doors = None

    def __call__(self, *arguments):
        if self.with_doors is None:
            self.with_doors = njit(**self.options)(self.py_func)
        return self.with_doors(*arguments)


def part(function=None, **options):
    """Compile a function that only kernels call, with options of `numba.njit`; kept for all processes."""
    if function is None:
        return lambda function: part(function, **options)
    if config.DISABLE_JIT:
        return function
    made = Part(py_func=function, locals={}, targetoptions=_NO_DOORS | options)
    made.options = options
    made.enable_caching()
    return made
