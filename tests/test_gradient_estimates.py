"""The negative phase of every trainer at fixed parameters: its mean becomes the exact gradient, except for CD."""

import math
from importlib import import_module

import numpy as np
import pytest
import twins

from logzoo import RBM
from logzoo.functions import module_of
from logzoo.paths import kernel_parameters
from logzoo.streams import root_stream
from logzoo.training.negative import ExactMeans
from logzoo.training.trainers import TRAINERS, trainer

VISIBLE, HIDDEN = 12, 4
# Independent chains, or ladders of them: whole ladders are the units whose spread makes the standard error.
CHAINS, TEMPERATURES = 300, [1.0, 1.7, 3.0]
SWAPPED = {"particles": CHAINS, "temperatures": TEMPERATURES}
SIMULATED = {"particles": CHAINS * 2, "rungs": 5, "k": 5}
SETTINGS = {"pcd": {"particles": CHAINS}, "pins": {**SWAPPED, "group": 2}, "rms-spectral": SIMULATED}
SETTINGS |= dict.fromkeys(("sml-pt", "sml-apt"), {"particles": CHAINS, "rungs": 3})
SETTINGS |= dict.fromkeys(("pt", "ins"), SWAPPED)
BURN_IN, UPDATES = 60, 150
# test_lvs.py tests the sums over tours. RMSprop has the negative phase of RMSspectral.
OTHERS = {"exact", "lvs", "rmsprop"}
SAMPLED = sorted(set(TRAINERS) - OTHERS)


NORMAL = twins.normal_rbm(7, VISIBLE, HIDDEN)
# Weights large enough that chains take some sweeps to forget where they started.
MODEL = RBM(1.5 * NORMAL.weights, NORMAL.visible_bias, NORMAL.hidden_bias)


def data():
    """Examples that are unlike draws of the model."""
    return (np.random.default_rng(8).random((CHAINS, VISIBLE)) < 0.5).astype(np.uint8)


def phase_of(method, monkeypatch):
    """The negative phase that a trainer hands to the training loop, and the base of its path."""

    def train(phase, data, base=None, *_, hidden=HIDDEN, **__):
        return phase, base

    for function in TRAINERS[method].functions:
        module = import_module(module_of(function))
        if hasattr(module, "train"):
            monkeypatch.setattr(module, "train", train)
    settings = {"stream": root_stream(1).child(method), "batch": CHAINS, "hidden": HIDDEN, **SETTINGS.get(method, {})}
    phase, base = trainer(method)(data(), **settings)
    return phase, np.zeros(VISIBLE) if base is None else base


def statistics(chains):
    """(v p(h | v)', v, p(h | v)) of every chain, in one row each."""
    v = chains.v.astype(float)
    p = 1 / (1 + np.exp(-(v @ MODEL.weights + MODEL.hidden_bias)))
    return np.concatenate([(v[:, :, None] * p[:, None, :]).reshape(len(v), -1), v, p], axis=1)


def exact(model):
    return np.concatenate([means.ravel() for means in twins.expectations(model)])


def running_sums(method, monkeypatch):
    """Sums over chains (units, statistics) of what each update adds to the gradient, and their weights (units,)."""
    phase, base = phase_of(method, monkeypatch)
    parameters = kernel_parameters(MODEL, base)
    units = SIMULATED["particles"] if "rms" in method else CHAINS
    means, weights = [], []
    for update in range(BURN_IN + UPDATES):
        chains, share = phase(parameters, update, data(), 1e-9)
        if update >= BURN_IN:
            share = np.full(len(chains.v), 1 / len(chains.v)) if share is None else share
            rows = share[:, None] * statistics(chains)
            means.append(rows.reshape(units, -1, rows.shape[1]).sum(axis=1))
            weights.append(share.reshape(units, -1).sum(axis=1))
    return np.array(means), np.array(weights)


def scores(means, weights, target):
    """Distance of the mean over updates from `target`, in standard errors from the spread over units.

    Where weights sum to one over all chains, as in simulated tempering, this is the linearised error of a ratio.
    """
    apart = (means.mean(axis=0) - weights.mean(axis=0)[:, None] * target) * len(means[0])
    return apart.mean(axis=0) / (apart.std(axis=0) / math.sqrt(len(apart)))


@pytest.mark.parametrize("method", SAMPLED)
def test_the_mean_over_updates_is_the_exact_gradient_but_for_cd(method, monkeypatch):
    means, weights = running_sums(method, monkeypatch)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    result = np.abs(scores(means, weights, exact(MODEL))).max()
    if method == "cd":
        # One sweep from data unlike the model is far from the model, however often it is repeated.
        assert result > 15
        return
    assert result < 4
    # The gradient of a model whose weights are five per cent larger does not pass.
    other = RBM(1.05 * MODEL.weights, MODEL.visible_bias, MODEL.hidden_bias)
    assert np.abs(scores(means, weights, exact(other))).max() > 8


def test_the_exact_phase_is_exact(monkeypatch):
    phase, base = phase_of("exact", monkeypatch)
    result = phase(kernel_parameters(MODEL, base), 0, data(), 0.1)
    assert isinstance(result, ExactMeans)
    for means, expected in zip(result, twins.expectations(MODEL), strict=True):
        np.testing.assert_allclose(means, expected, atol=1e-6)
    assert phase.log_z == pytest.approx(twins.brute_log_z(MODEL), abs=1e-6)
