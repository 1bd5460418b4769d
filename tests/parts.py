"""Parts of kernels, which have no wrapper for Python, compiled with one for tests."""

from functools import cache

from numba import njit


def is_part(function):
    """Whether a compiled function is a part: a call from Python would crash."""
    return getattr(function, "targetoptions", {}).get("no_cpython_wrapper", False)


@cache
def from_python(part):
    """The same function, which Python can call."""
    return njit(part.py_func)
