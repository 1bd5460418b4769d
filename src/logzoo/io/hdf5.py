"""Arrays of HDF5 files, read by netCDF4 in a process of its own, whose program is this file.

The compiled library trusts what it finds in a file: a damaged one may crash it, or take all time or memory there is.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np

# Of the memory and the time of the process that reads.
_MOST_MEMORY, _SECONDS = 1 << 31, 60
_REFUSED = 3  # its exit code where the file is whole, but not of use


class Header(NamedTuple):
    """What an array in a file is like."""

    shape: tuple
    dtype: np.dtype  # object for all but numbers and letters


def described(path, text):
    """What is in a file {"group/array": Header}, and the text of that name at its root, None if there is none.

    Raises ValueError, one line without the path, for what the library cannot read.
    """
    with tempfile.TemporaryFile() as answer:
        _ask(path, ("describe", text), answer)
        answer.seek(0)
        arrays, found = json.load(answer)
    return {name: Header(tuple(shape), np.dtype(kind)) for name, shape, kind in arrays}, found


def values(path, arrays):
    """The values of arrays of a file, by their names, in this order. ValueError as above, and for missing values.

    As NetCDF says: numbers that are packed (scale_factor, add_offset) are unpacked. Their size is not checked.
    """
    with tempfile.TemporaryFile() as answer:
        _ask(path, ("values", *arrays), answer)
        answer.seek(0)
        with np.load(answer, allow_pickle=False) as stored:
            return [stored[name] for name in stored.files]


def _ask(path, request, answer):
    """Have the process write its answer to a file, which takes no memory twice as a pipe would."""
    # -P: modules beside this file hide no others of their names. Threads would take memory, and are of no use.
    command = [sys.executable, "-P", __file__, os.path.abspath(path), *request]
    options = {"stdin": subprocess.DEVNULL, "env": {**os.environ, "OPENBLAS_NUM_THREADS": "1"}}
    try:
        done = subprocess.run(command, stdout=answer, stderr=subprocess.PIPE, timeout=_SECONDS, **options)
    except subprocess.TimeoutExpired:
        raise ValueError(f"expected a whole HDF5 file, found one that takes more than {_SECONDS} s to read") from None
    if done.returncode:
        said = ascii(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])[1:-1]
        if done.returncode == _REFUSED:
            raise ValueError(said)
        reason = said if done.returncode == 1 else "the library crashes on it"
        raise ValueError(f"expected a whole HDF5 file, found a damaged or another one ({reason:.100})")


def _main(path, wanted, *names):
    with contextlib.suppress(ImportError, OSError, ValueError):  # no limits here, or lower ones
        from resource import RLIMIT_AS, RLIMIT_CORE, setrlimit

        setrlimit(RLIMIT_CORE, (0, 0))
        setrlimit(RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    import netCDF4

    with netCDF4.Dataset(path) as file:
        if wanted == "values":
            return np.savez(sys.stdout.buffer, *(_values(file[name]) for name in names))
        file.set_auto_maskandscale(False)
        arrays, groups = [], {"": file}
        while groups:
            folder, group = groups.popitem()
            groups |= {f"{folder}{name}/": inner for name, inner in group.groups.items()}
            for name, array in group.variables.items():
                kind = array.datatype.str if isinstance(array.datatype, np.dtype) else "O"
                arrays.append((folder + name, array.shape, kind))
        text = str(np.ravel(file[names[0]][:1])[0]) if names[0] in file.variables else None
        json.dump((arrays, text), sys.stdout)


def _values(array):
    values = array[...]
    if np.ma.is_masked(values):
        print(f"{array.name!r:.40}: expected numbers, found missing values", file=sys.stderr)
        sys.exit(_REFUSED)
    return np.ma.getdata(values)


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except Exception as error:
        sys.exit(getattr(error, "strerror", None) or f"{type(error).__name__}: {error}")
