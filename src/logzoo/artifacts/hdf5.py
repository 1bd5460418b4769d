"""Arrays of HDF5 files as h5py writes them by default, read with every size checked against the bytes that are there.

The format: The HDF Group, HDF5 File Format Specification 3.0, of which this is the oldest part: superblocks 0 and 1,
groups as symbol tables, object headers of version 1, arrays that lie in one piece. The compiled library trusts what it
finds in a file, and can be made to crash by it; this reader trusts nothing, and runs nothing.
"""

import math
import mmap
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_DATASPACE, _DATATYPE, _LAYOUT, _CONTINUED, _SYMBOLS = 0x01, 0x03, 0x08, 0x10, 0x11
_READ = {_DATASPACE, _DATATYPE, _LAYOUT, _SYMBOLS}
_INTEGER, _FLOAT, _TEXT, _VARIABLE = 0, 1, 3, 9
# Of an IEEE number by its bytes: bit offset, precision, place and size of exponent and mantissa, bias.
_IEEE = {2: (0, 16, 10, 5, 0, 10, 15), 4: (0, 32, 23, 8, 0, 23, 127), 8: (0, 64, 52, 11, 0, 52, 1023)}
# A file may name the same bytes again and again: what is walked through is bounded.
_SHOWN = 6
_MOST_BLOCKS, _BLOCK_BYTES, _MOST_NODES, _MOST_ENTRIES, _NAME_BYTES, _MOST_TEXTS = 16, 1 << 16, 1024, 64, 256, 4096


class Hdf5Array(NamedTuple):
    """What an array is like."""

    shape: tuple
    dtype: np.dtype  # object for all but real numbers


class Hdf5File:
    """An HDF5 file. Groups and arrays are named by paths from its root, "group/array".

    Every method raises ValueError, without the path of the file, for what is damaged or of another form.
    """

    def __init__(self, path):
        if Path(path).stat().st_size == 0:
            raise _damaged("it is empty")
        with open(path, "rb") as file:
            self._contents = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._bytes(0, 8) != _SIGNATURE:
            raise _damaged("no header")
        version, offset_bytes, length_bytes = struct.unpack("<B4xBB", self._bytes(8, 7))
        if version > 1 or (offset_bytes, length_bytes) != (8, 8):
            raise _damaged(f"a newer one, of superblock {version}")
        base, root = struct.unpack("<Q32xQ", self._bytes(24 + 4 * version, 48))
        if base:
            raise _damaged("another start")
        self._root, self._groups = root, {}

    def names(self, group=""):
        """Names of what is in a group."""
        return list(self._members(self._address(group)))

    def array(self, name):
        """The Hdf5Array of that name; None for a group."""
        messages = self._messages(self._address(name))
        if _SYMBOLS in messages:
            return None
        return Hdf5Array(_shape(messages), _number_type(messages))

    def values(self, name):
        """The array of real numbers of that name."""
        messages = self._messages(self._address(name))
        shape, dtype = _shape(messages), _number_type(messages)
        start, size = self._layout(messages, name)
        if dtype.kind == "O" or size != math.prod(shape) * dtype.itemsize:
            raise _damaged(f"the type or size of {name!r}")
        return np.frombuffer(self._bytes(start, size), dtype).reshape(shape)

    def text(self, name):
        """The text of that name."""
        messages = self._messages(self._address(name))
        kind = self._part(messages, _DATATYPE, 8)[0] & 15
        start, size = self._layout(messages, name)
        if kind == _VARIABLE:
            length, heap, index = struct.unpack("<IQI", self._bytes(start, 16))
            text = self._heaped(heap, index)[:length]
        elif kind == _TEXT:
            text = self._bytes(start, min(size, _NAME_BYTES))
        else:
            raise ValueError(f"expected a text in {name!r}")
        return text.partition(b"\0")[0].decode(errors="replace")

    def _bytes(self, start, size):
        part = self._contents[start : start + size]
        if len(part) < size:
            raise _damaged("it ends too early")
        return part

    def _address(self, name):
        address = self._root
        for step in filter(None, name.split("/")):
            members = self._members(address)
            if step not in members:
                there = ", ".join(f"{other:.32}" for other in list(members)[:_SHOWN])
                raise ValueError(f"expected {name!r}, found no {step!r} but {there!r}")
            address = members[step]
        return address

    def _messages(self, address):
        """The messages of an object header {kind: bytes}, the first of each kind."""
        version, size = struct.unpack("<B7xI", self._bytes(address, 12))
        if version != 1:
            raise _damaged("an object of another form")
        messages, blocks = {}, [(address + 16, size)]
        for start, size in blocks:  # it grows on the way
            if len(blocks) > _MOST_BLOCKS or size > _BLOCK_BYTES:
                raise _damaged("an object without end")
            block, at = self._bytes(start, size), 0
            while at + 8 <= size:
                kind, length, flags = struct.unpack_from("<HHB", block, at)
                message = block[at + 8 : at + 8 + length]
                at += 8 + length
                if len(message) < length:
                    raise _damaged("an object that is cut")
                if kind == _CONTINUED:
                    blocks.append(struct.unpack("<QQ", message.ljust(16, b"\0")[:16]))
                elif kind in _READ and not flags & 2:  # else it lies elsewhere
                    messages.setdefault(kind, message)
        return messages

    def _members(self, address):
        """What is in a group {name: address of its object header}."""
        if address not in self._groups:
            self._groups[address] = self._listed(address)
        return self._groups[address]

    def _listed(self, address):
        messages = self._messages(address)
        if _SYMBOLS not in messages:
            raise _damaged("no group, or one of a newer form")
        tree, heap = struct.unpack("<QQ", self._part(messages, _SYMBOLS, 16))
        signature, size, start = struct.unpack("<4s4xQ8xQ", self._bytes(heap, 32))
        if signature != b"HEAP":
            raise _damaged("no names of a group")
        members, nodes, met = {}, [tree], {tree}
        while nodes:
            node = nodes.pop()
            signature, used = struct.unpack("<4s2xH", self._bytes(node, 8))
            if len(met) > _MOST_NODES or used > _MOST_ENTRIES or signature not in (b"TREE", b"SNOD"):
                raise _damaged("the list of a group")
            if signature == b"TREE":
                # After two siblings come keys and children in turn, a key first.
                below = struct.unpack(f"<{2 * used}Q", self._bytes(node + 24, 16 * used))[1::2]
                nodes += [child for child in below if child not in met]
                met.update(below)
                continue
            for name_at, header in struct.iter_unpack("<QQ24x", self._bytes(node + 8, 40 * used)):
                members[self._name(start, size, name_at)] = header
        return members

    def _name(self, start, size, name_at):
        if name_at >= size:
            raise _damaged("a name")
        name = self._bytes(start + name_at, min(_NAME_BYTES, size - name_at))
        if b"\0" not in name:
            raise _damaged("a name without end")
        return name.partition(b"\0")[0].decode(errors="replace")

    def _layout(self, messages, name):
        """Start and bytes of the values of an object."""
        version, kind = self._part(messages, _LAYOUT, 2)[:2]
        if version != 3 or kind != 1:
            raise ValueError(f"expected {name!r} in one piece, found it packed or in chunks")
        return struct.unpack("<QQ", self._part(messages, _LAYOUT, 18)[2:18])

    def _heaped(self, heap, index):
        """The bytes of one object of a global heap."""
        signature, size = struct.unpack("<4s4xQ", self._bytes(heap, 16))
        at = heap + 16
        for _ in range(_MOST_TEXTS):
            if signature != b"GCOL" or at + 16 > heap + size:
                break
            number, length = struct.unpack("<H6xQ", self._bytes(at, 16))
            if number == index:
                return self._bytes(at + 16, min(length, _NAME_BYTES))
            at += 16 + length + -length % 8
        raise _damaged("a text")

    def _part(self, messages, kind, size):
        if len(messages.get(kind, b"")) < size:
            raise _damaged("an object that lacks a part")
        return messages[kind]


def _damaged(reason):
    return ValueError(f"expected a whole HDF5 file as h5py writes it, found a damaged or another one ({reason})")


def _shape(messages):
    message = messages.get(_DATASPACE, b"").ljust(4, b"\0")
    version, rank, _, kind = message[:4]
    first = {1: 8, 2: 4}.get(version)
    if first is None or rank > 32 or len(message) < first + 8 * rank:
        raise _damaged("a shape")
    # The second version tells an array of no dimensions (0) from one that holds nothing (2).
    return (0,) if version == 2 and kind == 2 else struct.unpack_from(f"<{rank}Q", message, first)


def _number_type(messages):
    """The numpy type of real numbers; object for anything else."""
    message = messages.get(_DATATYPE, b"").ljust(20, b"\0")
    first, flags, size = struct.unpack("<BB2xI", message[:8])
    order = "<>"[flags & 1]
    if first & 15 == _INTEGER and size in (1, 2, 4, 8) and struct.unpack("<HH", message[8:12]) == (0, 8 * size):
        return np.dtype(f"{order}{'i' if flags & 8 else 'u'}{size}")
    if first & 15 == _FLOAT and not flags & 0x40 and struct.unpack("<HHBBBBI", message[8:20]) == _IEEE.get(size):
        return np.dtype(f"{order}f{size}")
    return np.dtype(object)
