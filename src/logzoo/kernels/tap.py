"""Expansions of log Z in the weights around product laws.

Legend: W (V, H) weights, c (V,) and b (H,) bias, all float64. Sums run in a fixed order, without fused multiply-add.

The expansions around product laws follow Plefka (1982) and Georges & Yedidia (1991). m (V,) and q (H,) are the means of
the units, A = m - m^2, and B = q - q^2. S is the entropy of a unit. W^(p) is W with every element to the power p.

    F1 = c.m + b.q + m W q + sum S(m) + sum S(q)
    F2 = F1 + 1/2 A W^(2) B
    F3 = F2 + 2/3 [A (1/2 - m)] W^(3) [B (1/2 - q)]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into, sigmoid

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
def _renew(means: Array, first: Array, second: Array, third: Array, damping: float) -> float:
    """Move means towards the sigmoid of the fields, with damping; returns the largest undamped change."""
    largest = 0.0
    for j in range(means.size):
        mean = means[j]
        field = first[j] - (mean - 0.5) * second[j]
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
    damping: float,
    steps: int,
    tolerance: float,
    m: Array,
    q: Array,
) -> tuple[int, float]:
    """Iterate the equations of Thouless, Anderson and Palmer to order 3 from means m (V,) and q (H,), in place.

    Returns the number of steps, at most `steps`, and the largest undamped change of the last step. The iteration ends
    when this change is at most `tolerance`.
    """
    of_hidden, of_visible = np.empty((3, q.size)), np.empty((3, m.size))
    residual, step = np.inf, 0
    while step < steps and residual > tolerance:
        _fill_fields(weights, hidden_bias, m, of_hidden[0], of_hidden[1], of_hidden[2])
        residual = _renew(q, of_hidden[0], of_hidden[1], of_hidden[2], damping)
        _fill_fields(transposed, visible_bias, q, of_visible[0], of_visible[1], of_visible[2])
        residual = max(residual, _renew(m, of_visible[0], of_visible[1], of_visible[2], damping))
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
