"""Exact draws of RBMs whose hidden units come in a few groups of equals: no chain, no burn-in."""

import numpy as np
from scipy.special import expit

from logzoo.checks import whole_number
from logzoo.models.known.gauge import flip
from logzoo.models.known.grouped import log_terms


def exact_draws(rbm, count, generator):
    """Independent draws of the visible units, uint8 (count, visible), of an RBM of few groups of equal hidden units.

    The numbers of units that are on in each group are drawn from the terms of `grouped`, the visible units given these.
    Groups are found in the parameters, whatever permutations and flips hide them. Raises ValueError for more than 2**23
    combinations of these numbers.
    """
    columns, sizes, visible_bias, group_bias = groups(rbm)
    terms = log_terms(columns, sizes, visible_bias, group_bias)
    cumulated = np.cumsum(np.exp(terms - terms.max()))
    chosen = np.searchsorted(cumulated, cumulated[-1] * generator.random(whole_number("count", count)), side="right")
    counts = np.column_stack(np.unravel_index(np.minimum(chosen, terms.size - 1), terms.shape))
    on = expit(counts @ columns.T + visible_bias)
    return (generator.random(on.shape) < on).astype(np.uint8)


def groups(rbm):
    """columns (visible, group), sizes (group,), visible_bias and group_bias, as `grouped` takes them, of an RBM.

    Its hidden units are flipped so that the first weight of each that is not zero is above zero; the distribution of
    the visible units stays the same. Then units of the same weights and bias are a group.
    """
    weights = rbm.weights
    first = np.take_along_axis(weights, (weights != 0.0).argmax(axis=0)[None], axis=0)[0]
    other, _ = flip(rbm.transposed, 0.0, first < 0.0)
    units, sizes = np.unique(np.column_stack([other.weights, other.visible_bias]), axis=0, return_counts=True)
    return np.ascontiguousarray(units[:, :-1].T), sizes, other.hidden_bias, units[:, -1]
