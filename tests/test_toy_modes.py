"""The family of small models that are trained to have several modes: masses and barriers from all hidden states."""

from itertools import permutations

import numpy as np
import pytest
import twins
from projects import catalogue_of
from scipy.special import expit, logsumexp

from logzoo.datasets.toy import mode_codes, read_toy
from logzoo.training.trainers import train_rbm


def masses_and_barriers(rbm, codes):
    """Exact mass of every mode, and nats from the lower of two modes down to the best path between: (mode, mode).

    A hidden state belongs to the code that the means of its visible units are next to; on a path one hidden unit
    changes at a time.
    """
    states = twins.all_states(rbm.hidden)
    log_p = rbm.transposed.log_f(states)
    log_p -= logsumexp(log_p)
    means = expit(states @ rbm.weights.T + rbm.visible_bias)
    nearest = np.abs(means[:, None] - codes).sum(axis=2).argmin(axis=1)
    masses = np.array([np.exp(log_p[nearest == mode]).sum() for mode in range(len(codes))])
    tops = [np.flatnonzero(nearest == mode)[log_p[nearest == mode].argmax()] for mode in range(len(codes))]
    return masses, depths(log_p, rbm.hidden, tops)


def depths(log_p, bits, tops):
    """States are flooded from the highest down; two tops lie in one lake when the highest pass between them is wet."""
    lake, barriers = np.full(log_p.size, -1), np.full((len(tops), len(tops)), np.nan)
    for state in np.argsort(-log_p):
        around = {int(lake[state ^ 1 << bit]) for bit in range(bits)} - {-1}
        lake[state] = around.pop() if around else state
        for other in around:
            lake[lake == other] = lake[state]
            for one, two in permutations(range(len(tops)), 2):
                this, that = tops[one], tops[two]
                if np.isnan(barriers[one, two]) and lake[this] == lake[that] != -1:
                    barriers[one, two] = min(log_p[this], log_p[that]) - log_p[state]
    return barriers


def test_three_modes_hold_mass_and_lie_several_nats_apart():
    config = catalogue_of().config
    data = config["datasets"]["toy-unequal"]["options"]
    settings = dict(config["models"]["toy-modes-ins"]["train"])
    settings |= settings.pop("options")
    rbm = train_rbm(read_toy({}, data).data["train"], seed=f"{config['seed']}/toy-modes-ins", **settings).rbm
    masses, barriers = masses_and_barriers(rbm, mode_codes(data["modes"], data["copies"]))
    assert masses.sum() == pytest.approx(1.0)
    large = masses > 0.03
    assert large.sum() >= 3, masses
    between = barriers[np.ix_(large, large)]
    assert np.nanmin(between) > 3.0, barriers
