"""Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror & Shaw 2011).

A draw is a pure function of (key, chain, sweep, layer, unit), so it depends neither on the number of
threads nor on the order in which chains and units are visited.

Counter words: 0 block, see `word_of_unit`; 1 chain; 2 sweep, low 32 bits; 3 layer in the low 8 bits, sweep >> 32 above.
"""

import numpy as np
from llvmlite import ir
from numba import njit

from logzoo.kernels.emitting import everywhere

HIDDEN = np.uint64(0)
VISIBLE = np.uint64(1)
RUNG = np.uint64(2)
START = np.uint64(3)
# With this bit set, the stream of the trailing halves of a layer's draws.
TRAILING = np.uint64(128)

# Blocks made together, for this many units.
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
_2_TO_MINUS_52 = 1.0 / 4503599627370496.0


@njit(cache=True)
def philox(c0, c1, c2, c3, k0, k1):
    """Four 32-bit words (as uint64) from a counter of four words and a key of two."""
    for _ in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0, c2 = (product_1 >> _32) ^ c1 ^ k0, (product_0 >> _32) ^ c3 ^ k1
        c1, c3 = product_1 & _LOW, product_0 & _LOW
        k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    return c0, c1, c2, c3


def emit_four_blocks(builder, block, c1, c2, c3, k0, k1):
    """Emit Philox of the blocks `block`, ..., `block` + 3, one a 64-bit lane: a list of the vectors of words 0, ..., 3.

    All are 64-bit integers below 2**32.
    """
    vector = ir.VectorType(ir.IntType(64), BLOCKS_TOGETHER)

    def constant(value):
        return ir.Constant(vector, [int(value)] * BLOCKS_TOGETHER)

    def next_key(key, step):
        return builder.and_(builder.add(key, ir.Constant(key.type, int(step))), ir.Constant(key.type, int(_LOW)))

    c0, c1, c2, c3 = (everywhere(builder, value, BLOCKS_TOGETHER) for value in (block, c1, c2, c3))
    c0 = builder.add(c0, ir.Constant(vector, list(range(BLOCKS_TOGETHER))))
    for number in range(_ROUNDS):
        if number:
            k0, k1 = next_key(k0, _WEYL_0), next_key(k1, _WEYL_1)
        product_0 = builder.mul(constant(_MULTIPLIER_0), builder.and_(c0, constant(_LOW)))
        product_1 = builder.mul(constant(_MULTIPLIER_1), builder.and_(c2, constant(_LOW)))
        # The key first: it need not wait for the products.
        c1 = builder.xor(c1, everywhere(builder, k0, BLOCKS_TOGETHER))
        c3 = builder.xor(c3, everywhere(builder, k1, BLOCKS_TOGETHER))
        c0 = builder.xor(builder.lshr(product_1, constant(_32)), c1)
        c2 = builder.xor(builder.lshr(product_0, constant(_32)), c3)
        c1, c3 = product_1, product_0
    return [builder.and_(word, constant(_LOW)) for word in (c0, c1, c2, c3)]


@njit(inline="always")
def stream_words(key, sweep, layer):
    """Counter words 2 and 3 and the two words of the key, as uint64."""
    return np.uint64(sweep) & _LOW, layer | ((np.uint64(sweep) >> _32) << _8), key & _LOW, key >> _32


@njit(cache=True)
def word_of_unit(key, chain, sweep, layer, unit):
    """The 32-bit draw of one unit (uint32).

    Four blocks serve 32 units with leading halves: the low halves of words 0 and 1 of each block in turn, the high
    halves of these, the low halves of words 2 and 3, and the high halves of these. Trailing halves come from a stream
    of their own: the low half of word 0 of block `unit`.
    """
    unit = np.uint64(unit)
    c1 = np.uint64(chain)
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    lane = unit % _UNITS_TOGETHER
    w0, w1, w2, w3 = philox(unit // _UNITS_TOGETHER * _4 + lane % _8 // _2, c1, c2, c3, k0, k1)
    first, second = (w2, w3) if lane >= _16 else (w0, w1)
    word = second if lane % _2 else first
    leading = word >> _16 if lane & _8 else word & _HALF
    trailing, _, _, _ = philox(unit, c1, c2, c3 | TRAILING, k0, k1)
    return np.uint32(leading << _16 | trailing & _HALF)


@njit(cache=True)
def uniform(key, chain, sweep, layer):
    """One uniform draw in (0, 1): the centre of one of 2**52 equal cells, which float64 holds, so never 0 or 1."""
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    w0, w1, _, _ = philox(np.uint64(0), np.uint64(chain), c2, c3, k0, k1)
    return (float((w0 >> _6) * np.uint64(67108864) + (w1 >> _6)) + 0.5) * _2_TO_MINUS_52
