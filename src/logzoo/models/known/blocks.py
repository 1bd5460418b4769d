"""RBMs side by side, which share no weights: log Z is a sum over them; and small ones that are enumerated."""

import math

import numpy as np

from logzoo.checks import positive_number, whole_number
from logzoo.models.rbm import RBM

# Units of the smaller layer that are enumerated, at most: a second for each model.
LARGEST_LAYER = 20


def blocks(parts):
    """The RBM that has those of `parts`, pairs (rbm, log_z), as blocks along the diagonal, and its log Z in nats.

    log Z is the sum; n blocks of two modes have 2^n modes together. Raises ValueError without any part.
    """
    parts = list(parts)
    if not parts:
        raise ValueError("parts: expected at least one pair (rbm, log_z), found none")
    rbms, log_zs = zip(*parts, strict=True)
    weights = np.zeros((sum(rbm.visible for rbm in rbms), sum(rbm.hidden for rbm in rbms)))
    row = column = 0
    for rbm in rbms:
        weights[row : row + rbm.visible, column : column + rbm.hidden] = rbm.weights
        row, column = row + rbm.visible, column + rbm.hidden
    biases = (np.concatenate([getattr(rbm, name) for rbm in rbms]) for name in ("visible_bias", "hidden_bias"))
    return RBM(weights, *biases), math.fsum(log_zs)


def random_blocks(generator, *, count=40, visible=20, hidden=12, scale=3.0, bias=0.1):
    """`blocks` of `count` models of `random_small`, visible x hidden each. Raises ValueError naming the argument."""
    options = {"visible": visible, "hidden": hidden, "scale": scale, "bias": bias}
    return blocks(random_small(generator, **options) for _ in range(whole_number("count", count)))


def random_small(generator, *, visible=784, hidden=16, scale=1.0, bias=0.5):
    """An RBM with weights N(0, scale^2), at most 20 units in the smaller layer, and its log Z in nats, enumerated.

    Biases balance the weights, so that a state and its reverse are equally probable, but for N(0, bias^2) added.
    Raises ValueError naming the argument.
    """
    # Imported where it is used, as it takes long.
    from logzoo.models.exact import exact_log_z

    visible, hidden = whole_number("visible", visible), whole_number("hidden", hidden)
    smaller = min(visible, hidden)
    if smaller > LARGEST_LAYER:
        raise ValueError(f"smaller layer: expected at most {LARGEST_LAYER} units, to enumerate, found {smaller}")
    weights = positive_number("scale", scale) * generator.standard_normal((visible, hidden))
    spread = positive_number("bias", bias, or_zero=True)
    offsets = (spread * generator.standard_normal(size) for size in (visible, hidden))
    biases = (offset - 0.5 * weights.sum(axis=axis) for axis, offset in zip((1, 0), offsets, strict=True))
    rbm = RBM(weights, *biases)
    return rbm, exact_log_z(rbm)
