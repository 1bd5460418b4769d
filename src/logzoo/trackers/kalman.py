"""A Kalman filter over the log partition functions of a ladder whose parameters change (Desjardins et al. 2011).

State: log Z at every rung but the first, which is known exactly, then the bias of the observed change at the last rung,
whose particles also made the gradient. Without a prior on how far log Z moves (sigma_Z infinite), an observed change is
a prediction whose noise is that of the observation; no covariance is ever inverted.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.filtering import bridge_sampling, importance_sampling, predicted, updated


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


class KalmanTracker:
    """Follows log Z of an RBM while parallel tempering trains it."""

    # Variance of a step of the bias, as a multiple of the learning rate (Desjardins et al. 2011, section 4).
    bias_variance = 1e-3
    # Nats: how far the log Z of the first parameters may lie from that of independent units.
    doubt = 10.0
    # A spread between particles is what it states its errors from.
    fewest_particles = 2
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
        self.belief = Belief(np.empty(0), np.empty((0, 0)))  # of no rung, until the first parameters come
        self.log_f = np.empty(0)
        self.observed = np.zeros(4)  # as in the last four columns

    def parameters_changed(self, particles, learning_rate):
        """Follow the change of log Z from the last parameters to those that the particles have loaded."""
        if not self.belief.mean.size:
            self.belief = vague(particles.log_z_base(), self.doubt, particles.betas.size)
            return
        change, variance = importance_sampling(self.log_f, particles.log_f())
        self.belief = Belief(*predicted(*self.belief, change, variance, self.bias_variance * learning_rate))
        self.observed[:2] = change[-1], np.sqrt(variance[-1])

    def particles_moved(self, particles, exchanges):
        """Learn from the Exchanges of all pairs: the steps between neighbouring rungs, after every sweep."""
        log_z_base = particles.log_z_base()
        at_rungs = np.append(log_z_base, self.belief.mean[:-1])
        up, down = (steps.reshape(-1, at_rungs.size - 1) for steps in (exchanges.up, exchanges.down))
        differences, variance = bridge_sampling(up, down, np.diff(at_rungs))
        self.belief = Belief(*updated(*self.belief, log_z_base, differences, variance))
        self.log_f = particles.own_log_f(exchanges)
        self.observed[2:] = log_z_base + differences.sum(), np.sqrt(variance.sum())

    def rung_inserted(self, rung, particles):
        """Make room for a rung that the ladder has gained; its log Z is a guess between its neighbours'."""
        at_rungs = np.append(particles.log_z_base(), self.belief.mean[:-1])
        guess = 0.5 * (at_rungs[rung - 1] + at_rungs[rung])
        row = rung - 1
        covariance = np.insert(np.insert(self.belief.covariance, row, 0.0, axis=0), row, 0.0, axis=1)
        covariance[row, row] = self.doubt**2
        self.belief = Belief(np.insert(self.belief.mean, row, guess), covariance)
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
