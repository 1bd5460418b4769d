"""Visible units with values between 0 and 1: grey levels of the data, or probabilities in the place of draws.

Legend: x (chains, V) float32 visible values; hidden inputs b + x W in fixed point, as for binary units, so that the
hidden units are drawn by the same rule. Sums over units are float32, in the order of the units.
"""

import numpy as np
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.elementary import softplus
from logzoo.kernels.rows import WIDTH
from logzoo.kernels.statistics import hidden_probabilities

_ZERO = np.float32(0.0)
_STRIPS = WIDTH // llvm.WIDE_FLOATS.count
_BYTES = 4


@llvm.emitted(types.void, *[types.intp] * 5)
def _add_weighted_rows(builder, table, count, factors, step, sums):
    """sums[:WIDTH] += sum_m factors[m step] table[m]; addresses of float32, rows of WIDTH.

    Rows of factor 0 are skipped. The sums stay in registers; every product is rounded before it is added.
    """
    totals = llvm.variables(builder, llvm.load_row(builder, sums, llvm.WIDE_FLOATS, _STRIPS))
    with cgutils.for_range(builder, count) as loop:
        factor = llvm.load(builder, llvm.after(builder, factors, builder.mul(loop.index, step), _BYTES), llvm.FLOAT)
        with builder.if_then(builder.fcmp_unordered("!=", factor, llvm.constant(llvm.FLOAT, 0.0))):
            factor = llvm.everywhere(builder, factor, llvm.WIDE_FLOATS.count)
            row = llvm.load_row(
                builder, llvm.after(builder, table, loop.index, WIDTH * _BYTES), llvm.WIDE_FLOATS, _STRIPS
            )
            for total, values in zip(totals, row, strict=True):
                llvm.update(builder, builder.fadd, total, builder.fmul(factor, values))
    llvm.store_row(builder, totals, sums)


@njit(cache=True, nogil=True)
def update_hidden_inputs_of_values(parameters, x, chains):
    """Set the hidden inputs of every chain to b + x W, rounded to the unit."""
    sums = np.empty(WIDTH, np.float32)
    table = np.empty(parameters.weights.shape[1:], np.float32)
    for block in range(parameters.weights.shape[0]):
        table[:] = parameters.weights[block]
        first = block * WIDTH
        for chain in range(x.shape[0]):
            sums[:] = _ZERO
            _add_weighted_rows(table.ctypes.data, x.shape[1], x[chain].ctypes.data, 1, sums.ctypes.data)
            for j in range(WIDTH):
                chains.hidden_input[chain, first + j] = parameters.hidden_bias[first + j] + np.int32(np.rint(sums[j]))


@njit(cache=True, nogil=True)
def probabilities(inputs, unit, p):
    """p (chains, units) float32 = sigmoid of a layer's inputs, multiples of `unit`: E[v | h] or E[h | v]."""
    for chain in range(p.shape[0]):
        hidden_probabilities(inputs[chain], unit, p[chain])


@njit(cache=True, nogil=True)
def add_products(x, y, factor, weights, visible_bias, hidden_bias):
    """Add factor * sum_n (x_n y_n', x_n, y_n) to the three parts of a gradient: (V, H), (V,), (H,) float32.

    x (n, V), y (n, H) float32.
    """
    count, visible = x.shape
    hidden = y.shape[1]
    sums = np.empty(WIDTH, np.float32)
    table = np.zeros((count, WIDTH), np.float32)
    for first in range(0, hidden, WIDTH):
        width = min(WIDTH, hidden - first)
        for n in range(count):
            for j in range(width):
                table[n, j] = factor * y[n, first + j]
                hidden_bias[first + j] += table[n, j]
        for i in range(visible):
            sums[:] = _ZERO
            _add_weighted_rows(table.ctypes.data, count, x.ctypes.data + _BYTES * i, visible, sums.ctypes.data)
            for j in range(width):
                weights[i, first + j] += sums[j]
    for n in range(count):
        for i in range(visible):
            visible_bias[i] += factor * x[n, i]


@njit(cache=True)
def log_f_of_values(parameters, x, chains, out):
    """log f of every row of visible values x (chains,), hidden units summed out, in nats; inputs must be up to date."""
    unit = np.float64(parameters.unit)
    for chain in range(out.size):
        total = 0.0
        for i in range(x.shape[1]):
            total += np.float64(x[chain, i]) * parameters.visible_bias[i]
        total *= unit
        for j in range(chains.h.shape[1]):
            total += softplus(chains.hidden_input[chain, j] * unit)
        out[chain] = total
