"""Matrices of MATLAB files up to version 7, read by SciPy."""

import contextlib
import math
import os

import numpy as np

from logzoo.io.sizes import Header, check_unpacked

# Classes of MATLAB that hold real or complex numbers; `whosmat` does not distinguish the two.
_NUMBERS = {"double": "f8", "single": "f4", "logical": "?"}
_NUMBERS |= {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def list_matrices(path):
    """List the variables of a file, {name: Header}; the type is object for all but full arrays of numbers.

    Raises ValueError, one line without the path, for a file that SciPy cannot read and for a name that is there twice.
    """
    from scipy.io import whosmat

    with _one_line(), open(path, "rb") as file:
        variables = whosmat(file)
        # SciPy goes from header to header, and takes a file that ends within a variable for a whole one.
        if file.tell() > os.fstat(file.fileno()).st_size:
            raise ValueError("it ends within a variable")
    headers = {name: Header(shape, np.dtype(_NUMBERS.get(kind, object))) for name, shape, kind in variables}
    if len(headers) < len(variables):
        raise ValueError("expected one variable of each name, found some twice")
    return headers


def read_matrices(path, names):
    """Read the named variables of a file, {name: array}, as far as it has them; no other is unpacked.

    Errors as of `list_matrices`; also for variables that are not full arrays of real numbers, or too large.
    """
    from scipy.io import loadmat

    headers = list_matrices(path)
    names = [name for name in names if name in headers]
    check_unpacked(path, sum(math.prod(headers[name].shape) * headers[name].dtype.itemsize for name in names))
    with _one_line():
        variables = loadmat(path, variable_names=names)
    for name in names:
        if headers[name].dtype.kind == "O" or variables[name].dtype.kind not in "biuf":
            raise ValueError(f"expected a full matrix of real numbers in {name}")
    return {name: variables[name] for name in names}


@contextlib.contextmanager
def _one_line():
    try:
        yield
    except Exception as error:  # SciPy raises whatever a damaged file happens to break
        reason = " ".join(str(error).split())
        raise ValueError(f"expected a whole MATLAB file, found a damaged or another one ({reason:.100})") from None
