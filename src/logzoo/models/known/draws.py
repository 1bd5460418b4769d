"""Exact draws of RBMs whose log Z is known: no chain that has to be long enough, no burn-in."""

import numpy as np
from scipy.special import expit

from logzoo.checks import whole_number
from logzoo.models.known.gauge import flip
from logzoo.models.known.grouped import LARGEST_SUM, log_terms
from logzoo.models.known.narrow import LARGEST_WIDTH, narrow_draws, steps_of
from logzoo.models.known.past import drawn_from_the_past
from logzoo.models.known.spins import aligned, spins_of


def exact_draws(rbm, count, generator):
    """Independent draws of the visible units, uint8 (count, visible), of an RBM whose parameters show a way to them.

    The first that applies, whatever permutations and flips hide it: few groups of equal hidden units (at most 2**23
    combinations of how many are on), weights that make a narrow graph (`narrow`; at most 18 units in its front), and
    no field and no frustration (`past`). Raises ValueError where none does.
    """
    count = whole_number("count", count)
    columns, sizes, visible_bias, group_bias = groups(rbm)
    if np.prod(sizes + 1.0) <= LARGEST_SUM:
        return _draws_of_groups(columns, sizes, visible_bias, group_bias, count, generator)
    spins = spins_of(rbm)
    steps, width = steps_of(spins)
    signs = None if spins.fields.any() else aligned(spins)
    if width <= LARGEST_WIDTH:
        up = narrow_draws(steps, count, generator)
    elif signs is not None:
        up = drawn_from_the_past(spins, signs, count, generator)
    else:
        raise ValueError(
            f"rbm: no exact draws; expected groups of equal hidden units with at most {LARGEST_SUM} combinations of "
            f"counts, a graph of a front of at most {LARGEST_WIDTH} units, found {width}, or neither field nor "
            f"frustration"
        )
    return up[:, : rbm.visible].astype(np.uint8)


def _draws_of_groups(columns, sizes, visible_bias, group_bias, count, generator):
    """Numbers of units that are on in each group from the terms of `grouped`, the visible units given these."""
    terms = log_terms(columns, sizes, visible_bias, group_bias)
    cumulated = np.cumsum(np.exp(terms - terms.max()))
    chosen = np.searchsorted(cumulated, cumulated[-1] * generator.random(count), side="right")
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
