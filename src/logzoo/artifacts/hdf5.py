"""Arrays of HDF5 files, read by netCDF4 in a process of its own, whose program is this file.

The compiled library trusts what it finds in a file: a damaged one may crash it, or take all time or memory there is.
"""

import contextlib
import io
import json
import math
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np

# Of all the arrays that are wanted; of the memory and the time of the process that reads them.
_MOST_BYTES, _MOST_MEMORY, _SECONDS = 1 << 30, 1 << 32, 60


class Header(NamedTuple):
    """What an array in a file is like."""

    shape: tuple
    dtype: np.dtype  # object for all but numbers and letters


def described(path, text):
    """What is in a file {"group/array": Header}, and the text of that name at its root, None if there is none.

    Raises ValueError, one line without the path, for what the library cannot read.
    """
    arrays, found = json.loads(_answer(path, "describe", text))
    return {name: Header(tuple(shape), np.dtype(kind)) for name, shape, kind in arrays}, found


def values(path, arrays):
    """The values of arrays {name: its Header} of a file, in this order. ValueError as above, and for their size."""
    size = sum(math.prod(array.shape) * array.dtype.itemsize for array in arrays.values())
    if size > _MOST_BYTES:
        raise ValueError(f"expected at most {_MOST_BYTES} bytes in all arrays that are wanted, found {size}")
    with np.load(io.BytesIO(_answer(path, "values", *arrays)), allow_pickle=False) as stored:
        return [stored[name] for name in stored.files]


def _answer(path, *request):
    # -P: modules beside this file hide no others of their names. Threads would take memory, and are of no use.
    command = [sys.executable, "-P", __file__, os.path.abspath(path), *request]
    options = {"stdin": subprocess.DEVNULL, "env": {**os.environ, "OPENBLAS_NUM_THREADS": "1"}}
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, **options)
    except subprocess.TimeoutExpired:
        raise ValueError(f"expected a whole HDF5 file, found one that takes more than {_SECONDS} s to read") from None
    if done.returncode:
        said = ascii(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])[1:-1]
        reason = said if done.returncode == 1 else "the library crashes on it"
        raise ValueError(f"expected a whole HDF5 file, found a damaged or another one ({reason:.100})")
    return done.stdout


def _main(path, wanted, *names):
    with contextlib.suppress(ImportError, OSError, ValueError):  # no limits here, or lower ones
        from resource import RLIMIT_AS, RLIMIT_CORE, setrlimit

        setrlimit(RLIMIT_CORE, (0, 0))
        setrlimit(RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    import netCDF4

    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        if wanted == "values":
            return np.savez(sys.stdout.buffer, *(file[name][...] for name in names))
        arrays, groups = [], {"": file}
        while groups:
            folder, group = groups.popitem()
            groups |= {f"{folder}{name}/": inner for name, inner in group.groups.items()}
            for name, array in group.variables.items():
                kind = array.datatype.str if isinstance(array.datatype, np.dtype) else "O"
                arrays.append((folder + name, array.shape, kind))
        text = str(np.ravel(file[names[0]][:1])[0]) if names[0] in file.variables else None
        json.dump((arrays, text), sys.stdout)


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except Exception as error:
        sys.exit(getattr(error, "strerror", None) or f"{type(error).__name__}: {error}")
