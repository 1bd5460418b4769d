"""Sets of binary states: rows of 64-bit words, found by open addressing with linear probing.

A hash only says where to look first. States are the same if all their words are.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.compaction import pack, unpack, words_of
from logzoo.kernels.compiled import kernel, part

# Units of a word.
LONG_WORD = 64
_FREE = np.int32(-1)
_32 = np.uint64(32)
_29 = np.uint64(29)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class HashSet(NamedTuple):
    """Distinct states in the order of their arrival."""

    rows: np.ndarray  # (states, words) uint64; room for more while the set grows
    slots: np.ndarray  # (power of two,) int32: the row that lies there, or -1


def new_hash_set(capacity, units):
    """An empty set with room for `capacity` states of so many units; at least half of its slots stay free."""
    size = 1 << int(2 * capacity - 1).bit_length()
    return HashSet(np.zeros((capacity, -(-units // LONG_WORD)), np.uint64), np.full(size, _FREE))


@part
def hash_of(words):
    """A hash (uint64) of a state."""
    code = np.uint64(words.size)
    for word in words:
        code = (code ^ word) * _MULTIPLIER
        code ^= code >> _29
        code = code * _MULTIPLIER
        code ^= code >> _32
    return code


@part
def _slot_of(members, words, code):
    """The slot where a state lies, or the free one where it would: the first of these from `code` on."""
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
def find(members, words, code):
    """The row of a state (words,) in the set, -1 if it is not a member; `code` is its hash."""
    return np.int64(members.slots[_slot_of(members, words, code)])


@part
def insert(members, count, words, code):
    """Add a state (words,) of hash `code` to a set of `count` states, unless it is a member; returns its row."""
    slot = _slot_of(members, words, code)
    if members.slots[slot] < 0:
        members.slots[slot] = count
        members.rows[count] = words
    return np.int64(members.slots[slot])


@kernel
def insert_all(members, rows):
    """Add distinct states, rows (states, words), to an empty set, in their order."""
    for row in range(rows.shape[0]):
        insert(members, row, rows[row], hash_of(rows[row]))


@part
def pack_state(state, words):
    """words (words,) uint64 = the set of the ones of `state` (units,) uint8."""
    words[:] = np.uint64(0)
    halves = words.view(np.uint32)
    for half in range(words_of(state.size)):
        halves[half] = pack(state, half)


@part
def unpack_state(words, state):
    """state (units,) uint8 = the units whose bits are set in `words` (words,) uint64."""
    halves = words.view(np.uint32)
    for half in range(words_of(state.size)):
        unpack(halves[half], half, state)
