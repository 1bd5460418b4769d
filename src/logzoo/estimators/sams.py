"""SAMS: self-adjusted mixture sampling.

Tan (2016, 2017); Carlson et al. (2016), eq 19: log Zhat_k grows by gamma_t q(beta_k | x) / r_k after every sweep, the
mean over the chains of a group. Cost: one sweep and log f at a few interpolation nodes a sweep.
"""

import numpy as np

from logzoo.checks import positive_number, share
from logzoo.estimators.simulated_tempering import from_groups


def estimate(rbm, ledger, stream, *, exponent=0.8, flatness=0.2, first_stage=0.2, **options):
    """Estimate log Z by SAMS: the mean of log Zhat over independent groups of chains. Returns Estimate.

    Options: those of `logzoo.samplers.adjusted.run`; exponent in (0.5, 1) of the first gains; flatness, the largest
    |c_k / r_k - 1| of an evenly filled ladder; first_stage, the share of the sweeps after which the second stage begins
    in any case. Raises ValueError for others.
    """
    return from_groups(TwoStages(exponent, flatness, first_stage), rbm, ledger, stream, **options)


class TwoStages:
    """The recursion on log Zhat: gain t^-exponent until the rungs are evenly filled, then 1 / t (Tan 2017).

    In the second stage the gain is 1 / (t - t0 + t0^exponent), t0 the sweep the first ended with. To first order an
    error e of log Zhat shrinks by 1 - gain a sweep, so over the second stage by t0^exponent / (t - t0 + t0^exponent):
    that is how the start is forgotten. No gain is so large that the largest step seen so far would exceed one nat.
    """

    def __init__(self, exponent, flatness, first_stage):
        self.exponent = positive_number("exponent", exponent)
        self.flatness = positive_number("flatness", flatness)
        self.first_stage = share("first_stage", first_stage)
        if not 0.5 < self.exponent < 1.0:
            raise ValueError(f"exponent: expected a number between 0.5 and 1, found {exponent!r}")

    def start(self, log_z_hat, prior, sizes, sweeps):
        """Begin with log_z_hat (group, rung), which the steps change."""
        groups = len(log_z_hat)
        self.log_z_hat = log_z_hat
        self.per_chain = 1.0 / (sizes[:, None] * prior)
        self.latest = self.first_stage * sweeps
        self.t = 0
        self.inverse_gain = np.zeros(groups)  # of the second stage, by what 1 / gain exceeds t
        self.second = np.zeros(groups, bool)
        self.filled = np.zeros(log_z_hat.shape)
        # A rung's c_k / r_k is 1 / r_k at most: the bound of Tan (2017) until smaller ones are all that is seen.
        self.largest = np.full(groups, 1.0 / prior.min())

    def step(self, occupancy, visits):
        """Move log Zhat by the occupancy (group, rung) of one sweep."""
        self.t += 1
        ratio = occupancy * self.per_chain
        gain = np.where(self.second, 1.0 / (self.t + self.inverse_gain), self.t**-self.exponent)
        # The bound uses earlier sweeps only: a gain that knew its own step would bias the steps.
        self.log_z_hat += np.minimum(gain, 1.0 / self.largest)[:, None] * ratio
        peak = ratio.max(axis=1)
        self.largest = peak if self.t == 1 else np.maximum(self.largest, peak)
        if not self.second.all():
            self._end_first_stage(ratio)

    def settled(self):
        """Whether the run can be trusted as far as the recursion can tell: it has no rule of its own."""
        return True

    def _end_first_stage(self, ratio):
        """Begin the second stage in groups whose rungs were evenly filled since t was last a power of two."""
        if self.t & (self.t - 1) == 0:
            self.filled[:] = 0.0
            self.since = self.t - 1
        self.filled += ratio
        even = np.abs(self.filled / (self.t - self.since) - 1.0).max(axis=1) < self.flatness
        ready = ~self.second & (even | (self.t >= self.latest))
        self.inverse_gain[ready] = self.t**self.exponent - self.t
        self.second |= ready
