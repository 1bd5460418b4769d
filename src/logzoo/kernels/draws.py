"""Bernoulli draws of whole layers: P(1) = sigmoid(x), resolved to 2**-32.

A unit's draw is a 32-bit word. Its leading half decides nearly always, whatever the trailing half is; fewer than one
unit in 10,000 is looked at again, by the exact rule `draw_unit` and with the trailing half, which comes from a stream
of its own. The result is always that of the exact rule: how many units are looked at again changes the time only.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types

from logzoo.kernels import llvm
from logzoo.kernels.compaction import GROUP, WORD
from logzoo.kernels.elementary import LOG2_E, exp2_nonpositive
from logzoo.kernels.random import BLOCKS_TOGETHER, emit_four_blocks, stream_words, word_of_unit

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_HALF_WORD = np.float32(0.5)
_2_TO_MINUS_32 = np.float32(1.0 / 4294967296.0)
_BIT = np.uint32(1)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)

_BYTES = 4
# Minimax polynomial of 2**r on |r| <= 1/2: relative error below 2.7e-6.
_POLYNOMIAL = (0.99999928, 0.69312179, 0.24024744, 0.05591786, 0.0095701)
_ROUNDER = 12582912.0  # 1.5 * 2**23: adding and subtracting it rounds a float32 to the nearest integer.
_MANTISSA_BITS = 23
_TWO_TO_23 = 8388608.0
_TWO_TO_23_BITS = 0x4B000000
_HALVES = 65536.0
# Below 2**-30 only a leading half of zero can draw the rarer value: the power of two need not follow.
_LOWEST = -30.0
# A unit is open if its half is this close, in steps of the half, to the place where the draw changes. The trailing
# half moves it by at most 1, the power of two is off by at most 65536 * 2.7e-6 = 0.18, all rounding by less than 0.05.
_CLOSE = 1.5


@njit(inline="always")
def draw_unit(x, word):
    """The value (0 or 1) of a unit of logit x (float32) drawn with a 32-bit word: the exact rule.

    The rarer value is drawn with probability sigmoid(-|x|) <= 1/2, so both ends of the scale are resolved
    down to 2**-32 although float32 has only 24 bits near one.
    """
    decay = exp2_nonpositive(-abs(x) * LOG2_E)
    draw = (np.float32(word) + _HALF_WORD) * _2_TO_MINUS_32
    return (draw * (_ONE + decay) < decay) != (x > _ZERO)


def _floats(value):
    return llvm.constant(llvm.FLOATS, value)


def _integers(value):
    return llvm.constant(llvm.INTEGERS, value)


def emit_decision(builder, x, half):
    """Emit what eight leading halves (32-bit lanes) decide for logits x (float32): two masks, ones and open units.

    A unit that is not open is drawn as the exact rule would, whatever its trailing half. Only which units are open
    depends on anything approximate, so that multiplications and additions may be fused.
    """

    def bits(values):
        return builder.bitcast(values, llvm.INTEGERS)

    def floats(values):
        return builder.bitcast(values, llvm.FLOATS)

    # -|x| / log(2), clipped.
    y = floats(builder.or_(bits(builder.fmul(x, _floats(float(LOG2_E)))), _integers(-(1 << 31))))
    y = builder.select(builder.fcmp_ordered(">", y, _floats(_LOWEST)), y, _floats(_LOWEST))
    # decay = exp(-|x|), as in exp2_nonpositive.
    shifted = builder.fadd(y, _floats(_ROUNDER))
    r = builder.fsub(y, builder.fsub(shifted, _floats(_ROUNDER)))
    power = _floats(_POLYNOMIAL[-1])
    for coefficient in reversed(_POLYNOMIAL[:-1]):
        power = llvm.call(builder, "fmuladd", power, r, _floats(coefficient))
    decay = floats(builder.add(bits(power), builder.shl(bits(shifted), _integers(_MANTISSA_BITS))))
    # With half u and trailing part t in (0, 1), the rarer value is drawn if (u + t) (1 + decay) < 65536 decay, that is
    # if the excess decay (65536 - u) - u - 1 is above t (1 + decay) - 1, which lies between -1 and 1.
    u = floats(builder.or_(half, _integers(_TWO_TO_23_BITS)))  # 2**23 more
    left, passed = builder.fsub(_floats(_TWO_TO_23 + _HALVES), u), builder.fsub(_floats(_TWO_TO_23 - 1.0), u)
    excess = bits(llvm.call(builder, "fmuladd", decay, left, passed))
    size = floats(builder.and_(excess, _integers((1 << 31) - 1)))
    undecided = builder.fcmp_ordered("<", size, _floats(_CLOSE))
    # The excess is below zero where the common value is drawn, which is 1 where x > 0.
    flipped = builder.sext(builder.fcmp_ordered("<=", x, _floats(0.0)), llvm.INTEGERS)
    return builder.icmp_signed("<", builder.xor(excess, flipped), _integers(0)), undecided


def _emit_word(builder, masks):
    """Emit the word of 32 bits that masks make side by side."""
    while len(masks) > 1:
        lanes = ir.Constant(ir.VectorType(llvm.INT32, 2 * masks[0].type.count), list(range(2 * masks[0].type.count)))
        masks = [builder.shuffle_vector(*pair, lanes) for pair in zip(masks[::2], masks[1::2], strict=True)]
    return builder.bitcast(masks[0], llvm.INT32)


@llvm.emitted(types.uint64, types.intp, types.intp, *[types.float32] * 2, *[types.uint64] * 6)
def _draw_word(builder, inputs, base, scale, cold, block, c1, c2, c3, k0, k1):
    """Draw 32 units: the word of the ones, and above it the word of the units that are open."""

    def term(factor, address, group):
        integers = llvm.load(builder, llvm.after(builder, address, group, llvm.VECTOR_BYTES), llvm.INTEGERS)
        return builder.fmul(llvm.everywhere(builder, factor, GROUP), builder.sitofp(integers, llvm.FLOATS))

    words = emit_four_blocks(builder, block, c1, c2, c3, k0, k1)
    drawn, undecided = [], []
    for group in range(WORD // GROUP):
        first, second = words[group // 2 * 2 : group // 2 * 2 + 2]
        pairs = builder.bitcast(builder.or_(first, builder.shl(second, llvm.constant(first.type, 32))), llvm.INTEGERS)
        half = builder.lshr(pairs, _integers(16)) if group % 2 else builder.and_(pairs, _integers(0xFFFF))
        # The logits must be those of the exact rule, to the bit.
        x = builder.fadd(term(scale, inputs, group), term(cold, base, group))
        masks = emit_decision(builder, x, half)
        drawn.append(masks[0])
        undecided.append(masks[1])
    high, low = (builder.zext(_emit_word(builder, masks), llvm.INT64) for masks in (undecided, drawn))
    return builder.or_(low, builder.shl(high, llvm.constant(llvm.INT64, WORD)))


# Not inlined: every kernel that sweeps would compile it anew for each layer.
@njit(cache=True)
def draw_layer(inputs, base, scale, cold, key, chain, sweep, layer, drawn):
    """Draw one layer of one chain, of logits scale * inputs + cold * base: `drawn` becomes the set of its ones.

    inputs, base (units rounded up to 32,) int32; drawn (as many / 32,) uint32: units that are not there are drawn too.
    """
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    x, x0 = inputs.ctypes.data, base.ctypes.data
    for word in range(drawn.size):
        block = np.uint64(word * BLOCKS_TOGETHER)
        place = word * WORD * _BYTES
        both = _draw_word(x + place, x0 + place, scale, cold, block, chain, c2, c3, k0, k1)
        drawn[word] = np.uint32(both & _LOW)
        if both > _LOW:
            _settle(inputs, base, scale, cold, key, chain, sweep, layer, np.uint32(both >> _32), word, drawn)


@njit(cache=True)
def _settle(inputs, base, scale, cold, key, chain, sweep, layer, undecided, word, drawn):
    """Draw the undecided units of one word by the exact rule."""
    for place in range(WORD):
        bit = _BIT << np.uint32(place)
        if undecided & bit:
            unit = word * WORD + place
            x = scale * np.float32(inputs[unit]) + cold * np.float32(base[unit])
            drawn[word] &= ~bit
            if draw_unit(x, word_of_unit(key, chain, sweep, layer, unit)):
                drawn[word] |= bit
