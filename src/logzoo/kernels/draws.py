"""Bernoulli draws of whole layers: P(1) = sigmoid(x), resolved to 2**-32.

A unit's draw is a 32-bit word. Its leading half decides nearly always, whatever the trailing half is; fewer than one
unit in 10,000 is looked at again, by the exact rule `draw_unit` and with the trailing half, which comes from a stream
of its own. The result is always that of the exact rule: how many units are looked at again changes the time only.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from logzoo.kernels.compaction import GROUP, WORD
from logzoo.kernels.elementary import LOG2_E, exp2_nonpositive
from logzoo.kernels.emitting import everywhere, load
from logzoo.kernels.random import BLOCKS_TOGETHER, emit_four_blocks, stream_words, word_of_unit

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_HALF_WORD = np.float32(0.5)
_2_TO_MINUS_32 = np.float32(1.0 / 4294967296.0)
_BIT = np.uint32(1)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)

_INTEGERS = ir.VectorType(ir.IntType(32), GROUP)
_FLOATS = ir.VectorType(ir.FloatType(), GROUP)
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
def draw_unit(x, word, rounder, lowest, c1, c2, c3, c4, c5):
    """The value (0 or 1) of a unit of logit x (float32) drawn with a 32-bit word: the exact rule.

    The rarer value is drawn with probability sigmoid(-|x|) <= 1/2, so both ends of the scale are resolved
    down to 2**-32 although float32 has only 24 bits near one. The rest are constants of exp2_nonpositive.
    """
    decay = exp2_nonpositive(-abs(x) * LOG2_E, rounder, lowest, c1, c2, c3, c4, c5)
    draw = (np.float32(word) + _HALF_WORD) * _2_TO_MINUS_32
    return (draw * (_ONE + decay) < decay) != (x > _ZERO)


def _floats(value):
    return ir.Constant(_FLOATS, [value] * GROUP)


def _integers(value):
    return ir.Constant(_INTEGERS, [value] * GROUP)


def emit_decision(builder, x, half):
    """Emit what eight leading halves (32-bit lanes) decide for logits x (float32): two masks, ones and open units.

    A unit that is not open is drawn as the exact rule would, whatever its trailing half. Only which units are open
    depends on anything approximate, so that multiplications and additions may be fused.
    """
    fused_type = ir.FunctionType(_FLOATS, [_FLOATS] * 3)
    fused = cgutils.get_or_insert_function(builder.module, fused_type, f"llvm.fmuladd.v{GROUP}f32")
    # -|x| / log(2), clipped.
    y = builder.bitcast(builder.fmul(x, _floats(float(LOG2_E))), _INTEGERS)
    y = builder.bitcast(builder.or_(y, _integers(-(1 << 31))), _FLOATS)
    y = builder.select(builder.fcmp_ordered(">", y, _floats(_LOWEST)), y, _floats(_LOWEST))
    # decay = exp(-|x|), as in exp2_nonpositive.
    shifted = builder.fadd(y, _floats(_ROUNDER))
    r = builder.fsub(y, builder.fsub(shifted, _floats(_ROUNDER)))
    power = _floats(_POLYNOMIAL[-1])
    for coefficient in reversed(_POLYNOMIAL[:-1]):
        power = builder.call(fused, [power, r, _floats(coefficient)])
    exponent = builder.shl(builder.bitcast(shifted, _INTEGERS), _integers(_MANTISSA_BITS))
    decay = builder.bitcast(builder.add(builder.bitcast(power, _INTEGERS), exponent), _FLOATS)
    # With half u and trailing part t in (0, 1), the rarer value is drawn if (u + t) (1 + decay) < 65536 decay, that is
    # if the excess decay (65536 - u) - u - 1 is above t (1 + decay) - 1, which lies between -1 and 1.
    u = builder.bitcast(builder.or_(half, _integers(_TWO_TO_23_BITS)), _FLOATS)  # 2**23 more
    excess = builder.call(
        fused,
        [decay, builder.fsub(_floats(_TWO_TO_23 + _HALVES), u), builder.fsub(_floats(_TWO_TO_23 - 1.0), u)],
    )
    excess = builder.bitcast(excess, _INTEGERS)
    size = builder.bitcast(builder.and_(excess, _integers((1 << 31) - 1)), _FLOATS)
    undecided = builder.fcmp_ordered("<", size, _floats(_CLOSE))
    # The excess is below zero where the common value is drawn, which is 1 where x > 0.
    flipped = builder.sext(builder.fcmp_ordered("<=", x, _floats(0.0)), _INTEGERS)
    return builder.icmp_signed("<", builder.xor(excess, flipped), _integers(0)), undecided


def _emit_word(builder, masks):
    """Emit the word of 32 bits that four masks of eight make."""
    pairs = ir.Constant(ir.VectorType(ir.IntType(32), 2 * GROUP), list(range(2 * GROUP)))
    fours = ir.Constant(ir.VectorType(ir.IntType(32), 4 * GROUP), list(range(4 * GROUP)))
    low = builder.shuffle_vector(masks[0], masks[1], pairs)
    high = builder.shuffle_vector(masks[2], masks[3], pairs)
    return builder.bitcast(builder.shuffle_vector(low, high, fours), ir.IntType(WORD))


@intrinsic
def _draw_word(typing_context, inputs, base, scale, cold, block, c1, c2, c3, k0, k1):
    """Draw 32 units: the word of the ones, and above it the word of the units that are open."""

    def generate(context, builder, signature, arguments):
        inputs, base, scale, cold, block, *stream = arguments

        def terms(address, group):
            return builder.sitofp(load(builder, address, _INTEGERS, _BYTES, group * GROUP * _BYTES), _FLOATS)

        words = emit_four_blocks(builder, block, *stream)
        drawn, undecided = [], []
        for group in range(WORD // GROUP):
            first, second = words[group // 2 * 2 : group // 2 * 2 + 2]
            pairs = builder.or_(first, builder.shl(second, ir.Constant(first.type, [WORD] * BLOCKS_TOGETHER)))
            pairs = builder.bitcast(pairs, _INTEGERS)
            half = builder.lshr(pairs, _integers(16)) if group % 2 else builder.and_(pairs, _integers(0xFFFF))
            # The logits must be those of the exact rule, to the bit.
            x = builder.fmul(everywhere(builder, scale, GROUP), terms(inputs, group))
            x = builder.fadd(x, builder.fmul(everywhere(builder, cold, GROUP), terms(base, group)))
            masks = emit_decision(builder, x, half)
            drawn.append(masks[0])
            undecided.append(masks[1])
        wide = ir.IntType(64)
        high = builder.shl(builder.zext(_emit_word(builder, undecided), wide), ir.Constant(wide, WORD))
        return builder.or_(builder.zext(_emit_word(builder, drawn), wide), high)

    floats, words = [types.float32] * 2, [types.uint64] * 6
    return types.uint64(types.intp, types.intp, *floats, *words), generate


# Not inlined: every kernel that sweeps would compile it again for each layer.
@njit(cache=True)
def draw_layer(inputs, base, scale, cold, key, chain, sweep, layer, constants, drawn):
    """Draw one layer of one chain, of logits scale * inputs + cold * base: `drawn` becomes the set of its ones.

    inputs, base (units rounded up to 32,) int32; drawn (as many / 32,) uint32: units that are not there are drawn too.
    """
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    x, x0 = inputs.ctypes.data, base.ctypes.data
    for word in range(drawn.size):
        block = np.uint64(word * BLOCKS_TOGETHER)
        offset = word * WORD * _BYTES
        both = _draw_word(x + offset, x0 + offset, scale, cold, block, chain, c2, c3, k0, k1)
        drawn[word] = np.uint32(both & _LOW)
        if both > _LOW:
            undecided = np.uint32(both >> _32)
            _settle(inputs, base, scale, cold, key, chain, sweep, layer, constants, undecided, word, drawn)


@njit(cache=True)
def _settle(inputs, base, scale, cold, key, chain, sweep, layer, constants, undecided, word, drawn):
    """Draw the undecided units of one word by the exact rule."""
    rounder, lowest = constants[0], constants[1]
    c1, c2, c3, c4, c5 = constants[2], constants[3], constants[4], constants[5], constants[6]
    for lane in range(WORD):
        bit = _BIT << np.uint32(lane)
        if undecided & bit:
            unit = word * WORD + lane
            x = scale * np.float32(inputs[unit]) + cold * np.float32(base[unit])
            drawn[word] &= ~bit
            if draw_unit(x, word_of_unit(key, chain, sweep, layer, unit), rounder, lowest, c1, c2, c3, c4, c5):
                drawn[word] |= bit
