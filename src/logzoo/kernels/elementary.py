"""Elementary functions. The functions that LLVM can vectorise give the same bits on every x86-64 processor.

Their multiplications and additions are in a fixed order, and fused only where the code fuses them explicitly. They call
no library. `exponentiate`, `add_softplus`, `sigmoid` and `softplus` call exp, log or log1p of the C library.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import njit, types

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.llvm import DOUBLE, INT32, INT64, call, constant, emitted

if TYPE_CHECKING:
    from logzoo.types import Array


ZERO, ONE = np.float32(0.0), np.float32(1.0)
# numba gives a literal 0 another type, and would compile a function for both types.
INTEGER_ZERO = np.int64(0)
LOG_2 = math.log(2.0)
LOG2_E = np.float32(1.4426950408889634)
_MANTISSA_BITS = 23
# Constants for powers of two. The first is 1.5 * 2**23: adding and then subtracting it rounds a float32 to the nearest
# integer. The second is the lowest argument. The others are the minimax polynomial of (2**r - 1) / r on |r| <= 1/2,
# which gives 2**r with a relative error below 1.1e-7.
_EXP2_CONSTANTS = np.array([12582912.0, -125.0, 0.69314698, 0.24022242, 0.05550734, 0.00967151, 0.00132647], np.float32)
# For smaller arguments exp_wide() returns exp(-700), about 1e-304, which is still a normal float64.
_LOWEST_WIDE = -700.0
_WIDE_LOG2_E = 1.4426950408889634
# Taylor coefficients of 2**r: log(2)**k / k!.
_T1, _T2, _T3 = 0.6931471805599453, 0.2402265069591007, 0.055504108664821576
_T4, _T5, _T6 = 0.009618129107628477, 0.0013333558146428441, 0.00015403530393381606
_T7, _T8, _T9 = 1.5252733804059838e-05, 1.3215486790144305e-06, 1.0178086009239696e-07
_WIDE_ROUNDER = 6755399441055744.0  # 1.5 * 2**52
_WIDE_BIAS = np.int64(1023)
_WIDE_MANTISSA_BITS = np.int64(52)
_EXPONENT_MASK, _MANTISSA_MASK = np.int64(0x7FF), np.int64(0xFFFFFFFFFFFFF)
_ONE_BITS = np.int64(0x3FF0000000000000)
# Limit of a product of factors that is multiplied further.
LARGEST_PRODUCT = 1e300


def _same_bits(returns, argument, kind):
    return emitted(returns, argument)(lambda builder, value: builder.bitcast(value, kind))


_double_from_bits = _same_bits(types.float64, types.int64, DOUBLE)
_bits_of_double = _same_bits(types.int64, types.float64, INT64)


def emit_exp2_nonpositive(builder: ir.IRBuilder, y: ir.Value, fused: bool = False) -> ir.Value:
    """2**y of a float32 y <= 0: relative error below 2e-7 down to y = -125, and 2**-125 for all y below.

    In exp(x) = 2**(LOG2_E x), rounding the product adds a relative error of 6e-8 |x|. y may be a vector.
    fused: fuse multiplications and additions of vectors, which is faster and gives other bits.
    """
    integers = ir.VectorType(INT32, y.type.count) if isinstance(y.type, ir.VectorType) else INT32
    rounder, lowest, *coefficients = (constant(y.type, float(value)) for value in _EXP2_CONSTANTS)
    y = builder.select(builder.fcmp_ordered(">", y, lowest), y, lowest)
    shifted = builder.fadd(y, rounder)
    r = builder.fsub(y, builder.fsub(shifted, rounder))
    p = coefficients.pop()
    for coefficient in (*reversed(coefficients), constant(y.type, 1.0)):
        p = call(builder, "fma", p, r, coefficient) if fused else builder.fadd(builder.fmul(p, r), coefficient)
    # The low bits of `shifted` are round(y). Adding them to the exponent of p multiplies p by 2**round(y).
    exponent = builder.shl(builder.bitcast(shifted, integers), constant(integers, _MANTISSA_BITS))
    return builder.bitcast(builder.add(builder.bitcast(p, integers), exponent), y.type)


@emitted(types.float32, types.float32)
def exp2_nonpositive(builder: ir.IRBuilder, y: ir.Value) -> ir.Value:
    """2**y of one float32 y <= 0, computed as in `emit_exp2_nonpositive`."""
    return emit_exp2_nonpositive(builder, y)


@njit(inline="always")
def sigmoid_single(x: np.float32) -> np.float32:
    """1 / (1 + exp(-x)) of a float32 without overflow."""
    decay = exp2_nonpositive(-abs(x) * LOG2_E)
    return (ONE if x >= ZERO else decay) / (ONE + decay)


@njit(inline="always")
def exp_wide(x: float) -> float:
    """exp(x) of a float64 x <= 0, with a relative error below 1e-9. For x below -700 it is exp(-700)."""
    y = max(x, _LOWEST_WIDE) * _WIDE_LOG2_E
    shifted = y + _WIDE_ROUNDER
    r = y - (shifted - _WIDE_ROUNDER)
    # The series to order 9 on |r| <= 1/2 has a remainder below 0.35**10 / 10! = 8e-12. Terms are added in pairs, so
    # that few operations depend on each other.
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + _T1 * r) + (_T2 + _T3 * r) * r2
    high = ((_T4 + _T5 * r) + (_T6 + _T7 * r) * r2) + (_T8 + _T9 * r) * r4
    # The low bits of `shifted` are round(y); the shift drops the other bits. (There is no packed conversion to int64
    # before AVX-512.)
    return (low + high * r4) * _double_from_bits((_bits_of_double(shifted) + _WIDE_BIAS) << _WIDE_MANTISSA_BITS)


@njit(inline="always")
def split_exponent(x: float) -> tuple[float, int]:
    """(mantissa in [1, 2), exponent) of a positive normal float64 x = mantissa * 2**exponent."""
    bits = _bits_of_double(x)
    exponent = ((bits >> _WIDE_MANTISSA_BITS) & _EXPONENT_MASK) - _WIDE_BIAS
    return _double_from_bits((bits & _MANTISSA_MASK) | _ONE_BITS), exponent


@njit(inline="always")
def copy_into(out: Array, source: Array) -> None:
    """out = source (n,), by a loop: numba takes three seconds to compile a slice assignment and its check of shapes."""
    for i in range(source.size):
        out[i] = source[i]


@part
def largest_of(x: Array) -> float:
    """The largest entry of x (n,). numba takes a third of a second to compile `x.max()` and its check for NaN."""
    largest = -np.inf
    for value in x:
        if value > largest:
            largest = value
    return largest


@kernel
def exponentiate(log_weights: Array) -> tuple[float, float]:
    """Replace log weights x (n,) by exp(x - max x); returns (max x, the sum of the new weights)."""
    largest, total = largest_of(log_weights), 0.0
    for i in range(log_weights.size):
        log_weights[i] = math.exp(log_weights[i] - largest)
        total += log_weights[i]
    return largest, total


@kernel
def add_softplus(inputs: Array, sums: Array) -> None:
    """sums (n,) += sum_i log(1 + exp(x_i)) of each row of inputs (n, units), float64.

    log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)). The factors 1 + exp(-|x|) are at most 2, so many of them are
    multiplied before one logarithm is taken.
    """
    for row in range(sums.size):
        total, product = 0.0, 1.0
        for i in range(inputs.shape[1]):
            total += max(inputs[row, i], 0.0)
            product *= 1.0 + math.exp(-abs(inputs[row, i]))
            if product > LARGEST_PRODUCT:
                total += math.log(product)
                product = 1.0
        sums[row] += total + math.log(product)


@part
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) of a float64 without overflow."""
    decay = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else decay) / (1.0 + decay)


@part
def softplus(x: float) -> float:
    """log(1 + exp(x)) of a float64 without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
