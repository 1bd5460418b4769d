"""Naive mean field from many starts at once, hill climbing by single flips, and mixtures of product laws.

Legend: means m (V, lanes) and q (H, lanes), one start in each lane; W (V, H) weights, c (V,) visible and b (H,) hidden
bias; S(x) = -x log x - (1 - x) log(1 - x).

    m = sigmoid(c + W q)        q = sigmoid(b + m W)        F1 = c.m + sum_i S(m_i) + sum_j softplus(b_j + (m W)_j)

Sums over units run in the same order in every lane, without fused multiply-add. So the results of a start do not
depend on the other lanes or on the width of the vectors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import ZERO, copy_into, exp_wide, exponentiate, sigmoid, sigmoid_single, softplus

if TYPE_CHECKING:
    from logzoo.types import Array


# Number of lanes updated in one pass over the weights: four vectors of float32. 784 rows of these lanes fit the level-2
# cache.
LANES = 32
# Number of lanes in a vector of 256 bits. The number of lanes in use is rounded up to a multiple of it.
_VECTOR = 8
# Number of units whose terms are computed together in a climb: the product of their factors is at most 2**512.
_TOGETHER = 512


@kernel
def fill_inputs(weights: Array, bias: Array, x: Array, y: Array, lanes: int) -> None:
    """y (out, :lanes) = bias (out,) + weights (out, in) @ x (in, :lanes), all of one type, four inputs at a time."""
    whole = weights.shape[1] // 4 * 4
    for j in range(weights.shape[0]):
        sums = y[j]
        for lane in range(lanes):
            sums[lane] = bias[j]
        for i in range(0, whole, 4):
            w0, w1, w2, w3 = weights[j, i], weights[j, i + 1], weights[j, i + 2], weights[j, i + 3]
            x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
            for lane in range(lanes):
                sums[lane] += (w0 * x0[lane] + w1 * x1[lane]) + (w2 * x2[lane] + w3 * x3[lane])
        for i in range(whole, weights.shape[1]):
            w, last = weights[j, i], x[i]
            for lane in range(lanes):
                sums[lane] += w * last[lane]


@kernel(inline="always")
def fill_means(weights: Array, bias: Array, x: Array, y: Array, lanes: int) -> None:
    """y (out, :lanes) = sigmoid(bias (out,) + weights (out, in) @ x (in, :lanes)), all float32."""
    fill_inputs(weights, bias, x, y, lanes)
    for j in range(y.shape[0]):
        means = y[j]
        for lane in range(lanes):
            means[lane] = sigmoid_single(means[lane])


@part
def _copy_lane(source: Array, lane: int, target: Array, other: int) -> None:
    for unit in range(source.shape[0]):
        target[unit, other] = source[unit, lane]


@part
def _largest_changes(old: Array, new: Array, lanes: int, changes: Array) -> None:
    """changes (:lanes) = the largest |new - old| of each lane of two arrays (units, lanes)."""
    changes[:] = ZERO
    for unit in range(old.shape[0]):
        before, after = old[unit], new[unit]
        for lane in range(lanes):
            changes[lane] = max(changes[lane], abs(after[lane] - before[lane]))


@kernel
def settle(
    weights: Array,
    transposed: Array,
    visible_bias: Array,
    hidden_bias: Array,
    hidden: Array,
    steps: int,
    tolerance: np.float32,
) -> Array:
    """Update the means of both layers in turn from q = hidden (H, starts); returns the numbers of steps (starts,).

    All array arguments are float32; `hidden` is changed in place. A start ends when no q_j changes by more than
    `tolerance`, or after `steps` steps. The next start then takes the free lane.
    """
    visible, units, starts = weights.shape[0], weights.shape[1], hidden.shape[1]
    m, changes = np.empty((visible, LANES), np.float32), np.empty(LANES, np.float32)
    q, renewed = np.empty((units, LANES), np.float32), np.empty((units, LANES), np.float32)
    start_of, age, ages = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(starts, np.int64)
    q[:] = ZERO
    active = min(starts, LANES)
    following = active
    for lane in range(active):
        start_of[lane], age[lane] = lane, 0
        _copy_lane(hidden, lane, q, lane)
    while active:
        # Lanes after the active lanes keep finite values, which are not read.
        lanes = -(-active // _VECTOR) * _VECTOR
        fill_means(weights, visible_bias, q, m, lanes)
        fill_means(transposed, hidden_bias, m, renewed, lanes)
        _largest_changes(q, renewed, lanes, changes)
        q, renewed = renewed, q
        for lane in range(active - 1, -1, -1):
            age[lane] += 1
            if changes[lane] > tolerance and age[lane] < steps:
                continue
            _copy_lane(q, lane, hidden, start_of[lane])
            ages[start_of[lane]] = age[lane]
            if following < starts:
                _copy_lane(hidden, following, q, lane)
                start_of[lane], age[lane] = following, 0
                following += 1
            else:
                active -= 1
                _copy_lane(q, active, q, lane)
                start_of[lane], age[lane] = start_of[active], age[active]
    return ages


@kernel
def bound(
    weights: Array,
    transposed: Array,
    visible_bias: Array,
    hidden_bias: Array,
    hidden: Array,
    visible: Array,
    bounds: Array,
) -> None:
    """Set bounds (lanes,) to F1 in nats after one more step from q = hidden (H, lanes), and update both layers' means.

    All arrays are float64. F1 is at its maximum over q for the new m, so F1 is a lower bound of log Z even before
    convergence. With x = c + W q, S(sigmoid(x)) = log(1 + exp(-|x|)) + |x| sigmoid(-|x|): no terms cancel.
    """
    lanes = bounds.size
    bounds[:] = 0.0
    fill_inputs(weights, visible_bias, hidden, visible, lanes)
    for i in range(visible.shape[0]):
        for lane in range(lanes):
            size = abs(visible[i, lane])
            decay = math.exp(-size)
            rare = decay / (1.0 + decay)
            mean = 1.0 / (1.0 + decay) if visible[i, lane] >= 0.0 else rare
            bounds[lane] += visible_bias[i] * mean + (math.log1p(decay) + size * rare)
            visible[i, lane] = mean
    fill_inputs(transposed, hidden_bias, visible, hidden, lanes)
    for j in range(hidden.shape[0]):
        for lane in range(lanes):
            bounds[lane] += softplus(hidden[j, lane])
            hidden[j, lane] = sigmoid(hidden[j, lane])


@part
def _softplus_sum(x: Array, step: float, row: Array, positive: Array, factors: Array) -> float:
    """sum_i softplus(x_i + step row_i), relative error below 1e-9; positive and factors (_TOGETHER,) are scratch.

    softplus(y) = max(y, 0) + log(1 + exp(-|y|)). Many factors are multiplied before one logarithm is taken. Sums and
    products repeatedly fold the second half into the first, so that the order is the same for vectors of any width.
    """
    total = 0.0
    for first in range(0, x.size, _TOGETHER):
        width = min(_TOGETHER, x.size - first)
        inputs, weights = x[first : first + width], row[first : first + width]
        for i in range(width):
            y = inputs[i] + step * weights[i]
            positive[i] = max(y, 0.0)
            factors[i] = 1.0 + exp_wide(-abs(y))
        while width > 1:
            half = (width + 1) // 2
            for i in range(width - half):
                positive[i] += positive[half + i]
                factors[i] *= factors[half + i]
            width = half
        total += positive[0] + math.log(factors[0])
    return total


@kernel
def climb(
    weights: Array, bias: Array, other_bias: Array, states: Array, passes: int, gain: float
) -> tuple[Array, Array]:
    """Flip one unit of a layer at a time as long as a flip raises log g by more than `gain` nats.

    weights (units, others), bias (units,) and other_bias (others,), all float64; states (n, units) of 0 and 1, changed
    in place. Returns log g (n,) of the final states and the number of passes over all units (n,), at most `passes`. g
    is the sum of exp(-energy) over the other layer.
    """
    x, positive, factors = np.empty(other_bias.size), np.empty(_TOGETHER), np.empty(_TOGETHER)
    heights, passed = np.empty(states.shape[0]), np.empty(states.shape[0], np.int64)
    for start in range(states.shape[0]):
        state, biased = states[start], 0.0
        passed[start] = 0
        copy_into(x, other_bias)
        for unit in range(state.size):
            if state[unit]:
                biased += bias[unit]
                for i in range(x.size):
                    x[i] += weights[unit, i]
        summed, moved = _softplus_sum(x, 0.0, weights[0], positive, factors), True
        while moved and passed[start] < passes:
            moved = False
            for unit in range(state.size):
                step, row = (-1.0 if state[unit] else 1.0), weights[unit]
                flipped = _softplus_sum(x, step, row, positive, factors)
                if step * bias[unit] + (flipped - summed) > gain:
                    moved, summed, biased = True, flipped, biased + step * bias[unit]
                    state[unit] = 1 - state[unit]
                    for i in range(x.size):
                        x[i] += step * row[i]
            passed[start] += 1
        heights[start] = biased + summed
    return heights, passed


@kernel
def fill_log_odds(means: Array, log_odds: Array, constants: Array) -> None:
    """Fill log_odds (modes, V) and constants (modes,) = log P(v = 0) of product laws with means (modes, V)."""
    constants[:] = 0.0
    for mode in range(means.shape[0]):
        for i in range(means.shape[1]):
            absent = math.log1p(-means[mode, i])
            constants[mode] += absent
            log_odds[mode, i] = math.log(means[mode, i]) - absent


@kernel
def log_ratio(
    transposed: Array,
    visible_bias: Array,
    hidden_bias: Array,
    log_odds: Array,
    constants: Array,
    v: Array,
    ratios: Array,
) -> None:
    """Set ratios (lanes,) to log f(v) - log sum_k exp(constants_k + log_odds_k.v), in nats, for lanes of v (V, lanes).

    transposed (H, V), all float64; log_odds (modes, V) and constants (modes,) of a mixture of product laws.
    """
    lanes, modes = ratios.size, constants.size
    inputs, laws = np.empty((hidden_bias.size, lanes)), np.empty((modes, lanes))
    fill_inputs(transposed, hidden_bias, v, inputs, lanes)
    fill_inputs(log_odds, constants, v, laws, lanes)
    terms = np.empty(modes)
    for lane in range(lanes):
        log_f = 0.0
        for i in range(visible_bias.size):
            log_f += visible_bias[i] * v[i, lane]
        for j in range(hidden_bias.size):
            log_f += softplus(inputs[j, lane])
        for mode in range(modes):
            terms[mode] = laws[mode, lane]
        largest, total = exponentiate(terms)
        ratios[lane] = log_f - (largest + math.log(total))
