"""Real matrices of MATLAB 5 files, read with every size checked against the bytes that are there.

The format: MathWorks, MAT-File Format, "Level 5 MAT-Files". A compiled reader that trusts the sizes in a file can be
made to crash by them; this one trusts none.
"""

import math
import zlib
from pathlib import Path

import numpy as np

from logzoo.io.sizes import check_unpacked, most_unpacked

_HEADER_BYTES, _TAG_BYTES = 128, 8
_MATRIX, _COMPRESSED = 14, 15
_TEXT = (1, 2, 16)
# Types of stored numbers, and classes of matrices that hold numbers.
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_COMPLEX = 0x0800


def read_matrices(path, names=None):
    """The named variables {name: array} of a MATLAB 5 file, of those that it has; all others are passed over.

    names: None for every full real matrix of two dimensions that is not empty. Raises ValueError, without the path, for
    a damaged file, for what is there twice, and for what is named and no full real matrix.
    """
    contents, most = memoryview(Path(path).read_bytes()), most_unpacked(path)
    if len(contents) < _HEADER_BYTES:
        raise _damaged("no header")
    order = {b"IM": "<", b"MI": ">"}.get(bytes(contents[126:128]))
    if order is None or np.frombuffer(contents[124:126], order + "u2")[0] >> 8 != 1:
        raise _damaged("no header")
    matrices, held, rest = {}, 0, contents[_HEADER_BYTES:]
    while rest:
        kind, element, rest = _element(rest, order)
        if kind == _COMPRESSED:
            kind, element = _unpacked(element, order, most)
        if kind != _MATRIX:
            raise _damaged(f"a variable of type {kind}")
        name, flags, sizes, data = _described(element, order)
        if name in matrices:
            raise ValueError(f"expected one variable {name}, found two")
        if name in names if names is not None else _is_matrix(flags, sizes):
            held += abs(math.prod(sizes)) * np.dtype(_CLASSES.get(flags & 0xFF, "f8")).itemsize
            check_unpacked(path, held)
            matrices[name] = _numbers(name, flags, sizes, data, order)
    return matrices


def _damaged(reason):
    return ValueError(f"expected a whole MATLAB 5 file, found a damaged or another one ({reason})")


def _element(contents, order):
    """Type and bytes of the first data element, and what follows it."""
    if len(contents) < _TAG_BYTES:
        raise _damaged("it ends within a tag")
    kind, size = (int(number) for number in np.frombuffer(contents[:_TAG_BYTES], order + "u4"))
    if kind >> 16:  # type, size and up to four bytes of data in eight bytes
        if kind >> 16 > 4:
            raise _damaged("a size that does not fit")
        return kind & 0xFFFF, contents[4 : 4 + (kind >> 16)], contents[_TAG_BYTES:]
    element, padding = contents[_TAG_BYTES : _TAG_BYTES + size], 0 if kind == _COMPRESSED else -size % 8
    if len(element) < size:
        raise _damaged("it ends within a variable")
    return kind, element, contents[_TAG_BYTES + size + padding :]


def _unpacked(packed, order, most):
    """Type and bytes of the data element that was packed."""
    unpacking = zlib.decompressobj()
    try:
        tag = unpacking.decompress(packed, _TAG_BYTES)
        if len(tag) < _TAG_BYTES:
            raise _damaged("an empty variable")
        kind, size = (int(number) for number in np.frombuffer(tag, order + "u4"))
        if size > most:
            raise ValueError(f"expected at most {most:,} bytes in a variable, found {size:,}")
        # With room for one more, the end is reached and the checksum is checked.
        contents = unpacking.decompress(unpacking.unconsumed_tail, size + 1)
    except zlib.error:
        raise _damaged("a packed variable") from None
    if len(contents) != size or not unpacking.eof:
        raise _damaged("a packed variable")
    return kind, memoryview(contents)


def _described(contents, order):
    """Name, flags and sizes of a matrix, and the bytes that follow them."""
    kind, flags, contents = _element(contents, order)
    if kind != 6 or len(flags) != 8:
        raise _damaged("a variable without flags")
    flags = int(np.frombuffer(flags[:4], order + "u4")[0])
    kind, sizes, contents = _element(contents, order)
    # Objects have no sizes, and are of no use here.
    sizes = np.frombuffer(sizes, order + "i4").tolist() if kind == 5 and len(sizes) % 4 == 0 else []
    kind, name, contents = _element(contents, order)
    return bytes(name).decode("latin-1") if kind in _TEXT else "", flags, sizes, contents


def _is_matrix(flags, sizes):
    return flags & 0xFF in _CLASSES and not flags & _COMPLEX and len(sizes) == 2 and min(sizes) > 0


def _numbers(name, flags, sizes, data, order):
    kind = _CLASSES.get(flags & 0xFF)
    if kind is None or flags & _COMPLEX:
        raise ValueError(f"expected a full matrix of real numbers in {name}")
    if len(sizes) < 2 or min(sizes) < 0:
        raise _damaged(f"the sizes of {name}")
    stored, values, _ = _element(data, order)
    stored = _STORED.get(stored)
    if stored is None or len(values) != math.prod(sizes) * int(stored[1]):
        raise _damaged(f"the sizes of {name}")
    # Whole numbers are stored in the smallest type that holds them.
    if not np.can_cast(stored, kind, "same_kind"):
        raise _damaged(f"the type of {name}")
    with np.errstate(over="ignore"):
        return np.frombuffer(values, order + stored).astype(kind, copy=False).reshape(sizes, order="F")
