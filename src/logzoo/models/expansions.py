"""log Z without sampling, from a solution of mean field: expansions in the weights, and Bethe's approximation.

Neither is a bound in general. Fixed points are found by iteration, with damping if needed. The iteration may fail.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log1p

from logzoo.kernels.tap import expanded, settle_tap
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
# exp(W) - 1 of larger |W| is not used: it could overflow, or 1 + sigmoid (exp(W) - 1) could round to 0.
_LARGEST = 30.0


class Settled(NamedTuple):
    """Result of the iteration from a solution of mean field."""

    log_z: float  # nats
    steps: int
    settled: bool
    correlations: Any = None  # (V, H) of units joined by a weight, from Bethe's beliefs; None for TAP


def tap(rbm: RBM, visible: ArrayLike, hidden: ArrayLike) -> Settled:
    """Expand log Z to order 3 at the fixed point reached from means (V,) and (H,) (Gabrié et al. 2015)."""
    weights, transposed, *biases = _parameters(rbm)
    m, q = np.empty(rbm.visible), np.empty(rbm.hidden)

    def begin():
        m[:], q[:] = visible, hidden

    def advance(damping):
        return settle_tap(weights, transposed, *biases, damping, _STRETCH, _TOLERANCE, m, q)

    steps, settled = _settle(begin, advance)
    return Settled(expanded(weights, *biases, m, q)[2], steps, settled)


def bethe(rbm: RBM, visible: Floats) -> Settled:
    """Bethe's log Z at the fixed point of belief propagation, started from means of the visible units (V,).

    It is exact if the graph of non-zero weights is a forest. Source: Yedidia, Freeman & Weiss (2005). Units have the
    log-odds U_i = c_i + sum_j to_visible_ij and T_j = b_j + sum_i to_hidden_ij; u_ij = U_i - to_visible_ij and
    t_ij = T_j - to_hidden_ij leave out the message (V, H) of the other unit.

        to_visible = softplus(W + t) - softplus(t)        to_hidden = softplus(W + u) - softplus(u)
        log Z_B = sum_i softplus(U_i) + sum_j softplus(T_j) - sum_ij log(1 + sigmoid(u) sigmoid(t) (exp(W) - 1))
    """
    weights, _, visible_bias, hidden_bias = _parameters(rbm)
    gains, large = np.expm1(np.clip(weights, -_LARGEST, _LARGEST)), np.abs(weights) > _LARGEST
    log_odds = np.clip(np.log(np.maximum(visible, 1e-300)) - np.log(np.maximum(1.0 - visible, 1e-300)), -700.0, 700.0)
    biases, messages = (hidden_bias, visible_bias[:, None]), [weights, weights]  # to visible, to hidden units

    def message(field):
        small = log1p(expit(field) * gains)
        return np.where(large, _softplus(field + weights) - _softplus(field), small) if large.any() else small

    def totals(layer):
        return biases[layer] + messages[1 - layer].sum(axis=layer, keepdims=True)

    def begin():
        messages[:] = np.zeros(weights.shape), message(log_odds[:, None])

    def advance(damping):
        for step in range(1, _STRETCH + 1):
            residual = 0.0
            for layer in (0, 1):
                change = message(totals(layer) - messages[1 - layer]) - messages[layer]
                messages[layer] = messages[layer] + (1.0 - damping) * change
                residual = max(residual, float(np.abs(change).max()))
            if residual <= _TOLERANCE:
                return step, residual
        return _STRETCH, residual

    steps, settled = _settle(begin, advance)
    t, u = (totals(layer) - messages[1 - layer] for layer in (0, 1))
    both = np.logaddexp(np.logaddexp(u + t + weights, u), _softplus(t)) - _softplus(u) - _softplus(t)
    pairs = np.where(large, both, log1p(expit(u) * expit(t) * gains))
    log_z = float(_softplus(totals(0)).sum() + _softplus(totals(1)).sum() - pairs.sum())
    with np.errstate(divide="ignore"):  # the correlation of units without a weight is exp(-inf) = 0
        size = np.where(large, np.maximum(weights, 0.0), np.log(np.abs(gains)))
    spread = _softplus(t + weights) + _softplus(t) + _softplus(u + weights) + _softplus(u)
    return Settled(log_z, steps, settled, np.copysign(np.exp(0.5 * (u + t) + size - 0.5 * spread), weights))


def _softplus(x):
    return np.logaddexp(0.0, x)


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
    radius, (visible, hidden) = _radius(correlations), correlations.shape
    smaller = np.ascontiguousarray(correlations if visible >= hidden else correlations.T)
    gram = np.einsum("ij,ik->jk", smaller, smaller)
    # cumsum adds in a fixed order, while the order of sum depends on the width of vectors.
    moment = float(np.cumsum((2.0 - np.eye(len(gram))) * np.triu(gram) ** 2)[-1])
    return moment / (4.0 * (1.0 - radius**2)) if radius < 1.0 else np.inf


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
    """An upper estimate of the largest singular value, by power iterations."""
    x = np.random.default_rng(0).standard_normal(len(matrix))
    x /= np.sqrt(np.cumsum(x * x)[-1])
    turn = matrix, np.ascontiguousarray(matrix.T)
    for near in _TURNS * turn:
        x = np.einsum("ij,i->j", near, x)
        length = float(np.sqrt(np.cumsum(x * x)[-1]))
        x /= length or 1.0
    return _REACH * length


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
