"""A Kalman filter over the log partition functions of a ladder whose parameters change (Desjardins et al. 2011).

State: log Z at every rung but the first, which is known exactly, then the bias of the observed change at the last rung,
whose particles also made the gradient. Without a prior on how far log Z moves (sigma_Z infinite), an observed change is
a prediction whose noise is that of the observation; no covariance is ever inverted.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

# Nats^2: particles that all carry the same weight seem to leave no doubt; rounding does.
_SMALLEST_VARIANCE = 1e-10


class Belief(NamedTuple):
    """Normal distribution of the state: log Z at rungs 2, ..., M in nats, then the bias."""

    mean: np.ndarray  # (M,)
    covariance: np.ndarray  # (M, M)

    @property
    def log_z(self):
        """Mean and standard deviation of log Z at the last rung, in nats."""
        return float(self.mean[-2]), float(np.sqrt(self.covariance[-2, -2]))


def vague(log_z, std_dev, rungs):
    """The Belief that log Z is about `log_z` at every rung, without bias."""
    variances = np.full(rungs, std_dev**2)
    variances[-1] = 0.0
    return Belief(np.append(np.full(rungs - 1, log_z), 0.0), np.diag(variances))


def after_change(belief, change, variance, bias_variance):
    """The Belief after log Z was seen to change by `change` (M,) with that variance (M,), first rung included.

    The change at the last rung has the bias added to it, which walks with steps of variance bias_variance.
    """
    moved = np.eye(belief.mean.size)
    moved[-2, -1] = -1.0
    # Columns: noise of each rung's change, then the step of the bias, which the last rung feels as well.
    noise = moved * np.sqrt(np.append(variance[1:], bias_variance))
    mean = moved @ belief.mean
    mean[:-1] += change[1:]
    return Belief(mean, moved @ belief.covariance @ moved.T + noise @ noise.T)


def after_differences(belief, log_z_base, differences, variance):
    """The Belief after log Z_{i+1} - log Z_i of all neighbours (M - 1,) was seen with that variance; Joseph's form."""
    size = belief.mean.size
    reads = _neighbours(size)
    seen = differences.copy()
    seen[0] += log_z_base
    crossed = reads @ belief.covariance
    gain = np.linalg.solve(crossed @ reads.T + np.diag(variance), crossed).T
    kept = np.eye(size) - gain @ reads
    covariance = kept @ belief.covariance @ kept.T + (gain * variance) @ gain.T
    return Belief(belief.mean + gain @ (seen - reads @ belief.mean), 0.5 * (covariance + covariance.T))


@lru_cache
def _neighbours(size):
    """The matrix (size - 1, size) that reads the differences of neighbouring rungs off the state; not to be changed."""
    return np.eye(size - 1, size) - np.eye(size - 1, size, k=-1)


def importance_sampling(log_f_before, log_f_after):
    """Observed change of log Z (rung,) and its variance, from log f (rung, particle) at the same states.

    log mean of w = f_t(x) / f_{t-1}(x), and by the delta method the variance of the mean over its square.
    """
    return _log_mean(log_f_after - log_f_before)


def bridge_sampling(up, down, log_ratio):
    """Observed log Z_{i+1} - log Z_i (pair,) and its variance, with the bridge that log_ratio (pair,) makes optimal.

    up (particle, pair): log f_{i+1} - log f_i at the states of rung i; down: the same at those of rung i + 1
    (Bennett 1976, eq 8, one step).
    """
    pairs = log_ratio.size
    means, variances = _log_mean(-np.logaddexp(0.0, np.concatenate([log_ratio - up, down - log_ratio], axis=1)).T)
    return log_ratio + means[:pairs] - means[pairs:], variances[:pairs] + variances[pairs:]


def _log_mean(log_weights):
    """log of the mean of weights (row,) over the columns of log_weights, and its variance by the delta method."""
    largest = log_weights.max(axis=1)
    weights = np.exp(log_weights - largest[:, None])
    count = log_weights.shape[1]
    mean = weights.sum(axis=1) / count
    weights -= mean[:, None]
    variance = np.einsum("rc,rc->r", weights, weights) / ((count - 1) * count * mean**2)
    return largest + np.log(mean), np.maximum(variance, _SMALLEST_VARIANCE)


class KalmanTracker:
    """Follows log Z of an RBM while tempered particles train it."""

    # Variance of a step of the bias, as a multiple of the learning rate (Desjardins et al. 2011, section 4).
    bias_variance = 1e-3
    # Nats: how far the log Z of the first parameters may lie from that of independent units.
    doubt = 10.0
    # What it reads: the steps of all pairs of rungs.
    all_pairs, all_rungs = True, False
    columns = {
        "log_z": ("tracked log partition function", "nat"),
        "log_z_std_dev": ("standard deviation that the tracker states", "nat"),
        "bias": ("bias of the observed change at beta = 1", "nat"),
        "observed_change": ("change of log Z at beta = 1 since the last update, by importance sampling", "nat"),
        "observed_change_std_dev": ("standard deviation of the observed change", "nat"),
        "bridged_log_z": ("log Z by bridge sampling across the ladder at this update alone", "nat"),
        "bridged_log_z_std_dev": ("standard deviation of the bridged log Z", "nat"),
    }

    def __init__(self):
        self.belief = None
        self.log_f = None
        self.observed = np.zeros(4)  # as in the last four columns

    def parameters_changed(self, particles, learning_rate):
        """Follow the change of log Z from the last parameters to those that the particles have loaded."""
        if self.belief is None:
            self.belief = vague(particles.log_z_base(), self.doubt, particles.betas.size)
            return
        change, variance = importance_sampling(self.log_f, particles.log_f())
        self.belief = after_change(self.belief, change, variance, self.bias_variance * learning_rate)
        self.observed[:2] = change[-1], np.sqrt(variance[-1])

    def particles_moved(self, particles, exchanges):
        """Learn from the Exchanges of all pairs: the steps between neighbouring rungs, after every sweep."""
        log_z_base = particles.log_z_base()
        at_rungs = np.append(log_z_base, self.belief.mean[:-1])
        up, down = (steps.reshape(-1, at_rungs.size - 1) for steps in (exchanges.up, exchanges.down))
        differences, variance = bridge_sampling(up, down, np.diff(at_rungs))
        self.belief = after_differences(self.belief, log_z_base, differences, variance)
        self.log_f = particles.own_log_f(exchanges)
        self.observed[2:] = log_z_base + differences.sum(), np.sqrt(variance.sum())

    def rung_inserted(self, rung, particles):
        """Make room for a rung that the ladder has gained; its log Z is a guess between its neighbours'."""
        at_rungs = np.append(particles.log_z_base(), self.belief.mean[:-1])
        guess = 0.5 * (at_rungs[rung - 1] + at_rungs[rung])
        place = rung - 1
        covariance = np.insert(np.insert(self.belief.covariance, place, 0.0, axis=0), place, 0.0, axis=1)
        covariance[place, place] = self.doubt**2
        self.belief = Belief(np.insert(self.belief.mean, place, guess), covariance)
        self.log_f = particles.log_f()

    @property
    def reading(self):
        """The numbers that go into a trace, by column."""
        return dict(zip(self.columns, (*self.belief.log_z, self.belief.mean[-1], *self.observed), strict=True))

    @property
    def state(self):
        """What a checkpoint holds."""
        return {**self.belief._asdict(), "log_f": self.log_f, "observed": self.observed}

    def restore(self, state):
        """Go on from a `state`."""
        self.belief = Belief(state["mean"], state["covariance"])
        self.log_f, self.observed = state["log_f"], state["observed"]
