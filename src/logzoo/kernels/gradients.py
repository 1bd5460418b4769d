"""Sufficient statistics of an RBM's likelihood gradient, for binary and grey visible units, and gradient steps.

Legend: v (n, V) uint8; x (n, V) float32 visible values between 0 and 1 (grey levels of the data, or probabilities in
place of draws); p = sigmoid(b + v W) (n, H) float32, with b and W as in `gibbs`. Hidden inputs b + x W are in fixed
point, as for binary units, so that the hidden units are drawn by the same rule. The sums x W and the gradients are
float32, in a fixed order, without BLAS: every machine gives the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit, types
from numba.core import cgutils

from logzoo.kernels import llvm
from logzoo.kernels.bitsets import list_set, pack
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import ZERO, copy_into, sigmoid_single, softplus
from logzoo.kernels.gibbs import WIDTH, layer_scratch

if TYPE_CHECKING:
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


# Number of chains whose p are stored together; for 500 hidden units these p fit the level-2 cache.
_CHAINS_TOGETHER = 64


# LLVM does not vectorise a division that can raise an error. With NumPy's error model this division cannot raise one.
@part(error_model="numpy")
def hidden_probabilities(hidden_input: Array, unit: np.float32, p: Array) -> None:
    """p (H,) = sigmoid of the integer hidden inputs of one chain, without overflow."""
    for j in range(p.size):
        p[j] = sigmoid_single(np.float32(hidden_input[j]) * unit)


@kernel
def add_statistics(
    parameters: Parameters, chains: Chains, factors: Array, weights: Array, visible_bias: Array, hidden_bias: Array
) -> None:
    """Add sum_n factors_n (v_n p_n', v_n, p_n) to the three parts of a gradient: (V, H), (V,), (H,) float32.

    factors (n,) float32; rows whose factor is zero are skipped. Hidden inputs must be up to date.
    """
    # Rows of p are factor_n p_n of some chains. members (V, n) lists, for each visible unit, the rows where it is on.
    p = np.empty((min(_CHAINS_TOGETHER, factors.size), hidden_bias.size), np.float32)
    members, counts = np.empty((visible_bias.size, p.shape[0]), np.int32), np.zeros(visible_bias.size, np.int64)
    words, ones, filled = layer_scratch(visible_bias.size)[0], chains.plus[0], 0
    for row in range(factors.size):
        factor = factors[row]
        if factor == ZERO:
            continue
        if filled == p.shape[0]:
            _add_rows(p, members, counts, weights)
            filled = 0
        q = p[filled]
        hidden_probabilities(chains.hidden_input[row], parameters.unit, q)
        for j in range(q.size):
            q[j] *= factor
            hidden_bias[j] += q[j]
        for word in range(words.size):
            words[word] = pack(chains.v[row], word)
        for m in range(list_set(words, ones)):
            i = ones[m]
            visible_bias[i] += factor
            members[i, counts[i]] = filled
            counts[i] += 1
        filled += 1
    _add_rows(p, members, counts, weights)


@kernel
def put_statistics(
    parameters: Parameters,
    near: Chains,
    factors: Array,
    far: Chains,
    far_factors: Array,
    weights: Array,
    visible_bias: Array,
    hidden_bias: Array,
) -> None:
    """Set a gradient to the sum of the statistics of two sets of chains, `near` and `far`."""
    weights[:] = ZERO
    visible_bias[:] = ZERO
    hidden_bias[:] = ZERO
    add_statistics(parameters, near, factors, weights, visible_bias, hidden_bias)
    add_statistics(parameters, far, far_factors, weights, visible_bias, hidden_bias)


@part
def _add_rows(p: Array, members: Array, counts: Array, weights: Array) -> None:
    """Add to each visible unit's weights the rows of p (n, H) listed in members (V, n), and empty the lists."""
    # The outer loop is over units, so that a unit's row of the weights stays in the level-1 cache.
    for i in range(counts.size):
        target = weights[i]
        for m in range(counts[i]):
            q = p[members[i, m]]
            for j in range(q.size):
                target[j] += q[j]
        counts[i] = 0


_STRIPS = WIDTH // llvm.WIDE_FLOATS.count
# Number of sums computed in one pass over the table; they fill eight registers.
_SUMS_TOGETHER = 2 * llvm.WIDE


def _weighted_rows(sums_together):
    """An intrinsic that computes sums[n, :WIDTH] += sum_m factors[m step + n apart] table[m] for all n < sums_together.

    table, factors and sums are addresses of float32 arrays; count is the number of rows, which have WIDTH columns. The
    sums stay in registers, and a row is read once for all sums. Every product is rounded before it is added. Rows whose
    factors are all 0 are skipped.
    """

    @llvm.emitted(types.void, *[types.intp] * 6)
    def emit(builder, table, count, factors, step, apart, sums):
        numbers = range(sums_together)
        targets = [llvm.after(builder, sums, llvm.constant(sums.type, n), WIDTH * llvm.BYTES) for n in numbers]
        totals = [llvm.variables(builder, llvm.load_row(builder, row, llvm.WIDE_FLOATS, _STRIPS)) for row in targets]
        with cgutils.for_range(builder, count) as loop:
            first = builder.mul(loop.index, step)
            steps = [builder.add(first, builder.mul(apart, llvm.constant(apart.type, n))) for n in numbers]
            several = [llvm.load(builder, llvm.after(builder, factors, n, llvm.BYTES), llvm.FLOAT) for n in steps]
            some = llvm.constant(llvm.BIT, 0)
            for factor in several:
                some = builder.or_(some, builder.fcmp_unordered("!=", factor, llvm.constant(llvm.FLOAT, 0.0)))
            with builder.if_then(some):
                row = llvm.load_row(
                    builder, llvm.after(builder, table, loop.index, WIDTH * llvm.BYTES), llvm.WIDE_FLOATS, _STRIPS
                )
                for factor, row_of_totals in zip(several, totals, strict=True):
                    factor = llvm.everywhere(builder, factor, llvm.WIDE_FLOATS.count)
                    for total, values in zip(row_of_totals, row, strict=True):
                        llvm.update(builder, builder.fadd, total, builder.fmul(factor, values))
        for target, row_of_totals in zip(targets, totals, strict=True):
            llvm.store_row(builder, row_of_totals, target)

    return emit


_add_weighted_rows = _weighted_rows(1)
_add_to_several = _weighted_rows(_SUMS_TOGETHER)


@njit(inline="always")
def _add_all(table: Array, factors: int, step: int, apart: int, sums: Array) -> None:
    """sums[n] += sum_m factors[m step + n apart] table[m] for all n; `factors` is an address."""
    rows, n = table.shape[0], 0
    while n < sums.shape[0]:
        source, target = factors + n * apart * llvm.BYTES, sums[n].ctypes.data
        if n + _SUMS_TOGETHER <= sums.shape[0]:
            _add_to_several(table.ctypes.data, rows, source, step, apart, target)
            n += _SUMS_TOGETHER
        else:
            _add_weighted_rows(table.ctypes.data, rows, source, step, apart, target)
            n += 1


@kernel
def update_hidden_inputs_of_values(parameters: Parameters, x: Array, chains: Chains) -> None:
    """Set the hidden inputs of every chain to b + x W, rounded to the unit."""
    sums = np.empty((x.shape[0], WIDTH), np.float32)
    table = np.empty(parameters.weights.shape[1:], np.float32)
    for block in range(parameters.weights.shape[0]):
        for i in range(len(table)):
            copy_into(table[i], parameters.weights[block, i])
        first = block * WIDTH
        sums[:] = ZERO
        _add_all(table, x.ctypes.data, 1, x.shape[1], sums)
        for chain in range(x.shape[0]):
            for j in range(WIDTH):
                rounded = np.int32(np.rint(sums[chain, j]))
                chains.hidden_input[chain, first + j] = parameters.hidden_bias[first + j] + rounded


@kernel
def probabilities(inputs: Array, unit: np.float32, p: Array) -> None:
    """p (chains, units) float32 = sigmoid of a layer's inputs, multiples of `unit`: E[v | h] or E[h | v]."""
    for chain in range(p.shape[0]):
        hidden_probabilities(inputs[chain], unit, p[chain])


@kernel
def add_products(
    x: Array, y: Array, factor: np.float32, weights: Array, visible_bias: Array, hidden_bias: Array
) -> None:
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
        sums[:] = ZERO
        _add_all(table, x.ctypes.data, visible, 1, sums)
        for i in range(visible):
            for j in range(width):
                weights[i, first + j] += sums[i, j]
    for n in range(count):
        for i in range(visible):
            visible_bias[i] += factor * x[n, i]


@kernel
def log_f_of_values(parameters: Parameters, x: Array, chains: Chains, out: Array) -> None:
    """out (chains,) = log f of x (chains, V) in nats, hidden units summed out. Hidden inputs must be up to date."""
    unit = np.float64(parameters.unit)
    for chain in range(out.size):
        total = 0.0
        for i in range(x.shape[1]):
            total += np.float64(x[chain, i]) * parameters.visible_bias[i]
        total *= unit
        for j in range(chains.h.shape[1]):
            total += softplus(chains.hidden_input[chain, j] * unit)
        out[chain] = total


# Mask of a float32 without its sign bit.
_SIZE = np.int32(0x7FFFFFFF)
# Number of values that are updated before their absolute values are read. These 8 kB are then in the level-1 cache.
_NUMBERS_TOGETHER = 2048


@kernel
def add_multiple(values: Array, rate: np.float32, direction: Array) -> np.float32:
    """values += rate * direction, all float32 and one-dimensional; returns the largest |value|, or NaN if any is NaN.

    The bits of absolute values, read as integers, have the same order as the values, with NaN above infinity. LLVM
    vectorises maxima of integers, but not of floats, because of NaN.
    """
    bits = values.view(np.int32)
    largest = np.zeros(1, np.int32)
    for first in range(0, values.size, _NUMBERS_TOGETHER):
        part, step = values[first : first + _NUMBERS_TOGETHER], direction[first : first + _NUMBERS_TOGETHER]
        for i in range(part.size):
            part[i] += rate * step[i]
        most = largest[0]
        sizes = bits[first : first + _NUMBERS_TOGETHER]
        for i in range(sizes.size):
            most = max(most, np.int32(sizes[i] & _SIZE))
        largest[0] = most
    return largest.view(np.float32)[0]
