"""Sets of units as words of 32 bits, and hash sets of states.

The first unit is the lowest bit of a word. The indices of a set are listed from a table, without branches. A hash set
stores states as rows of 64-bit words. It uses open addressing with linear probing from the slot of the hash, and
compares all words of a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into
from logzoo.kernels.llvm import INT8, INT32, INT64, INTEGERS, after, constant, emitted, everywhere, load, store

if TYPE_CHECKING:
    from logzoo.types import Array


# Units in a word of a set.
WORD = 32
# Units listed together: one byte of a word.
GROUP = 8
# One row per value of a byte: the positions of its set bits in order. The entries after them are not used.
_POSITIONS = np.array(
    [sorted(range(GROUP), key=lambda bit, byte=byte: not byte >> bit & 1) for byte in range(256)], np.uint8
)
_BIT = np.uint32(1)
_BYTE = np.uint32(255)


@emitted(types.void, types.intp, types.intp, types.int32, types.intp)
def _store_positions(
    builder: ir.IRBuilder, positions: ir.Value, row: ir.Value, first: ir.Value, target: ir.Value
) -> None:
    """target[:8] = positions[8 row : 8 row + 8] + first; `positions` is an address of uint8, `target` of int32."""
    eight = load(builder, after(builder, positions, row, GROUP), ir.VectorType(INT8, GROUP))
    store(builder, builder.add(builder.zext(eight, INTEGERS), everywhere(builder, first, GROUP)), target)


@emitted(types.uint32, types.intp)
def _pack_word(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """Pack the 32 bytes at `address` into a word; a bit is 1 if its byte is not 0."""
    values = load(builder, address, ir.VectorType(INT8, WORD))
    return builder.bitcast(builder.icmp_unsigned("!=", values, constant(values.type, 0)), INT32)


@emitted(types.void, types.uint32, types.intp)
def _unpack_word(builder: ir.IRBuilder, word: ir.Value, address: ir.Value) -> None:
    """Store the bits of `word` as 32 bytes of 0 or 1 at `address`."""
    bits = builder.bitcast(word, ir.VectorType(ir.IntType(1), WORD))
    store(builder, builder.zext(bits, ir.VectorType(INT8, WORD)), address)


@emitted(types.int64, types.uint32)
def count_bits(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    """Number of set bits of a uint32 (int64)."""
    return builder.zext(builder.ctpop(word), INT64)


@part
def words_of(units: int) -> int:
    """Number of words of a set of `units` units."""
    return -(-units // WORD)


@njit(inline="always")
def pack(state: Array, word: int) -> np.uint32:
    """Pack units of `state` (units,) uint8, all 0 or 1, into word number `word`; bits beyond the last unit are 0."""
    first = word * WORD
    return _pack_word(state.ctypes.data + first) if first + WORD <= state.size else _pack_end(state, first)


@part
def _pack_end(state: Array, first: int) -> np.uint32:
    bits = np.uint32(0)
    for bit in range(state.size - first):
        bits |= np.uint32(state[first + bit]) << np.uint32(bit)
    return bits


@njit(inline="always")
def unpack(bits: np.uint32, word: int, state: Array) -> None:
    """Set units of state (units,) uint8 from the bits of word number `word`; bits beyond the last unit are ignored."""
    first = word * WORD
    if first + WORD <= state.size:
        _unpack_word(bits, state.ctypes.data + first)
    else:
        _unpack_end(bits, state, first)


@part
def _unpack_end(bits: np.uint32, state: Array, first: int) -> None:
    for bit in range(state.size - first):
        state[first + bit] = np.uint8(bits >> np.uint32(bit) & _BIT)


@part
def list_set(words: Array, indices: Array) -> int:
    """Write the members of a set (words,) uint32 into `indices` in increasing order; returns their number.

    `indices` (int32) must have 8 entries more than the set has members.
    """
    positions = _POSITIONS.ctypes.data
    target = indices.ctypes.data
    count = 0
    for word in range(words.size):
        for first in range(0, WORD, GROUP):
            byte = words[word] >> np.uint32(first) & _BYTE
            _store_positions(positions, np.int64(byte), np.int32(word * WORD + first), target + 4 * count)
            count += count_bits(byte)
    return count


# Units in a word of a hash set.
LONG_WORD = 64
_FREE = np.int32(-1)
_32 = np.uint64(32)
_29 = np.uint64(29)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class HashSet(NamedTuple):
    """Distinct states in the order of insertion."""

    rows: np.ndarray  # (capacity, words) uint64: one state a row
    slots: np.ndarray  # (slots,) int32, slots a power of two: the row of the state in a slot, or -1 if the slot is free


def new_hash_set(capacity: int, units: int) -> HashSet:
    """An empty set with room for `capacity` states of `units` units; at least half of its slots stay free."""
    size = 1 << int(2 * capacity - 1).bit_length()
    return HashSet(np.zeros((capacity, -(-units // LONG_WORD)), np.uint64), np.full(size, _FREE))


@part
def hash_of(words: Array) -> np.uint64:
    """A hash (uint64) of a state."""
    code = np.uint64(words.size)
    for word in words:
        code = (code ^ word) * _MULTIPLIER
        code ^= code >> _29
        code = code * _MULTIPLIER
        code ^= code >> _32
    return code


@part
def _slot_of(members: HashSet, words: Array, code: np.uint64) -> np.uint64:
    """The slot of a state, or the free slot to insert it in; the search starts at the slot of the hash `code`."""
    last = np.uint64(members.slots.size - 1)
    slot = code & last
    while members.slots[slot] >= 0:
        row = members.rows[members.slots[slot]]
        same = True
        for word in range(words.size):
            same = same and row[word] == words[word]
        if same:
            break
        slot = (slot + np.uint64(1)) & last
    return slot


@part
def find(members: HashSet, words: Array, code: np.uint64) -> np.int64:
    """The row of a state (words,) in the set, or -1 if it is not a member; `code` is its hash."""
    return np.int64(members.slots[_slot_of(members, words, code)])


@part
def insert(members: HashSet, count: int, words: Array, code: np.uint64) -> np.int64:
    """Add a state (words,) of hash `code` to a set of `count` states, unless it is a member; returns its row."""
    slot = _slot_of(members, words, code)
    if members.slots[slot] < 0:
        members.slots[slot] = count
        copy_into(members.rows[count], words)
    return np.int64(members.slots[slot])


@kernel
def insert_all(members: HashSet, rows: Array) -> None:
    """Add distinct states, rows (states, words), to an empty set, in their order."""
    for row in range(rows.shape[0]):
        insert(members, row, rows[row], hash_of(rows[row]))


@part
def pack_state(state: Array, words: Array) -> None:
    """Set words (words,) uint64 to the bits of `state` (units,) uint8."""
    words[:] = np.uint64(0)
    halves = words.view(np.uint32)
    for half in range(words_of(state.size)):
        halves[half] = pack(state, half)


@part
def unpack_state(words: Array, state: Array) -> None:
    """Set state (units,) uint8 to the bits of `words` (words,) uint64."""
    halves = words.view(np.uint32)
    for half in range(words_of(state.size)):
        unpack(halves[half], half, state)
