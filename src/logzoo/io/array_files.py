"""Read arrays from files by the library of each format: h5py, SciPy, safetensors, PyTorch, skops."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import zlib
from typing import TYPE_CHECKING

import numpy as np

from logzoo.io.reading import Header, check_unpacked, most_unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from logzoo.types import FilePath

# Advice if a library is missing or refuses a file.
_HINTS = {
    "torch": "; where the model is loaded, in Python: safetensors.torch.save_file(model.state_dict(), "
    "'model.safetensors')",
    "safetensors": "; numbers of bfloat16: save them as float32",
}


def list_arrays(path: FilePath, text: str | None) -> tuple[dict[str, Header], Any]:
    """Return the arrays of an HDF5 file, {"group/array": Header}, and the value of its scalar `text`.

    Bytes are decoded. The value is None if the file has no such scalar.
    Raises a one-line ValueError without the path if h5py is missing or cannot read the file.
    """
    arrays = {}
    with _opened(path) as (h5py, file):

        def add(name, item):
            if isinstance(item, h5py.Dataset) and item.shape is not None:
                arrays[name] = Header(item.shape, item.dtype)

        file.visititems(add)
        value = file[text][()] if text in arrays and arrays[text].shape == () else None
    return arrays, value.decode(errors="replace") if isinstance(value, bytes) else value


def read_arrays(path: FilePath, names: Sequence[str]) -> list[np.ndarray]:
    """Read the named arrays of a file, in this order. Their size is not checked.

    Raises the errors of `list_arrays`, and ValueError for scaled numbers of NetCDF, because h5py does not restore them.
    """
    with _opened(path) as (_, file):
        scaled = [name for name in names if {"scale_factor", "add_offset"} & set(file[name].attrs)]
        arrays = [file[name][()] for name in names]
    if scaled:
        raise ValueError(f"{scaled[0]!r:.40}: expected plain numbers, found scaled numbers (scale_factor, add_offset)")
    return arrays


@contextlib.contextmanager
def _opened(path):
    try:
        import h5py
    except ModuleNotFoundError:
        raise ValueError("HDF5 files need h5py: pip install 'logzoo[files]'") from None
    with _one_line("HDF5"), h5py.File(path, "r") as file:
        yield h5py, file


def load_by(module: str, function: str, path: FilePath, **options: Any) -> Any:
    """Read a file by a library's function; raises a one-line ValueError if the library is missing or refuses it."""
    library = module.partition(".")[0]
    try:
        load = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError:
        raise ValueError(f"this file needs {library}: pip install {library}{_HINTS.get(library, '')}") from None
    with _one_line(library):
        return load(path, **options)


@contextlib.contextmanager
def _one_line(form):
    """Turn any error of the library for a file of this format into a one-line ValueError."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split()).partition(". ")[0]
        if "lock" in reason or "already open" in reason:
            raise ValueError(
                f"another program is writing it: copy the file, then read the copy ({reason:.100})"
            ) from None
        hint = f"found a damaged file or another format ({reason:.100}){_HINTS.get(form, '')}"
        raise ValueError(f"expected a whole {form} file, {hint}") from None


# MATLAB classes of numbers. Complex numbers are refused after loading, because `whosmat` does not report them.
_NUMBERS = {"double": "f8", "single": "f4", "logical": "?"}
_NUMBERS |= {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
# Type of a compressed variable in a MATLAB file.
_COMPRESSED = 15


def list_matrices(path: FilePath) -> dict[str, Header]:
    """List a MATLAB file's variables, {name: Header}; the type is object for anything but full arrays of numbers.

    Raises ValueError for a file that is damaged or has another format, and for a name that occurs twice. The message is
    one line without the path.
    """
    from scipy.io import whosmat

    with _one_line("MATLAB"), open(path, "rb") as file:
        variables = whosmat(file)
        # SciPy jumps from header to header, so it accepts a file that ends within a variable.
        if file.tell() > os.fstat(file.fileno()).st_size:
            raise ValueError("the file ends within a variable")
    headers = {name: Header(shape, np.dtype(_NUMBERS.get(kind, object))) for name, shape, kind in variables}
    if len(headers) < len(variables):
        raise ValueError("expected variables of different names, found two of the same name")
    return headers


def check_compressed(path: FilePath) -> None:
    """Raise ValueError if the compressed variables of a MATLAB file unpack to more bytes than the file may take.

    `whosmat` does not report the sizes of fields of structs. The bytes are counted in pieces of 1 MiB.
    """
    size, most = 0, most_unpacked(path)
    with _one_line("MATLAB"), open(path, "rb") as file:
        order = "little" if file.read(128).endswith(b"IM") else "big"
        while len(tag := file.read(8)) == 8:
            kind, length = (int.from_bytes(part, order) for part in (tag[:4], tag[4:]))
            packed, unpacker = file.read(length), zlib.decompressobj()
            while kind == _COMPRESSED and packed and size <= most:
                size += len(unpacker.decompress(packed, 1 << 20))
                packed = unpacker.unconsumed_tail
    check_unpacked(path, size)


def read_matrices(path: FilePath, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Read the named variables that a file has, {name: array}; no other variable is unpacked.

    Raises the errors of `list_matrices`, and ValueError for variables that are too large or not full arrays of real
    numbers.
    """
    from scipy.io import loadmat

    headers = list_matrices(path)
    names = [name for name in names if name in headers]
    check_unpacked(path, sum(math.prod(headers[name].shape) * headers[name].dtype.itemsize for name in names))
    with _one_line("MATLAB"):
        variables = loadmat(path, variable_names=names)
    for name in names:
        if headers[name].dtype.kind == "O" or variables[name].dtype.kind not in "biuf":
            raise ValueError(f"expected a full matrix of real numbers in {name}")
    return {name: variables[name] for name in names}
