"""Equivalent RBMs and the difference of their log Z: units of certain state are removed, or units are flipped.

A bias of -1e9 makes the state of a unit certain. Kernels store all parameters as multiples of one step, which grows
with the largest input. A parameter that only forces a state would therefore leave the other parameters too few digits.
"""

import math

import numpy as np

from logzoo.models.rbm import RBM
from logzoo.types import Array, Generator

# A unit's state is certain if its input is at least this many nats from 0. The other state then has a probability of at
# most exp(-50).
_CERTAIN = 50.0


def without_certain(rbm: RBM) -> tuple[RBM, float, Array, Array]:
    """The RBM without units of certain state, the constant to add to its log Z, and which visible units are left.

    The last two values are the indices of the visible units left, and the states (visible,) of the removed ones, with
    -1 for the others.
    A unit is removed if its input is at least 50 nats, or at most -50 nats, for every state of the other layer. The
    weights of a unit that is certainly on are added to the other layer's biases. Besides the constant, each removed
    unit changes log Z by at most exp(-50). If a layer would lose all units, one unit stays, with zero weights and bias.
    """
    weights = rbm.weights.astype(np.float64)
    biases = [rbm.visible_bias.astype(np.float64), rbm.hidden_bias.astype(np.float64)]
    remaining, forced = ([np.full(bias.size, value) for bias in biases] for value in (True, False))
    constant, left, before = 0.0, sum(rbm.weights.shape), np.inf
    while left < before:
        before = left
        # Both matrices share memory, so assignments to rows change `weights`.
        for layer, rows in enumerate((weights, weights.T)):
            bias = biases[layer]
            # The factor covers the rounding of the sums, which a large bias may nearly cancel.
            wider = 1.0 + rows.shape[1] * np.finfo(np.float64).eps
            on = bias + wider * np.minimum(rows, 0.0).sum(axis=1) >= _CERTAIN
            certain = on | (bias + wider * np.maximum(rows, 0.0).sum(axis=1) <= -_CERTAIN)
            constant += float(bias[on].sum())
            rows[certain], bias[certain] = 0.0, 0.0
            remaining[layer] &= ~certain
            forced[layer] |= on
            if on.any():
                other = remaining[1 - layer]
                biases[1 - layer][other] = _forced_biases(rbm if layer == 0 else rbm.transposed, forced[layer])[other]
        left = sum(np.count_nonzero(units) for units in remaining)
    known = np.where(remaining[0], -1, forced[0])
    for units in remaining:
        if not units.any():
            units[0] = True
            constant -= math.log(2.0)
    visible, hidden = (np.flatnonzero(units) for units in remaining)
    if left == sum(rbm.weights.shape):
        return rbm, 0.0, visible, known
    return RBM(weights[np.ix_(visible, hidden)], biases[0][visible], biases[1][hidden]), constant, visible, known


def _forced_biases(rbm, on):
    """Hidden biases with the weights of the visible units `on` added, correctly rounded.

    Large weights may cancel a large bias; a sum of floats would then lose the digits of small weights.
    """
    terms = np.vstack([rbm.hidden_bias, rbm.weights[on]]).astype(np.float64)
    # The factor prevents an overflow, for which math.fsum raises an error.
    return np.array([2.0**64 * math.fsum(column) for column in (2.0**-64 * terms).T.tolist()])


def gauged(rbm: RBM, log_z: float, generator: Generator) -> tuple[RBM, float]:
    """Permute and randomly flip units, which hides the family of a model; return the RBM and its log Z in nats."""
    for _ in range(2):
        flipped = generator.random(rbm.visible) < 0.5
        rbm, log_z = flip(rbm, log_z, flipped)
        order = generator.permutation(rbm.visible)
        # The second pass exchanges the layers back.
        rbm = RBM(rbm.weights[order], rbm.visible_bias[order], rbm.hidden_bias).transposed
    return rbm, log_z


def flip(rbm: RBM, log_z: float, flipped: Array) -> tuple[RBM, float]:
    """Replace v_i by 1 - v_i where `flipped` (visible,) is True; return the new RBM and its log Z in nats."""
    signs = np.where(flipped, -1.0, 1.0)
    added = rbm.weights[flipped].sum(axis=0)
    other = RBM(signs[:, None] * rbm.weights, signs * rbm.visible_bias, rbm.hidden_bias + added)
    return other, math.fsum([log_z, *-rbm.visible_bias[flipped]])
