"""Real matrices of MATLAB 5 files, read with every size checked against the bytes that are there.

The format: MathWorks, MAT-File Format, "Level 5 MAT-Files". A compiled reader that trusts the sizes in a file can be
made to crash by them; this one trusts none.
"""

import math
import zlib
from pathlib import Path

import numpy as np

_HEADER_BYTES = 128
_TAG_BYTES = 8
# Most bytes of one matrix, unpacked.
_MOST_BYTES = 1 << 30
# Enough of a packed matrix to hold its flags, sizes and name.
_PEEK_BYTES = 1 << 12
_MATRIX, _COMPRESSED = 14, 15
_TEXT = (1, 2, 16)
# Types of stored numbers, and classes of matrices that hold numbers.
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_COMPLEX = 0x0800


def read_matrices(path, names):
    """The named variables {name: array} of a MATLAB 5 file, of those that it has; all others are passed over.

    Raises ValueError, which does not name the file, for a damaged file, a named variable that is no full matrix of
    real numbers, and one that is there twice.
    """
    contents = memoryview(Path(path).read_bytes())
    if len(contents) < _HEADER_BYTES:
        raise _damaged("no header")
    order = {b"IM": "<", b"MI": ">"}.get(bytes(contents[126:128]))
    if order is None or np.frombuffer(contents[124:126], order + "u2")[0] >> 8 != 1:
        raise _damaged("no header")
    found, rest = {}, contents[_HEADER_BYTES:]
    while rest:
        kind, element, rest = _element(rest, order)
        name, matrix = _matrix(kind, element, names, order)
        if name in names:
            if name in found:
                raise ValueError(f"expected one variable {name}, found two")
            found[name] = matrix
    return found


def _damaged(reason):
    return ValueError(f"expected a whole MATLAB 5 file, found a damaged or another one ({reason})")


def _element(contents, order):
    """Type and bytes of the first data element, and what follows it."""
    if len(contents) < _TAG_BYTES:
        raise _damaged("it ends within a tag")
    kind, size = (int(number) for number in np.frombuffer(contents[:_TAG_BYTES], order + "u4"))
    if kind >> 16:  # type, size and up to four bytes of data in eight bytes
        kind, size, first, end = kind & 0xFFFF, kind >> 16, 4, _TAG_BYTES
        if size > 4:
            raise _damaged("a size that does not fit")
    else:
        first = _TAG_BYTES
        end = first + size if kind == _COMPRESSED else first + size + -size % 8
        if first + size > len(contents):
            raise _damaged("it ends within a variable")
    return kind, contents[first : first + size], contents[end:]


def _matrix(kind, element, names, order):
    """Name and array of a variable; the array is None unless the name is wanted."""
    if kind == _COMPRESSED:
        head = _unpacked(element, _PEEK_BYTES)
        if len(head) < _TAG_BYTES:
            raise _damaged("an empty variable")
        kind, size = (int(number) for number in np.frombuffer(head[:_TAG_BYTES], order + "u4"))
        contents = head[_TAG_BYTES : _TAG_BYTES + size]
    else:
        size, contents, head = len(element), element, None
    if kind != _MATRIX:
        raise _damaged(f"a variable of type {kind}")
    flags, sizes, name, data = _described(contents, order)
    if name not in names:
        return name, None
    if head is not None:
        whole = _whole(element, _TAG_BYTES + size)
        flags, sizes, name, data = _described(whole[_TAG_BYTES:], order)
    return name, _numbers(name, flags, sizes, data, order)


def _described(contents, order):
    """Flags, sizes and name of a matrix, and the bytes that follow them."""
    kind, flags, contents = _element(contents, order)
    if kind != 6 or len(flags) != 8:
        raise _damaged("a variable without flags")
    flags = int(np.frombuffer(flags[:4], order + "u4")[0])
    kind, sizes, contents = _element(contents, order)
    # Objects have no sizes, and are of no use here.
    sizes = np.frombuffer(sizes, order + "i4").tolist() if kind == 5 and len(sizes) % 4 == 0 else []
    kind, name, contents = _element(contents, order)
    return flags, sizes, bytes(name).decode("latin-1") if kind in _TEXT else "", contents


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
        return np.frombuffer(values, order + stored).astype(kind).reshape(sizes, order="F")


def _unpacked(packed, size):
    """At most `size` bytes of what was packed."""
    try:
        return memoryview(zlib.decompressobj().decompress(packed, size))
    except zlib.error:
        raise _damaged("a packed variable") from None


def _whole(packed, size):
    """All of what was packed, which must be `size` bytes."""
    if size > _MOST_BYTES:
        raise ValueError(f"expected at most {_MOST_BYTES} bytes in a variable, found {size}")
    unpacking = zlib.decompressobj()
    try:
        # With room for one more, the end is reached and the checksum is checked.
        contents = unpacking.decompress(packed, size + 1)
    except zlib.error:
        raise _damaged("a packed variable") from None
    if len(contents) != size or not unpacking.eof:
        raise _damaged("a packed variable")
    return memoryview(contents)
