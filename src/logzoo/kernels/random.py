"""Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror & Shaw 2011).

A draw is a pure function of (key, chain, sweep, layer, unit), so it depends neither on the number of
threads nor on the order in which chains and units are visited.

Counter words: 0 block of four units; 1 chain; 2 sweep, low 32 bits; 3 layer in the low 8 bits, sweep >> 32 above.
"""

import numpy as np
from numba import njit

HIDDEN = np.uint64(0)
VISIBLE = np.uint64(1)
RUNG = np.uint64(2)
START = np.uint64(3)

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_8 = np.uint64(8)
_6 = np.uint64(6)
_2_TO_MINUS_52 = 1.0 / 4503599627370496.0


@njit(inline="always")
def _round(c0, c1, c2, c3, k0, k1):
    # Words live in 64-bit lanes below 2**32: LLVM then maps each product to one packed 32x32 -> 64 multiply.
    product_0 = _MULTIPLIER_0 * c0
    product_1 = _MULTIPLIER_1 * c2
    return (product_1 >> _32) ^ c1 ^ k0, product_1 & _LOW, (product_0 >> _32) ^ c3 ^ k1, product_0 & _LOW


@njit(inline="always")
def philox(c0, c1, c2, c3, k0, k1):
    """Four 32-bit words (as uint64) from a counter of four words and a key of two."""
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    return _round(c0, c1, c2, c3, k0, k1)


@njit(cache=True)
def fill_words(key, chain, sweep, layer, words):
    """Fill `words` (4 n,) uint32 with the draws of one layer of one chain in one sweep.

    Unit u reads word u of the array; the block that makes it is u mod n, its lane u // n.
    """
    blocks = words.size // 4
    k0 = key & _LOW
    k1 = key >> _32
    c1 = np.uint64(chain)
    c2 = np.uint64(sweep) & _LOW
    c3 = layer | ((np.uint64(sweep) >> _32) << _8)
    # Slices, because an index that adds an offset keeps LLVM from packed stores.
    lane_0 = words[:blocks]
    lane_1 = words[blocks : 2 * blocks]
    lane_2 = words[2 * blocks : 3 * blocks]
    lane_3 = words[3 * blocks : 4 * blocks]
    for block in range(blocks):
        w0, w1, w2, w3 = philox(np.uint64(block), c1, c2, c3, k0, k1)
        lane_0[block] = np.uint32(w0)
        lane_1[block] = np.uint32(w1)
        lane_2[block] = np.uint32(w2)
        lane_3[block] = np.uint32(w3)


@njit(cache=True)
def uniform(key, chain, sweep, layer):
    """One uniform draw in (0, 1): the centre of one of 2**52 equal cells, which float64 holds, so never 0 or 1."""
    c3 = layer | ((np.uint64(sweep) >> _32) << _8)
    w0, w1, _, _ = philox(np.uint64(0), np.uint64(chain), np.uint64(sweep) & _LOW, c3, key & _LOW, key >> _32)
    return (float((w0 >> _6) * np.uint64(67108864) + (w1 >> _6)) + 0.5) * _2_TO_MINUS_52
