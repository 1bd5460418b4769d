"""Exact SGD: the model's part of the gradient by enumeration, so that only the mini-batches are random."""

import numpy as np

from logzoo.io.resumed import Resumed
from logzoo.models.exact_sums import LARGEST_EXPECTED, exact_expectations
from logzoo.trainers.loop import train
from logzoo.trainers.negative import ExactMeans


class _NegativePhase(Resumed):
    """Knows log Z as well, and so is its own tracker."""

    columns = {
        "log_z": ("log partition function, exact", "nat"),
        "log_z_std_dev": ("its standard deviation", "nat"),
    }

    spent = 0  # it makes no Gibbs sweeps
    log_z = np.nan
    _kept = ("log_z",)

    def __call__(self, parameters, update, positive, rate):
        unit = np.float64(parameters.unit)
        visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
        weights = parameters.weights.transpose(1, 0, 2).reshape(visible, -1)[:, :hidden] * unit
        biases = parameters.visible_bias[:visible] * unit, parameters.hidden_bias[:hidden] * unit
        self.log_z, *means = exact_expectations(weights, *biases)
        return ExactMeans(*means)

    @property
    def reading(self):
        """log Z at the parameters of the last update, in nats."""
        return {"log_z": self.log_z, "log_z_std_dev": 0.0}


def run(data, *, stream, batch, hidden, **settings):
    """Train by exact gradients; settings as in `logzoo.trainers.loop.train`; the trace holds log Z.

    Returns TrainingRun. Raises ValueError when both layers are too large to enumerate.
    """
    if min(data.shape[1], hidden) > LARGEST_EXPECTED:
        raise ValueError(f"hidden: expected at most {LARGEST_EXPECTED} units in the smaller layer, found {hidden}")
    phase = _NegativePhase()
    return train(phase, data, None, phase, stream=stream, batch=batch, hidden=hidden, **settings)
