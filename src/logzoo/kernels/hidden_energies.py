"""log f(h) of many hidden states, visible units summed out: log f(h) = b.h + sum_i log(1 + exp(x_i)), x = c + W h.

A state is cut into bytes. For each byte and each of its 256 values, exp of what these units add to x_i is tabulated
for a block of WIDTH visible units, by one multiplication from a value with one unit less; the table stays in the
level-2 cache while every state passes over it. A factor 1 + exp(x_i) then costs a multiplication for each byte and two
operations more, and one logarithm is taken for each state: exponents of the products are moved to integers.
"""

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from logzoo.kernels.elementary import split_exponent
from logzoo.kernels.rows import WIDTH

_BYTE = 8
_VALUES = 256
_LANES = 4
_LOG_2 = math.log(2.0)
# No sum of inputs beyond this has exponentials that vanish or overflow.
_LARGEST_INPUT = 700.0
# Larger products of a block of factors are not trusted.
_LARGEST_PRODUCT = 1e300


@njit(cache=True, nogil=True)
def log_f_hidden(parameters, rows, out):
    """log f(h) in nats of every state, rows (states, words) uint64, into `out` (states,) float64."""
    visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
    unit = np.float64(parameters.unit)
    codes = rows.view(np.uint8)
    count = -(-hidden // _BYTE)
    tables = np.empty((count, _VALUES, WIDTH))
    mantissas = np.ones(out.size)
    exponents = np.zeros(out.size, np.int64)
    _add_bias(parameters.hidden_bias, unit, codes, count, out)
    for block in range(parameters.weights_transposed.shape[0]):
        rows_of_block = parameters.weights_transposed[block]
        bias = parameters.visible_bias[block * WIDTH : (block + 1) * WIDTH]
        present = min(WIDTH, visible - block * WIDTH)
        if _largest_input(rows_of_block, bias, unit) < _LARGEST_INPUT:
            _fill_tables(rows_of_block, bias, present, unit, tables)
            _multiply(tables, codes, rows_of_block, bias, present, unit, mantissas, exponents, out)
        else:
            for state in range(out.size):
                out[state] += _sum_of_logs(rows_of_block, bias, present, unit, codes[state])
    for state in range(out.size):
        out[state] += math.log(mantissas[state]) + _LOG_2 * exponents[state]


@njit(cache=True)
def _add_bias(hidden_bias, unit, codes, count, out):
    """out (states,) = b.h, by a table of the sums of each byte."""
    sums = np.zeros((count, _VALUES), np.int64)
    for byte in range(count):
        for bit in range(_BYTE):
            # Units that are not there have a bias of 0, as far as blocks go.
            for value in range(1 << bit):
                sums[byte, value + (1 << bit)] = sums[byte, value] + hidden_bias[byte * _BYTE + bit]
    for state in range(out.size):
        total = np.int64(0)
        for byte in range(count):
            total += sums[byte, codes[state, byte]]
        out[state] = float(total) * unit


@njit(cache=True)
def _largest_input(rows, bias, unit):
    """The largest |c_i| + sum_j |W_ij| of a block of visible units."""
    largest = 0.0
    for i in range(WIDTH):
        total = abs(float(bias[i]))
        for j in range(rows.shape[0]):
            total += abs(float(rows[j, i]))
        largest = max(largest, total * unit)
    return largest


@njit(cache=True)
def _fill_tables(rows, bias, present, unit, tables):
    """tables (bytes, value, WIDTH) = exp of what the units of a byte add to x_i, the bias in the first byte's.

    Units that are not there have exp(x_i) = 0.
    """
    factor = np.empty(WIDTH)
    for byte in range(tables.shape[0]):
        for i in range(WIDTH):
            tables[byte, 0, i] = 1.0
            if byte == 0:
                tables[0, 0, i] = math.exp(float(bias[i]) * unit) if i < present else 0.0
        for bit in range(min(_BYTE, rows.shape[0] - byte * _BYTE)):
            for i in range(WIDTH):
                factor[i] = math.exp(float(rows[byte * _BYTE + bit, i]) * unit)
            for value in range(1 << bit):
                source, target = tables[byte, value], tables[byte, value + (1 << bit)]
                for i in range(WIDTH):
                    target[i] = source[i] * factor[i]


@intrinsic
def _product_of_block(typing_context, tables, codes, count):
    """prod_i (1 + prod_k tables[k, codes[k], i]) over a block of units; addresses of float64 and of uint8."""

    def generate(context, builder, signature, arguments):
        tables, codes, count = arguments
        vector = ir.VectorType(ir.DoubleType(), _LANES)
        strips = range(WIDTH // _LANES)

        def factors(byte):
            code = builder.load(builder.inttoptr(builder.add(codes, byte), ir.IntType(8).as_pointer()))
            row = builder.add(builder.mul(byte, ir.Constant(byte.type, _VALUES)), builder.zext(code, byte.type))
            place = builder.add(tables, builder.mul(row, ir.Constant(row.type, WIDTH * 8)))
            for strip in strips:
                address = builder.add(place, ir.Constant(place.type, strip * _LANES * 8))
                yield builder.load(builder.inttoptr(address, vector.as_pointer()), align=8)

        zero, one = (ir.Constant(count.type, number) for number in (0, 1))
        exponentials = [cgutils.alloca_once_value(builder, factor) for factor in factors(zero)]
        with cgutils.for_range_slice(builder, one, count, one) as (byte, _):
            for total, factor in zip(exponentials, factors(byte), strict=True):
                builder.store(builder.fmul(builder.load(total), factor), total)
        ones = ir.Constant(vector, [1.0] * _LANES)
        products = [builder.fadd(ones, builder.load(total)) for total in exponentials]
        while len(products) > 1:
            products = [builder.fmul(*pair) for pair in zip(products[::2], products[1::2], strict=True)]
        lanes = [builder.extract_element(products[0], ir.Constant(ir.IntType(32), lane)) for lane in range(_LANES)]
        return builder.fmul(builder.fmul(lanes[0], lanes[1]), builder.fmul(lanes[2], lanes[3]))

    return types.float64(types.intp, types.intp, types.intp), generate


@njit(cache=True)
def _multiply(tables, codes, rows, bias, present, unit, mantissas, exponents, out):
    """Multiply mantissas * 2**exponents (states,) by the factors of one block; what overflows is added to `out`."""
    first, step = codes.ctypes.data, codes.shape[1]
    for state in range(out.size):
        product = _product_of_block(tables.ctypes.data, first + state * step, tables.shape[0])
        if product < _LARGEST_PRODUCT:
            mantissa, power = split_exponent(mantissas[state] * product)
            mantissas[state] = mantissa
            exponents[state] += power
        else:
            out[state] += _sum_of_logs(rows, bias, present, unit, codes[state])


@njit(cache=True)
def _sum_of_logs(rows, bias, present, unit, code):
    """sum_i log(1 + exp(x_i)) over the units of a block, for whatever x_i."""
    total = 0.0
    for i in range(present):
        x = np.int64(bias[i])
        for j in range(rows.shape[0]):
            if code[j // _BYTE] >> (j % _BYTE) & 1:
                x += rows[j, i]
        value = float(x) * unit
        total += max(value, 0.0) + math.log1p(math.exp(-abs(value)))
    return total
