"""log f(h) of many hidden states, visible units summed out: log f(h) = b.h + sum_i log(1 + exp(x_i)), x = c + W h.

A state is split into bytes. Each block of WIDTH visible units has a table with an entry for each of the 256 values of
each byte. The entry has exp of the sum that the byte adds to x_i, for each i of the block. It is the product of an
earlier entry and the factor of one unit. The table takes 64 kB per byte of the state, or 32 kB in single precision. A
factor 1 + exp(x_i) then takes one operation per byte, plus one. Each state takes one logarithm, because exponents of
the products are moved to integers. For blocks whose factors are too large, a logarithm is taken for each unit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import LARGEST_PRODUCT, LOG_2, softplus, split_exponent
from logzoo.kernels.gibbs import WIDTH

if TYPE_CHECKING:
    from logzoo.kernels.gibbs import Parameters
    from logzoo.types import Array


_BYTE = 8
_VALUES = 256
# exp of partial sums of x_i up to these sizes neither underflows nor overflows, in single and double precision.
_LARGEST_SINGLE = 80.0
_LARGEST_DOUBLE = 700.0


@kernel
def log_f_hidden(parameters: Parameters, rows: Array, out: Array, single: bool) -> None:
    """log f(h) in nats of every state, rows (states, words) uint64, into `out` (states,) float64.

    single: use tables in single precision if they cannot overflow. With 500 hidden units this takes half the time, with
    errors of about 3e-7 times the square root of V.
    """
    visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
    unit = np.float64(parameters.unit)
    codes = rows.view(np.uint8)
    count = -(-hidden // _BYTE)
    tables = np.empty((count, _VALUES, WIDTH))
    single_tables = np.empty((count if single else 0, _VALUES, WIDTH), np.float32)
    products = np.ones(out.size), np.zeros(out.size, np.int64)
    _add_bias(parameters.hidden_bias, unit, codes, count, out)
    for number in range(parameters.weights_transposed.shape[0]):
        bias = parameters.visible_bias[number * WIDTH : (number + 1) * WIDTH]
        block = parameters.weights_transposed[number], bias, min(WIDTH, visible - number * WIDTH), unit
        largest = _largest_input(block)
        if single and largest < _LARGEST_SINGLE:
            _fill_tables(block, single_tables)
            _multiply(single_tables, codes, block, products, out)
        elif largest < _LARGEST_DOUBLE:
            _fill_tables(block, tables)
            _multiply(tables, codes, block, products, out)
        else:
            for state in range(out.size):
                out[state] += _sum_of_logs(block, codes[state])
    mantissas, exponents = products
    for state in range(out.size):
        out[state] += math.log(mantissas[state]) + LOG_2 * exponents[state]


@njit(inline="always")
def _add_bias(hidden_bias: Array, unit: float, codes: Array, count: int, out: Array) -> None:
    """out (states,) = b.h, from a table of the sums of each byte."""
    sums = np.zeros((count, _VALUES), np.int64)
    for byte in range(count):
        for bit in range(_BYTE):
            # Padding units of a block have a bias of 0.
            for value in range(1 << bit):
                sums[byte, value + (1 << bit)] = sums[byte, value] + hidden_bias[byte * _BYTE + bit]
    for state in range(out.size):
        total = np.int64(0)
        for byte in range(count):
            total += sums[byte, codes[state, byte]]
        out[state] = float(total) * unit


@part
def _largest_input(block: tuple[Array, Array, int, float]) -> float:
    """The largest sum of the positive terms of x_i, or of the absolute negative terms, for any unit i of a block."""
    rows, bias, present, unit = block
    largest = 0.0
    for i in range(present):
        plus, minus = max(float(bias[i]), 0.0), max(-float(bias[i]), 0.0)
        for j in range(rows.shape[0]):
            plus += max(float(rows[j, i]), 0.0)
            minus += max(-float(rows[j, i]), 0.0)
        largest = max(largest, plus * unit, minus * unit)
    return largest


@njit(inline="always")
def _fill_tables(block: tuple[Array, Array, int, float], tables: Array) -> None:
    """Set tables (bytes, value, WIDTH) to exp of the sum that a byte's units add to x_i; byte 0 includes the bias."""
    rows, bias, present, unit = block
    factor = np.empty(WIDTH, tables.dtype)
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


@llvm.emitted(types.float64, None, types.intp, types.intp, types.intp)
def _product_of_block(
    builder: ir.IRBuilder, entry: ir.Value, tables: ir.Value, codes: ir.Value, count: ir.Value
) -> ir.Value:
    """prod_i (1 + prod_k tables[k, codes[k], i]) over a block of units; `entry` has the type of the tables' entries.

    tables and codes (uint8) are addresses. The vectors of a block are multiplied before they are widened to float64.
    """
    size = 4 if entry.type == llvm.FLOAT else 8
    lanes = llvm.VECTOR_BYTES // size
    vector = ir.VectorType(entry.type, lanes)

    def factors(byte):
        code = builder.zext(llvm.load(builder, llvm.after(builder, codes, byte), llvm.INT8), byte.type)
        row = builder.add(builder.mul(byte, llvm.constant(byte.type, _VALUES)), code)
        return llvm.load_row(builder, llvm.after(builder, tables, row, WIDTH * size), vector, WIDTH // lanes)

    def multiplied(products):
        while len(products) > 1:
            products = [builder.fmul(*pair) for pair in zip(products[::2], products[1::2], strict=True)]
        return products[0]

    first, second = (llvm.constant(count.type, number) for number in (0, 1))
    exponentials = llvm.variables(builder, factors(first))
    with cgutils.for_range_slice(builder, second, count, second) as (byte, _):
        for total, factor in zip(exponentials, factors(byte), strict=True):
            llvm.update(builder, builder.fmul, total, factor)
    product = multiplied([builder.fadd(llvm.constant(vector, 1.0), builder.load(total)) for total in exponentials])
    if size == 4:
        product = builder.fpext(product, ir.VectorType(llvm.DOUBLE, lanes))
    return multiplied([builder.extract_element(product, llvm.constant(llvm.INT32, lane)) for lane in range(lanes)])


@part
def _multiply(
    tables: Array, codes: Array, block: tuple[Array, Array, int, float], products: tuple[Array, Array], out: Array
) -> None:
    """Multiply mantissas * 2**exponents (states,) by a block's factors. Add the log of too large factors to `out`."""
    mantissas, exponents = products
    first, step = codes.ctypes.data, codes.shape[1]
    for state in range(out.size):
        product = _product_of_block(tables[0, 0, 0], tables.ctypes.data, first + state * step, tables.shape[0])
        if product < LARGEST_PRODUCT:
            mantissa, power = split_exponent(mantissas[state] * product)
            mantissas[state] = mantissa
            exponents[state] += power
        else:
            out[state] += _sum_of_logs(block, codes[state])


@part
def _sum_of_logs(block: tuple[Array, Array, int, float], code: Array) -> float:
    """sum_i log(1 + exp(x_i)) over the units of a block, for x_i of any size."""
    rows, bias, present, unit = block
    total = 0.0
    for i in range(present):
        x = np.int64(bias[i])
        for j in range(rows.shape[0]):
            if code[j // _BYTE] >> (j % _BYTE) & 1:
                x += rows[j, i]
        total += softplus(float(x) * unit)
    return total
