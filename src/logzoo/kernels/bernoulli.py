"""Bernoulli draws of whole layers: P(1) = sigmoid(x), resolved to 2**-32.

A unit's draw is a 32-bit word. The leading half of the word nearly always decides the value. Otherwise the unit is
open: it is drawn again with both halves by the exact rule `draw_unit`. Trailing halves come from a separate stream.
Fewer than one unit in 10,000 is open. Every value equals the value by the exact rule, so open units only cost time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import njit, types

from logzoo.kernels import llvm
from logzoo.kernels.bitsets import GROUP, WORD
from logzoo.kernels.cache import part
from logzoo.kernels.elementary import LOG2_E, ONE, ZERO, exp2_nonpositive
from logzoo.kernels.llvm import BYTES, WIDE
from logzoo.kernels.random import BLOCKS_TOGETHER, emit_blocks, stream_words, word_of_unit

if TYPE_CHECKING:
    from logzoo.types import Array


_HALF_WORD = np.float32(0.5)
_2_TO_MINUS_32 = np.float32(1.0 / 4294967296.0)
_BIT = np.uint32(1)
_ONE_BIT = np.uint64(1)

# Minimax polynomial of 2**r on |r| <= 1/2: relative error below 2.7e-6.
_POLYNOMIAL = (0.99999928, 0.69312179, 0.24024744, 0.05591786, 0.0095701)
_ROUNDER = 12582912.0  # 1.5 * 2**23: adding and subtracting it rounds a float32 to the nearest integer.
_MANTISSA_BITS = 23
_TWO_TO_23 = 8388608.0
_TWO_TO_23_BITS = 0x4B000000
_HALVES = 65536.0
# Lower arguments of the power of two are raised to this value. This does not change which units are open: below a
# probability of 2**-30, exactly the units with leading half 0 are open.
_LOWEST = -30.0
# A unit is open if its excess (see `emit_decision`) is closer to 0 than this. The trailing half can decide if the
# excess is within 1 of 0. The power of two adds an error of 65536 * 2.7e-6 = 0.18, and rounding adds less than 0.05.
_CLOSE = 1.5


@njit(inline="always")
def draw_unit(x: np.float32, word: np.uint32) -> bool:
    """The exact rule: the value (0 or 1) of a unit of logit x (float32), drawn with a 32-bit word.

    The rarer value is drawn with probability sigmoid(-|x|) <= 1/2. Probabilities near 0 and near 1 are therefore
    resolved to 2**-32, although float32 has only 24 bits near 1.
    """
    decay = exp2_nonpositive(-abs(x) * LOG2_E)
    draw = (np.float32(word) + _HALF_WORD) * _2_TO_MINUS_32
    return (draw * (ONE + decay) < decay) != (x > ZERO)


def emit_decision(builder: ir.IRBuilder, x: ir.Value, half: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Emit draws with leading halves (32-bit lanes) at logits x (float32); return masks of ones and of open units.

    Approximations change only the set of open units, so multiplications and additions may be fused.
    """

    def _integers(value):
        return llvm.constant(half.type, value)

    def _floats(value):
        return llvm.constant(x.type, value)

    def bits(values):
        return builder.bitcast(values, half.type)

    def floats(values):
        return builder.bitcast(values, x.type)

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
    # With half n and trailing part t in (0, 1), the rarer value is drawn if (n + t) (1 + decay) < 65536 decay. Let
    # excess = decay * (65536 - n) - n - 1. The condition is excess > t (1 + decay) - 1, a bound between -1 and 1.
    u = floats(builder.or_(half, _integers(_TWO_TO_23_BITS)))  # 2**23 + half, exact in float32
    left, passed = builder.fsub(_floats(_TWO_TO_23 + _HALVES), u), builder.fsub(_floats(_TWO_TO_23 - 1.0), u)
    excess = bits(llvm.call(builder, "fmuladd", decay, left, passed))
    size = floats(builder.and_(excess, _integers((1 << 31) - 1)))
    undecided = builder.fcmp_ordered("<", size, _floats(_CLOSE))
    # Where the excess is below zero, the more frequent value is drawn. This value is 1 if x > 0.
    flipped = builder.sext(builder.fcmp_ordered("<=", x, _floats(0.0)), half.type)
    return builder.icmp_signed("<", builder.xor(excess, flipped), _integers(0)), undecided


def _emit_words(
    builder: ir.IRBuilder,
    count: int,
    inputs: ir.Value,
    base: ir.Value,
    drawn: ir.Value,
    scale: ir.Value,
    cold: ir.Value,
    *stream: ir.Value,
) -> ir.Value:
    """Emit the draws of one or two words of 32 units: store the ones, and return the open units (64 bits)."""
    integers, floats = llvm.WIDE_INTEGERS, llvm.WIDE_FLOATS

    def term(factor, address, number):
        values = llvm.load(builder, llvm.after(builder, address, number, llvm.bytes_of(integers)), integers)
        return builder.fmul(llvm.everywhere(builder, factor, floats.count), builder.sitofp(values, floats))

    blocks = emit_blocks(builder, BLOCKS_TOGETHER * count, *stream)
    pairs = []
    for first, second in (blocks[:2], blocks[2:]):
        both = builder.or_(first, builder.shl(second, llvm.constant(first.type, 32)))
        pairs.append(builder.bitcast(both, ir.VectorType(llvm.INT32, GROUP * count)))
    halves = []  # each entry has the halves of eight units
    for word in range(count):
        for pair in pairs:
            eight = llvm.lanes_of(builder, pair, pair, range(GROUP * word, GROUP * (word + 1)))
            halves += [
                builder.and_(eight, llvm.constant(eight.type, 0xFFFF)),
                builder.lshr(eight, llvm.constant(eight.type, 16)),
            ]
    masks = []
    for number in range(len(halves) // llvm.WIDE):
        half = llvm.joined(builder, halves[number * llvm.WIDE : (number + 1) * llvm.WIDE])
        # The logits must equal the logits of the exact rule to the bit.
        x = builder.fadd(term(scale, inputs, number), term(cold, base, number))
        masks.append(emit_decision(builder, x, half))
    words = ir.IntType(WORD * count)
    ones, undecided = (builder.bitcast(llvm.joined(builder, group), words) for group in zip(*masks, strict=True))
    llvm.store(builder, ones, drawn)
    return builder.zext(undecided, llvm.INT64) if count == 1 else undecided


def _draw_words(count):
    """An intrinsic that draws 32 or 64 units, stores the ones in `drawn` and returns the open units."""

    @llvm.emitted(types.uint64, *[types.intp] * 3, *[types.float32] * 2, *[types.uint64] * 6)
    def emit(builder, inputs, base, drawn, scale, cold, block, c1, c2, c3, k0, k1):
        return _emit_words(builder, count, inputs, base, drawn, scale, cold, block, c1, c2, c3, k0, k1)

    return emit


_draw_word, _draw_two_words = _draw_words(1), _draw_words(2)


# If this were inlined, numba would compile it for each layer in every kernel that sweeps.
@part
def draw_layer(
    inputs: Array,
    base: Array,
    scale: np.float32,
    cold: np.float32,
    key: np.uint64,
    chain: np.uint64,
    sweep: int,
    layer: np.uint64,
    drawn: Array,
) -> None:
    """Draw one layer of one chain at logits scale * inputs + cold * base; `drawn` becomes the set of its ones.

    inputs, base (units rounded up to a multiple of 32,) int32; drawn (words,) uint32. Padding units are drawn, too.
    """
    c2, c3, k0, k1 = stream_words(key, sweep, layer)
    word = 0
    while word < drawn.size:
        behind = word * WORD * BYTES
        x, x0, ones = inputs.ctypes.data + behind, base.ctypes.data + behind, drawn.ctypes.data + word * BYTES
        block = np.uint64(word * BLOCKS_TOGETHER)
        if WIDE == 2 and word + 1 < drawn.size:
            undecided, count = _draw_two_words(x, x0, ones, scale, cold, block, chain, c2, c3, k0, k1), 2
        else:
            undecided, count = _draw_word(x, x0, ones, scale, cold, block, chain, c2, c3, k0, k1), 1
        if undecided:
            _settle(inputs, base, scale, cold, key, chain, sweep, layer, undecided, word * WORD, drawn)
        word += count


@part
def _settle(
    inputs: Array,
    base: Array,
    scale: np.float32,
    cold: np.float32,
    key: np.uint64,
    chain: np.uint64,
    sweep: int,
    layer: np.uint64,
    undecided: np.uint64,
    first: int,
    drawn: Array,
) -> None:
    """Draw the open units among the 64 units from `first` on by the exact rule."""
    for bit in range(2 * WORD):
        if undecided >> np.uint64(bit) & _ONE_BIT:
            unit = first + bit
            x = scale * np.float32(inputs[unit]) + cold * np.float32(base[unit])
            word, mask = unit // WORD, _BIT << np.uint32(unit % WORD)
            drawn[word] &= ~mask
            if draw_unit(x, word_of_unit(key, chain, sweep, layer, unit)):
                drawn[word] |= mask
