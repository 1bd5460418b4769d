"""Visible units with values between 0 and 1: grey levels of the data, or probabilities in the place of draws.

Legend: x (chains, V) float32 visible values; hidden inputs b + x W in fixed point, as for binary units, so that the
hidden units are drawn by the same rule. Sums over units are float32, in the order of the units.
"""

import numpy as np
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.compiled import kernel
from logzoo.kernels.elementary import softplus
from logzoo.kernels.rows import WIDTH
from logzoo.kernels.statistics import hidden_probabilities

_ZERO = np.float32(0.0)
_STRIPS = WIDTH // llvm.WIDE_FLOATS.count
_BYTES = 4
# Sums that share what is read of the table: eight registers hold them.
_TOGETHER = 2 * llvm.WIDE


def _weighted_rows(sums_together):
    """An intrinsic: sums[n, :WIDTH] += sum_m factors[m step + n apart] table[m] for that many sums n.

    It takes the address of the table and its number of rows, the address of the factors, their `step` and `apart`, and
    the address of the sums; all of float32, rows of WIDTH. The sums stay in registers, and a row is read once for all
    of them; every product is rounded before it is added. Rows whose factors are all 0 are skipped.
    """

    @llvm.emitted(types.void, *[types.intp] * 6)
    def emit(builder, table, count, factors, step, apart, sums):
        numbers = range(sums_together)
        places = [llvm.after(builder, sums, llvm.constant(sums.type, n), WIDTH * _BYTES) for n in numbers]
        totals = [llvm.variables(builder, llvm.load_row(builder, place, llvm.WIDE_FLOATS, _STRIPS)) for place in places]
        with cgutils.for_range(builder, count) as loop:
            first = builder.mul(loop.index, step)
            steps = [builder.add(first, builder.mul(apart, llvm.constant(apart.type, n))) for n in numbers]
            own = [llvm.load(builder, llvm.after(builder, factors, place, _BYTES), llvm.FLOAT) for place in steps]
            some = llvm.constant(llvm.BIT, 0)
            for factor in own:
                some = builder.or_(some, builder.fcmp_unordered("!=", factor, llvm.constant(llvm.FLOAT, 0.0)))
            with builder.if_then(some):
                row = llvm.load_row(
                    builder, llvm.after(builder, table, loop.index, WIDTH * _BYTES), llvm.WIDE_FLOATS, _STRIPS
                )
                for factor, held in zip(own, totals, strict=True):
                    factor = llvm.everywhere(builder, factor, llvm.WIDE_FLOATS.count)
                    for total, values in zip(held, row, strict=True):
                        llvm.update(builder, builder.fadd, total, builder.fmul(factor, values))
        for place, held in zip(places, totals, strict=True):
            llvm.store_row(builder, held, place)

    return emit


_add_weighted_rows = _weighted_rows(1)
_add_to_several = _weighted_rows(_TOGETHER)


@njit(inline="always")
def _add_all(table, factors, step, apart, sums):
    """sums[n] += sum_m factors[m step + n apart] table[m] for all n; `factors` is an address."""
    rows, n = table.shape[0], 0
    while n < sums.shape[0]:
        place, target = factors + n * apart * _BYTES, sums[n].ctypes.data
        if n + _TOGETHER <= sums.shape[0]:
            _add_to_several(table.ctypes.data, rows, place, step, apart, target)
            n += _TOGETHER
        else:
            _add_weighted_rows(table.ctypes.data, rows, place, step, apart, target)
            n += 1


@kernel(nogil=True)
def update_hidden_inputs_of_values(parameters, x, chains):
    """Set the hidden inputs of every chain to b + x W, rounded to the unit."""
    sums = np.empty((x.shape[0], WIDTH), np.float32)
    table = np.empty(parameters.weights.shape[1:], np.float32)
    for block in range(parameters.weights.shape[0]):
        table[:] = parameters.weights[block]
        first = block * WIDTH
        sums[:] = _ZERO
        _add_all(table, x.ctypes.data, 1, x.shape[1], sums)
        for chain in range(x.shape[0]):
            for j in range(WIDTH):
                own = np.int32(np.rint(sums[chain, j]))
                chains.hidden_input[chain, first + j] = parameters.hidden_bias[first + j] + own


@kernel(nogil=True)
def probabilities(inputs, unit, p):
    """p (chains, units) float32 = sigmoid of a layer's inputs, multiples of `unit`: E[v | h] or E[h | v]."""
    for chain in range(p.shape[0]):
        hidden_probabilities(inputs[chain], unit, p[chain])


@kernel(nogil=True)
def add_products(x, y, factor, weights, visible_bias, hidden_bias):
    """Add factor * sum_n (x_n y_n', x_n, y_n) to the three parts of a gradient: (V, H), (V,), (H,) float32.

    x (n, V), y (n, H) float32.
    """
    count, visible = x.shape
    hidden = y.shape[1]
    sums = np.empty((visible, WIDTH), np.float32)
    table = np.zeros((count, WIDTH), np.float32)
    for first in range(0, hidden, WIDTH):
        width = min(WIDTH, hidden - first)
        for n in range(count):
            for j in range(width):
                table[n, j] = factor * y[n, first + j]
                hidden_bias[first + j] += table[n, j]
        sums[:] = _ZERO
        _add_all(table, x.ctypes.data, visible, 1, sums)
        for i in range(visible):
            for j in range(width):
                weights[i, first + j] += sums[i, j]
    for n in range(count):
        for i in range(visible):
            visible_bias[i] += factor * x[n, i]


@kernel
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
