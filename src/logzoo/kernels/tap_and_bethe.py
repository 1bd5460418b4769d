"""Approximations of log Z from a mean-field solution: expansions in the weights, and Bethe's free energy.

Legend: W (V, H) weights, c (V,) and b (H,) bias, all float64. Sums run in a fixed order, without fused multiply-add.

The expansions around product laws follow Plefka (1982) and Georges & Yedidia (1991). m (V,) and q (H,) are the means of
the units, A = m - m^2, and B = q - q^2. S is the entropy of a unit. W^(p) is W with every element to the power p.

    F1 = c.m + b.q + m W q + sum S(m) + sum S(q)
    F2 = F1 + 1/2 A W^(2) B
    F3 = F2 + 2/3 [A (1/2 - m)] W^(3) [B (1/2 - q)]

Belief propagation on the graph of the RBM, and the free energy of Bethe, follow Yedidia, Freeman & Weiss (2005).
to_visible and to_hidden (V, H) are the messages between units i and j. Units have the log-odds
U_i = c_i + sum_j to_visible_ij and T_j = b_j + sum_i to_hidden_ij. Without the other unit's message they are
u = U_i - to_visible_ij and t = T_j - to_hidden_ij.

    to_visible = softplus(W + t) - softplus(t)        to_hidden = softplus(W + u) - softplus(u)
    log Z_B = sum_i softplus(U_i) + sum_j softplus(T_j) - sum_ij log(1 + sigmoid(u) sigmoid(t) (exp(W) - 1))

gains (V, H) are exp(W) - 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into, sigmoid, softplus

if TYPE_CHECKING:
    from logzoo.types import Array


@part
def _entropy(mean: float) -> float:
    """S(mean) in nats."""
    other = 1.0 - mean
    return -(mean * math.log(mean) if mean > 0.0 else 0.0) - (other * math.log1p(-mean) if other > 0.0 else 0.0)


@part
def _fill_fields(weights: Array, bias: Array, means: Array, first: Array, second: Array, third: Array) -> None:
    """Set first, second, third (out,) to bias + W^T m, W^(2)^T A and W^(3)^T [A (1/2 - m)]; W (in, out), m (in,)."""
    copy_into(first, bias)
    second[:] = 0.0
    third[:] = 0.0
    for i in range(means.size):
        row, mean = weights[i], means[i]
        variance = mean * (1.0 - mean)
        skewed = variance * (0.5 - mean)
        for j in range(row.size):
            weight = row[j]
            square = weight * weight
            first[j] += mean * weight
            second[j] += variance * square
            third[j] += skewed * (square * weight)


@part
def _renew(means: Array, first: Array, second: Array, third: Array, order: int, damping: float) -> float:
    """Move means towards the sigmoid of the fields, with damping; returns the largest undamped change."""
    largest = 0.0
    for j in range(means.size):
        mean = means[j]
        field = first[j] - (mean - 0.5) * second[j]
        if order == 3:
            field += (2.0 * mean * mean - 2.0 * mean + 1.0 / 3.0) * third[j]
        change = sigmoid(field) - mean
        largest = max(largest, abs(change))
        means[j] = mean + (1.0 - damping) * change
    return largest


@kernel
def settle_tap(
    weights: Array,
    transposed: Array,
    visible_bias: Array,
    hidden_bias: Array,
    order: int,
    damping: float,
    steps: int,
    tolerance: float,
    m: Array,
    q: Array,
) -> tuple[int, float]:
    """Iterate the equations of Thouless, Anderson and Palmer to order 2 or 3 from means m (V,) and q (H,), in place.

    Returns the number of steps, at most `steps`, and the largest undamped change of the last step. The iteration ends
    when this change is at most `tolerance`.
    """
    of_hidden, of_visible = np.empty((3, q.size)), np.empty((3, m.size))
    residual, step = np.inf, 0
    while step < steps and residual > tolerance:
        _fill_fields(weights, hidden_bias, m, of_hidden[0], of_hidden[1], of_hidden[2])
        residual = _renew(q, of_hidden[0], of_hidden[1], of_hidden[2], order, damping)
        _fill_fields(transposed, visible_bias, q, of_visible[0], of_visible[1], of_visible[2])
        residual = max(residual, _renew(m, of_visible[0], of_visible[1], of_visible[2], order, damping))
        step += 1
    return step, residual


@kernel
def expanded(weights: Array, visible_bias: Array, hidden_bias: Array, m: Array, q: Array) -> tuple[float, float, float]:
    """(F1, F2, F3) in nats at means m (V,) and q (H,)."""
    fields = np.empty((3, q.size))
    _fill_fields(weights, hidden_bias, m, fields[0], fields[1], fields[2])
    first, second, third = 0.0, 0.0, 0.0
    for i in range(m.size):
        first += visible_bias[i] * m[i] + _entropy(m[i])
    for j in range(q.size):
        variance = q[j] * (1.0 - q[j])
        first += fields[0, j] * q[j] + _entropy(q[j])
        second += 0.5 * fields[1, j] * variance
        third += 2.0 / 3.0 * fields[2, j] * (variance * (0.5 - q[j]))
    return first, first + second, first + second + third


@part
def _fill_product(matrix: Array, x: Array, y: Array) -> None:
    """y (out,) = matrix^T x of a matrix (in, out)."""
    y[:] = 0.0
    for i in range(x.size):
        row, value = matrix[i], x[i]
        for j in range(y.size):
            y[j] += row[j] * value


@part
def _normalise(x: Array) -> float:
    """Divide x by its length and return the length; a vector of zeros is unchanged."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    length = math.sqrt(total)
    if length > 0.0:
        for i in range(x.size):
            x[i] /= length
    return length


@kernel
def largest_singular(matrix: Array, transposed: Array, start: Array, steps: int) -> float:
    """A lower bound of the largest singular value of a matrix (n, m), by power iterations; overwrites start (n,)."""
    y, length = np.empty(matrix.shape[1]), 0.0
    _normalise(start)
    for _ in range(steps):
        _fill_product(matrix, start, y)
        length = _normalise(y)
        _fill_product(transposed, y, start)
        length = _normalise(start)
    return length


@kernel
def fourth_moment(matrix: Array) -> float:
    """Sum of s^4 over the singular values s of a matrix (n, m), from the entries of matrix^T matrix."""
    total, sums = 0.0, np.empty(matrix.shape[1])
    for j in range(matrix.shape[1]):
        sums[:] = 0.0
        for i in range(matrix.shape[0]):
            row, value = matrix[i], matrix[i, j]
            for k in range(j, row.size):
                sums[k] += row[k] * value
        total += sums[j] * sums[j]
        for k in range(j + 1, sums.size):
            total += 2.0 * (sums[k] * sums[k])
    return total


# If |W| is larger, exp(W) - 1 is not used: it could overflow, or 1 + sigmoid (exp(W) - 1) could round to 0.
_LARGEST = 30.0


@part
def _message(weight: float, gain: float, field: float) -> float:
    """softplus(field + weight) - softplus(field)."""
    if abs(weight) > _LARGEST:
        return softplus(field + weight) - softplus(field)
    return math.log1p(sigmoid(field) * gain)


@part
def _pair(weight: float, gain: float, u: float, t: float) -> float:
    """log of the mean of exp(weight v h) over independent units with log-odds u and t."""
    if abs(weight) > _LARGEST:
        both = u + t + weight
        largest = max(max(both, 0.0), max(u, t))
        total = math.exp(both - largest) + math.exp(u - largest) + math.exp(t - largest) + math.exp(-largest)
        return largest + math.log(total) - softplus(u) - softplus(t)
    return math.log1p(sigmoid(u) * sigmoid(t) * gain)


@kernel
def start_messages(weights: Array, gains: Array, visible_fields: Array, to_visible: Array, to_hidden: Array) -> None:
    """Set the messages from visible units with log-odds visible_fields (V,); messages from hidden units become 0."""
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            to_visible[i, j] = 0.0
            to_hidden[i, j] = _message(weights[i, j], gains[i, j], visible_fields[i])


@part
def _fill_totals(bias: Array, to_hidden: Array, totals: Array) -> None:
    copy_into(totals, bias)
    for i in range(to_hidden.shape[0]):
        for j in range(totals.size):
            totals[j] += to_hidden[i, j]


@kernel
def settle_beliefs(
    weights: Array,
    gains: Array,
    visible_bias: Array,
    hidden_bias: Array,
    damping: float,
    steps: int,
    tolerance: float,
    to_visible: Array,
    to_hidden: Array,
) -> tuple[int, float]:
    """Pass messages (V, H) of both layers in place until the largest undamped change is at most `tolerance`.

    Returns the number of steps, at most `steps`, and the largest undamped change of the last step.
    """
    totals, residual, step = np.empty(hidden_bias.size), np.inf, 0
    while step < steps and residual > tolerance:
        _fill_totals(hidden_bias, to_hidden, totals)
        residual = 0.0
        for i in range(weights.shape[0]):
            row, gain, near, far = weights[i], gains[i], to_visible[i], to_hidden[i]
            total = visible_bias[i]
            for j in range(row.size):
                change = _message(row[j], gain[j], totals[j] - far[j]) - near[j]
                residual = max(residual, abs(change))
                near[j] += (1.0 - damping) * change
                total += near[j]
            for j in range(row.size):
                change = _message(row[j], gain[j], total - near[j]) - far[j]
                residual = max(residual, abs(change))
                far[j] += (1.0 - damping) * change
        step += 1
    return step, residual


@part
def _correlation(weight: float, gain: float, u: float, t: float) -> float:
    """Correlation of two units joined by a weight; u and t are their log-odds without this weight."""
    if weight == 0.0:
        return 0.0
    size = max(weight, 0.0) if abs(weight) > _LARGEST else math.log(abs(gain))
    spread = softplus(t + weight) + softplus(t) + softplus(u + weight) + softplus(u)
    return math.copysign(math.exp(0.5 * (u + t) + size - 0.5 * spread), weight)


@kernel
def bethe_energy(
    weights: Array,
    gains: Array,
    visible_bias: Array,
    hidden_bias: Array,
    to_visible: Array,
    to_hidden: Array,
    correlations: Array,
) -> float:
    """log Z_B in nats at messages (V, H); fills correlations (V, H) of visible with hidden units, from pair beliefs."""
    totals, energy = np.empty(hidden_bias.size), 0.0
    _fill_totals(hidden_bias, to_hidden, totals)
    for j in range(totals.size):
        energy += softplus(totals[j])
    for i in range(weights.shape[0]):
        total = visible_bias[i]
        for j in range(weights.shape[1]):
            total += to_visible[i, j]
        pairs = 0.0
        for j in range(weights.shape[1]):
            u, t = total - to_visible[i, j], totals[j] - to_hidden[i, j]
            pairs += _pair(weights[i, j], gains[i, j], u, t)
            correlations[i, j] = _correlation(weights[i, j], gains[i, j], u, t)
        energy += softplus(total) - pairs
    return energy
