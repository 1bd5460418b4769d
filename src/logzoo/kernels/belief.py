"""Belief propagation on the graph of an RBM, and the free energy of Bethe; Yedidia, Freeman & Weiss (2005).

Legend: to_visible and to_hidden (V, H) messages between units i and j, U_i = c_i + sum_j to_visible_ij and T_j = b_j +
sum_i to_hidden_ij, u = U_i - to_visible_ij and t = T_j - to_hidden_ij what a unit thinks without the other's message.

    to_visible = softplus(W + t) - softplus(t)        to_hidden = softplus(W + u) - softplus(u)
    log Z_B = sum_i softplus(U_i) + sum_j softplus(T_j) - sum_ij log(1 + sigmoid(u) sigmoid(t) (exp(W) - 1))

All float64; gains (V, H) are exp(W) - 1, read where |W| is small enough. Sums run in one order.
"""

import math

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import copy_into, softplus
from logzoo.kernels.expansion import sigmoid

# Weights beyond it are not read as exp(W) - 1, which could leave nothing of their sums with 1.
_LARGEST = 30.0


@part
def _message(weight, gain, field):
    """softplus(field + weight) - softplus(field)."""
    if abs(weight) > _LARGEST:
        return softplus(field + weight) - softplus(field)
    return math.log1p(sigmoid(field) * gain)


@part
def _pair(weight, gain, u, t):
    """log of the mean of exp(weight v h) over independent units with log-odds u and t."""
    if abs(weight) > _LARGEST:
        both, one, other = u + t + weight, u, t
        largest = max(max(both, 0.0), max(one, other))
        total = math.exp(both - largest) + math.exp(one - largest) + math.exp(other - largest) + math.exp(-largest)
        return largest + math.log(total) - softplus(u) - softplus(t)
    return math.log1p(sigmoid(u) * sigmoid(t) * gain)


@kernel(nogil=True)
def start_messages(weights, gains, visible_fields, to_visible, to_hidden):
    """Messages to hidden units from visible ones with log-odds visible_fields (V,); none to visible units."""
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            to_visible[i, j] = 0.0
            to_hidden[i, j] = _message(weights[i, j], gains[i, j], visible_fields[i])


@part
def _fill_totals(bias, to_hidden, totals):
    copy_into(totals, bias)
    for i in range(to_hidden.shape[0]):
        for j in range(totals.size):
            totals[j] += to_hidden[i, j]


@kernel(nogil=True)
def settle_beliefs(weights, gains, visible_bias, hidden_bias, damping, steps, tolerance, to_visible, to_hidden):
    """Pass messages (V, H) of both layers, in place, until the largest change asked for is below `tolerance`.

    Returns the steps made and that change.
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


@kernel(nogil=True)
def bethe_energy(weights, gains, visible_bias, hidden_bias, to_visible, to_hidden):
    """log Z_B in nats at messages (V, H)."""
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
        energy += softplus(total) - pairs
    return energy


@part
def _correlation(weight, gain, u, t):
    """Correlation of two units joined by a weight, with log-odds u and t but for it: below 1 in size."""
    if weight == 0.0:
        return 0.0
    size = max(weight, 0.0) if abs(weight) > _LARGEST else math.log(abs(gain))
    spread = softplus(t + weight) + softplus(t) + softplus(u + weight) + softplus(u)
    return math.copysign(math.exp(0.5 * (u + t) + size - 0.5 * spread), weight)


@kernel(nogil=True)
def fill_correlations(weights, gains, visible_bias, hidden_bias, to_visible, to_hidden, correlations):
    """correlations (V, H) of each unit with each of the other layer, by the beliefs of pairs."""
    totals = np.empty(hidden_bias.size)
    _fill_totals(hidden_bias, to_hidden, totals)
    for i in range(weights.shape[0]):
        total = visible_bias[i]
        for j in range(weights.shape[1]):
            total += to_visible[i, j]
        for j in range(weights.shape[1]):
            u, t = total - to_visible[i, j], totals[j] - to_hidden[i, j]
            correlations[i, j] = _correlation(weights[i, j], gains[i, j], u, t)
