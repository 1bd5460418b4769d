"""log Z without sampling, from a solution of mean field: expansions in the weights, and Bethe's approximation.

Neither is a bound in general. Fixed points are found by iteration, with damping if needed. The iteration may fail.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from logzoo.kernels.tap_and_bethe import (
    bethe_energy,
    expanded,
    fourth_moment,
    largest_singular,
    settle_beliefs,
    settle_tap,
    start_messages,
)
from logzoo.models.rbm import RBM
from logzoo.types import ArrayLike, Floats

# Dampings tried in turn, steps in a kernel call (a stretch), and largest number of stretches with one damping. The
# iteration has settled when no mean or message changes by more than _TOLERANCE. A damping is given up after a
# stretch that does not halve the change, because the change must fall to a hundredth per stretch. Undamped iteration
# settles within a third of the steps or not at all, so damping 0.5 starts from the beginning. Damping 0.9 continues
# from the last state of damping 0.5.
_DAMPINGS, _STRETCH, _STRETCHES, _TOLERANCE = (0.0, 0.5, 0.9), 60, 5, 1e-11
# Number of steps of the power method for the largest singular value. From a random start of n numbers, the result is
# at worst about 1 - log(n) / (2 steps) times this value. The factor _REACH compensates for the error.
_TURNS, _REACH = 200, 1.02
# Weights are clipped to +-30 before exp(W) - 1 is computed, to avoid overflow. The kernels do not use exp(W) - 1 of
# larger weights.
_LARGEST = 30.0


class Settled(NamedTuple):
    """Result of the iteration from a solution of mean field."""

    log_z: float  # nats
    steps: int
    settled: bool
    correlations: Any = None  # (V, H) of units joined by a weight, from Bethe's beliefs; None for TAP


def tap(rbm: RBM, visible: ArrayLike, hidden: ArrayLike, order: int = 3) -> Settled:
    """Expand log Z to order 2 or 3 at the fixed point reached from means (V,) and (H,) (Gabrié et al. 2015)."""
    weights, transposed, *biases = _parameters(rbm)
    m, q = np.empty(rbm.visible), np.empty(rbm.hidden)

    def begin():
        m[:], q[:] = visible, hidden

    def advance(damping):
        return settle_tap(weights, transposed, *biases, order, damping, _STRETCH, _TOLERANCE, m, q)

    steps, settled = _settle(begin, advance)
    return Settled(expanded(weights, *biases, m, q)[order - 1], steps, settled)


def bethe(rbm: RBM, visible: Floats) -> Settled:
    """Bethe's log Z at the fixed point of belief propagation, started from means of the visible units (V,).

    It is exact if the graph of non-zero weights is a forest. Source: Yedidia, Freeman & Weiss (2005).
    """
    weights, _, *biases = _parameters(rbm)
    gains = np.expm1(np.clip(weights, -_LARGEST, _LARGEST))
    messages = np.empty_like(weights), np.empty_like(weights)
    fields = np.clip(np.log(np.maximum(visible, 1e-300)) - np.log(np.maximum(1.0 - visible, 1e-300)), -700.0, 700.0)

    def advance(damping):
        return settle_beliefs(weights, gains, *biases, damping, _STRETCH, _TOLERANCE, *messages)

    steps, settled = _settle(partial(start_messages, weights, gains, fields, *messages), advance)
    correlations = np.empty_like(weights)
    log_z = bethe_energy(weights, gains, *biases, *messages, correlations)
    return Settled(log_z, steps, settled, correlations)


def is_forest(rbm: RBM) -> bool:
    """Whether the graph of non-zero weights has no cycle."""
    i, j = np.nonzero(rbm.weights)
    units = rbm.visible + rbm.hidden
    if i.size >= units:
        return False
    graph = coo_array((np.ones(i.size), (i, rbm.visible + j)), shape=(units, units))
    return bool(connected_components(graph, directed=False)[0] == units - i.size)


def gap_of_second_order(rbm: RBM, visible: ArrayLike, hidden: ArrayLike) -> float:
    """The term of second order of log Z in nats at means (V,) and (H,), never negative."""
    weights, _, *biases = _parameters(rbm)
    first, second, _ = expanded(weights, *biases, np.array(visible, float), np.array(hidden, float))
    return second - first


def cycles(correlations: Floats) -> float:
    """Bound in nats on the part of log Z from cycles of weights; infinite if the sum over walks may diverge.

    correlations (V, H): correlation of the two units that each weight joins. For a single cycle, Z is Bethe's Z times
    1 + the product of the correlations along the cycle (Chertkov & Chernyak 2006). Here all closed walks count,
    not only cycles. With the singular values s of the correlations, the sum over walks of four and more steps is
    1/2 sum [-log(1 - s^2) - s^2] <= sum s^4 / (4 (1 - max s^2)).
    """
    radius = _radius(correlations)
    smaller = correlations if correlations.shape[1] <= correlations.shape[0] else correlations.T
    smaller = np.ascontiguousarray(smaller)
    return fourth_moment(smaller) / (4.0 * (1.0 - radius**2)) if radius < 1.0 else np.inf


def contraction(rbm: RBM) -> float:
    """Contraction factor of mean field. Below 1, mean field contracts everywhere and has a single solution.

    The factor is an upper estimate of the largest singular value of sqrt(A) W sqrt(B). A and B are the largest
    variances of the visible and the hidden units over all means of the other layer.
    """
    visible, hidden = (np.sqrt(_largest_variances(near)) for near in (rbm, rbm.transposed))
    return _radius(visible[:, None] * rbm.weights * hidden)


def _largest_variances(rbm):
    """The largest variance (V,) of each visible unit over all hidden means."""
    low = rbm.visible_bias + np.minimum(rbm.weights, 0.0).sum(axis=1)
    high = rbm.visible_bias + np.maximum(rbm.weights, 0.0).sum(axis=1)
    nearest = np.clip(0.0, low, high)
    return expit(nearest) * expit(-nearest)


def _radius(matrix):
    """An upper estimate of the largest singular value."""
    start = np.random.default_rng(0).standard_normal(len(matrix))
    return _REACH * largest_singular(matrix, np.ascontiguousarray(matrix.T), start, _TURNS)


def _settle(begin, advance):
    """Try the dampings in turn until the iteration settles; return the number of steps, and whether it settled."""
    total = 0
    for last, damping in zip((0.0, *_DAMPINGS), _DAMPINGS, strict=False):
        if last == 0.0:
            begin()
        residual = np.inf
        for _ in range(_STRETCHES):
            before = residual
            steps, residual = advance(damping)
            total += steps
            if residual <= _TOLERANCE:
                return total, True
            if residual > 0.5 * before:
                break
    return total, False


def _parameters(rbm):
    """Weights (V, H), their transpose, visible bias and hidden bias, as contiguous arrays."""
    return rbm.weights, rbm.transposed.weights, rbm.visible_bias, rbm.hidden_bias
