"""An RBM as Ising spins on a graph: visible and hidden units are sites, weights are bonds."""

from typing import NamedTuple

import numpy as np

# Fields below this share of what cancels in them are rounding.
_ROUNDING = 1e-9


class Spins(NamedTuple):
    """Spins s = 2 x - 1 with log f = sum K s s' over bonds + sum F s over sites; visible units are the first sites."""

    first: np.ndarray  # (bond,) visible site
    second: np.ndarray  # (bond,) hidden site
    couplings: np.ndarray  # (bond,) K
    fields: np.ndarray  # (site,) F, 0 where it is rounding


def spins_of(rbm):
    """The `Spins` of an RBM, its weights that are not 0 as bonds: K = W / 4, F = bias / 2 + sum W / 4."""
    first, second = np.nonzero(rbm.weights)
    fields, sizes = (
        np.concatenate([0.5 * own + 0.25 * weights.sum(axis=1 - layer) for layer, own in enumerate(biases)])
        for weights, biases in (
            (rbm.weights, (rbm.visible_bias, rbm.hidden_bias)),
            (np.abs(rbm.weights), (np.abs(rbm.visible_bias), np.abs(rbm.hidden_bias))),
        )
    )
    fields = np.where(np.abs(fields) <= _ROUNDING * sizes, 0.0, fields)
    return Spins(first, second + rbm.visible, 0.25 * rbm.weights[first, second], fields)


def neighbours_of(spins):
    """For every site a list of pairs (site at the other end, number of the bond)."""
    lists = [[] for _ in spins.fields]
    for bond, (one, other) in enumerate(zip(spins.first.tolist(), spins.second.tolist(), strict=True)):
        lists[one].append((other, bond))
        lists[other].append((one, bond))
    return lists


def aligned(spins):
    """Signs (site,) under which no coupling is below 0; None where there are none: the couplings are frustrated."""
    signs, neighbours = np.zeros(spins.fields.size), neighbours_of(spins)
    for root in range(signs.size):
        if signs[root]:
            continue
        signs[root], waiting = 1.0, [root]
        while waiting:
            site = waiting.pop()
            for other, bond in neighbours[site]:
                if not signs[other]:
                    signs[other] = signs[site] * np.sign(spins.couplings[bond])
                    waiting.append(other)
    product = spins.couplings * signs[spins.first] * signs[spins.second]
    return signs if (product > 0.0).all() else None
