"""Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror & Shaw 2011).

A draw is a pure function of (key, chain, sweep, layer, unit). It depends neither on the number of threads nor on the
order in which chains and units are visited.

Counter words 0 to 2 are the block (see `word_of_unit`), the chain, and the low 32 bits of the sweep. Word 3 has the
layer in its low 8 bits, and sweep >> 32 in the higher bits.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit

from logzoo.kernels import llvm
from logzoo.kernels.cache import part

HIDDEN = np.uint64(0)
VISIBLE = np.uint64(1)
RUNG = np.uint64(2)
START = np.uint64(3)
# This bit of counter word 3 selects the stream of the trailing halves of a layer's draws.
TRAILING = np.uint64(128)

# Number of blocks that serve _UNITS_TOGETHER units.
BLOCKS_TOGETHER = 4
_UNITS_TOGETHER = np.uint64(32)
_ROUNDS = 10
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(0xFFFF)
_32 = np.uint64(32)
_16 = np.uint64(16)
_4 = np.uint64(4)
_2 = np.uint64(2)
_8 = np.uint64(8)
_6 = np.uint64(6)
_2_TO_26 = np.uint64(67108864)
_2_TO_MINUS_52 = 1.0 / 4503599627370496.0


@part
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four 32-bit words (as uint64) from a counter of four words and a key of two."""
    for _ in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0, c2 = (product_1 >> _32) ^ c1 ^ k0, (product_0 >> _32) ^ c3 ^ k1
        c1, c3 = product_1 & _LOW, product_0 & _LOW
        k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    return c0, c1, c2, c3


def emit_blocks(
    builder: ir.IRBuilder,
    count: int,
    block: ir.Value,
    c1: ir.Value,
    c2: ir.Value,
    c3: ir.Value,
    k0: ir.Value,
    k1: ir.Value,
) -> list[ir.Value]:
    """Emit Philox for `count` blocks from `block` on, one in each 64-bit lane; return the vectors of words 0 to 3.

    All words are 64-bit integers below 2**32.
    """
    vector = ir.VectorType(llvm.INT64, count)

    def everywhere(value):
        return llvm.everywhere(builder, value, count)

    def low(value):
        return builder.and_(value, llvm.constant(value.type, int(_LOW)))

    def product(factor, word):
        return builder.mul(llvm.constant(vector, int(factor)), low(word))

    def high(value):
        return builder.lshr(value, llvm.constant(vector, 32))

    c0 = builder.add(everywhere(block), ir.Constant(vector, list(range(count))))
    c1, c2, c3 = everywhere(c1), everywhere(c2), everywhere(c3)
    for number in range(_ROUNDS):
        if number:
            k0, k1 = (low(llvm.after(builder, key, int(step))) for key, step in ((k0, _WEYL_0), (k1, _WEYL_1)))
        product_0, product_1 = product(_MULTIPLIER_0, c0), product(_MULTIPLIER_1, c2)
        # The XOR with the key comes first, because it does not depend on the products.
        c1, c3 = builder.xor(c1, everywhere(k0)), builder.xor(c3, everywhere(k1))
        c0, c2 = builder.xor(high(product_1), c1), builder.xor(high(product_0), c3)
        c1, c3 = product_1, product_0
    return [low(word) for word in (c0, c1, c2, c3)]


@njit(inline="always")
def stream_words(key: np.uint64, sweep: int, layer: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Counter words 2 and 3 and the two words of the key, as uint64."""
    return np.uint64(sweep) & _LOW, layer | ((np.uint64(sweep) >> _32) << _8), key & _LOW, key >> _32


@part
def word_of_unit(key: np.uint64, chain: np.uint64, sweep: int, layer: np.uint64, unit: Any) -> np.uint32:
    """The 32-bit draw of one unit (uint32).

    Four blocks give 32 units their leading halves. First come the low halves of words 0 and 1 of each block in turn,
    then the high halves of these words. Words 2 and 3 follow in the same way. Trailing halves come from a separate
    stream: the low half of word 0 of block `unit`.
    """
    unit = np.uint64(unit)
    c1 = np.uint64(chain)
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    position = unit % _UNITS_TOGETHER
    w0, w1, w2, w3 = philox(unit // _UNITS_TOGETHER * _4 + position % _8 // _2, c1, c2, c3, k0, k1)
    first, second = (w2, w3) if position >= _16 else (w0, w1)
    word = second if position % _2 else first
    leading = word >> _16 if position & _8 else word & _HALF
    trailing, _, _, _ = philox(unit, c1, c2, c3 | TRAILING, k0, k1)
    return np.uint32(leading << _16 | trailing & _HALF)


@njit(inline="always")
def cell_centre(high: np.uint64, low: np.uint64) -> float:
    """A uniform draw in (0, 1) from two 32-bit words. It is the centre of one of 2**52 cells, so never 0 or 1."""
    return (float((high >> _6) * _2_TO_26 + (low >> _6)) + 0.5) * _2_TO_MINUS_52


@part
def uniform(key: np.uint64, chain: np.uint64, sweep: int, layer: np.uint64) -> float:
    """One uniform draw in (0, 1), of 52 bits."""
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    w0, w1, _, _ = philox(np.uint64(0), np.uint64(chain), c2, c3, k0, k1)
    return cell_centre(w0, w1)
