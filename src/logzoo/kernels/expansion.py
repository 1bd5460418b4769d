"""Expansions of log Z in the weights around product laws, after Plefka (1982) and Georges & Yedidia (1991).

Legend: means m (V,) and q (H,), A = m - m^2, B = q - q^2, W (V, H) weights, c (V,) and b (H,) bias, S the entropy of a
unit; W^(p) is W with every element to the power p. All float64.

    F1 = c.m + b.q + m W q + sum S(m) + sum S(q)
    F2 = F1 + 1/2 A W^(2) B
    F3 = F2 + 2/3 [A (1/2 - m)] W^(3) [B (1/2 - q)]

Sums run in one order, without fused multiply-add.
"""

import math

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import copy_into


@part
def sigmoid(x):
    """1 / (1 + exp(-x)) of a float64 without overflow."""
    decay = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else decay) / (1.0 + decay)


@part
def _entropy(mean):
    """S(mean) in nats."""
    other = 1.0 - mean
    return -(mean * math.log(mean) if mean > 0.0 else 0.0) - (other * math.log1p(-mean) if other > 0.0 else 0.0)


@part
def _fill_fields(weights, bias, means, first, second, third):
    """bias + W^T m, W^(2)^T A and W^(3)^T [A (1/2 - m)], each (out,), of weights (in, out) and means (in,)."""
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
def _renew(means, first, second, third, order, damping):
    """Move means to those that fields ask for; the largest change that was asked for."""
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


@kernel(nogil=True)
def settle_tap(weights, transposed, visible_bias, hidden_bias, order, damping, steps, tolerance, m, q):
    """The equations of Thouless, Anderson and Palmer to order 2 or 3 from means m (V,) and q (H,), in place.

    Returns the steps made and the largest change that the last one asked for. It ends below `tolerance`.
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


@kernel(nogil=True)
def expanded(weights, visible_bias, hidden_bias, m, q):
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
def _fill_product(matrix, x, y):
    """y (out,) = matrix^T x of a matrix (in, out)."""
    y[:] = 0.0
    for i in range(x.size):
        row, value = matrix[i], x[i]
        for j in range(y.size):
            y[j] += row[j] * value


@part
def _normalise(x):
    """Divide x by its length, which is returned; zeros stay."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    length = math.sqrt(total)
    if length > 0.0:
        for i in range(x.size):
            x[i] /= length
    return length


@kernel(nogil=True)
def largest_singular(matrix, transposed, start, steps):
    """The largest singular value of a matrix (n, m), from below, by `steps` power steps from start (n,), in place."""
    y, length = np.empty(matrix.shape[1]), 0.0
    _normalise(start)
    for _ in range(steps):
        _fill_product(matrix, start, y)
        length = _normalise(y)
        _fill_product(transposed, y, start)
        length = _normalise(start)
    return length


@kernel(nogil=True)
def fourth_moment(matrix):
    """Sum of the fourth powers of the singular values of a matrix (n, m): the sum of squares of matrix^T matrix."""
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
