"""Elementary functions that LLVM can vectorise, with the same bits on every x86-64 processor.

Plain multiplies and adds in a fixed order (no fused multiply-add, no library calls) in float32.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LOG2_E = np.float32(1.4426950408889634)
_ONE = np.float32(1.0)
_MANTISSA_BITS = np.int32(23)
# For exp2_nonpositive: 1.5 * 2**23, adding and subtracting which rounds a float32 to the nearest integer; the lowest
# argument; the minimax polynomial (2**r - 1) / r on |r| <= 1/2, which leaves 2**r a relative error below 1e-7.
_EXP2_CONSTANTS = np.array([12582912.0, -125.0, 0.69314698, 0.24022242, 0.05550734, 0.00967151, 0.00132647], np.float32)
# Below this exp_wide() returns exp(-700), about 1e-304: still a normal float64.
_LOWEST_WIDE = -700.0
_WIDE_LOG2_E = 1.4426950408889634
# Taylor coefficients of 2**r: log(2)**k / k!.
_TAYLOR_1 = 0.6931471805599453
_TAYLOR_2 = 0.2402265069591007
_TAYLOR_3 = 0.055504108664821576
_TAYLOR_4 = 0.009618129107628477
_TAYLOR_5 = 0.0013333558146428441
_TAYLOR_6 = 0.00015403530393381606
_TAYLOR_7 = 1.5252733804059838e-05
_TAYLOR_8 = 1.3215486790144305e-06
_TAYLOR_9 = 1.0178086009239696e-07
_WIDE_ROUNDER = 6755399441055744.0  # 1.5 * 2**52
_WIDE_BIAS = np.int64(1023)
_WIDE_MANTISSA_BITS = np.int64(52)


@intrinsic
def _float_from_bits(typing_context, bits):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@intrinsic
def _double_from_bits(typing_context, bits):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _bits_of_double(typing_context, value):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _bits_of_float(typing_context, value):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), generate


@njit(cache=True)
def exp2_constants():
    """Constants of `exp2_nonpositive` (7,) float32, as data.

    Handed in as data they stay in registers; written in the code, LLVM loads each anew in every step of a loop.
    """
    return _EXP2_CONSTANTS.copy()


@njit(inline="always")
def exp2_nonpositive(y, rounder, lowest, c1, c2, c3, c4, c5):
    """2**y of a float32 y <= 0: relative error below 2e-7 down to y = -125, and 2**-125 for all y below.

    As exp(x) = 2**(LOG2_E x) it inherits the rounding of the product, a relative error of 6e-8 |x|.
    """
    y = max(y, lowest)
    shifted = y + rounder
    r = y - (shifted - rounder)
    p = _ONE + r * (c1 + r * (c2 + r * (c3 + r * (c4 + r * c5))))
    # The low bits of `shifted` are round(y); added to the exponent of p they multiply by its power of two.
    return _float_from_bits(np.int32(_bits_of_float(p) + np.int32(_bits_of_float(shifted) << _MANTISSA_BITS)))


def emit_exp2_nonpositive(builder, y):
    """Emit exp2_nonpositive of a vector of float32: the same operations in the same order, so the same bits."""
    lanes = y.type.count
    integers = ir.VectorType(ir.IntType(32), lanes)
    rounder, lowest, *coefficients = (ir.Constant(y.type, [float(value)] * lanes) for value in _EXP2_CONSTANTS)
    y = builder.select(builder.fcmp_ordered(">", y, lowest), y, lowest)
    shifted = builder.fadd(y, rounder)
    r = builder.fsub(y, builder.fsub(shifted, rounder))
    p = coefficients.pop()
    for coefficient in (*reversed(coefficients), ir.Constant(y.type, [1.0] * lanes)):
        p = builder.fadd(builder.fmul(p, r), coefficient)
    exponent = builder.shl(builder.bitcast(shifted, integers), ir.Constant(integers, [int(_MANTISSA_BITS)] * lanes))
    return builder.bitcast(builder.add(builder.bitcast(p, integers), exponent), y.type)


@njit(inline="always")
def exp_wide(x):
    """exp(x) of a float64 x <= 0; relative error below 1e-9, exp(-700) for all x below -700."""
    y = max(x, _LOWEST_WIDE) * _WIDE_LOG2_E
    shifted = y + _WIDE_ROUNDER
    r = y - (shifted - _WIDE_ROUNDER)
    # To order 9 on |r| <= 1/2: remainder below 0.35**10 / 10! = 8e-12. In pairs, so that few
    # of its operations wait for one another.
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + _TAYLOR_1 * r) + (_TAYLOR_2 + _TAYLOR_3 * r) * r2
    high = ((_TAYLOR_4 + _TAYLOR_5 * r) + (_TAYLOR_6 + _TAYLOR_7 * r) * r2) + (_TAYLOR_8 + _TAYLOR_9 * r) * r4
    # The low bits of `shifted` are round(y); the shift drops the rest. (There is no packed conversion to int64 before
    # AVX-512.)
    return (low + high * r4) * _double_from_bits((_bits_of_double(shifted) + _WIDE_BIAS) << _WIDE_MANTISSA_BITS)


_EXPONENT_MASK = np.int64(0x7FF)
_MANTISSA_MASK = np.int64(0xFFFFFFFFFFFFF)
_ONE_BITS = np.int64(0x3FF0000000000000)


@njit(inline="always")
def split_exponent(x):
    """(mantissa in [1, 2), exponent) of a positive normal float64 x = mantissa * 2**exponent."""
    bits = _bits_of_double(x)
    exponent = ((bits >> _WIDE_MANTISSA_BITS) & _EXPONENT_MASK) - _WIDE_BIAS
    return _double_from_bits((bits & _MANTISSA_MASK) | _ONE_BITS), exponent


@njit(inline="always")
def copy_into(out, source):
    """out = source (n,). Assigned as a slice, numba compiles three seconds of text for an error of shapes with it."""
    for i in range(source.size):
        out[i] = source[i]
