"""RTS: Rao-Blackwellized tempered sampling.

Carlson et al. (2016), eqs 9 and 12: log Z = log Z_1 + log Zhat_K + log(r_1 / r_K) + log(c_K / c_1), c the mean over
sweeps and chains of q(beta_k | x). Cost: one sweep and log f at a few interpolation nodes a sweep (`marginal`).
"""

from functools import partial

import numpy as np

from logzoo.checks import flag
from logzoo.estimators import simulated_tempering
from logzoo.estimators.intervals import jackknife_error, sums_left_out
from logzoo.estimators.mixed import maximise
from logzoo.estimators.simulated_tempering import FLOOR, end_ratio, estimate_of_draws, from_sums

# Groups of chains left out in turn when each takes an optimisation.
_MOST_GROUPS = 20


def run(rbm, ledger, stream, observers, *, mixed=False, **settings):
    """SimulatedTemperingDraws as for all estimators on it; mixed: log Zhat is updated after each block, too."""
    mixed = {"mixed": True} if flag("mixed", mixed) else {}
    return simulated_tempering.run(rbm, ledger, stream, observers, **mixed, **settings)


def read(draws):
    """The Estimate of `Draws` of simulated tempering by RTS.

    Where log Zhat was updated after each block of the sampling phase (`mixed`), log Z maximises the likelihood of all
    blocks (supplement A).
    """
    if draws.settings.get("mixed"):
        log_z, left_out = _by_likelihood(draws.sample)
        return estimate_of_draws(draws, log_z, jackknife_error(left_out), left_out.size)
    ends = draws.sample.occupancy.sum(axis=0)[:, [0, -1]]
    bias, std_error = delta_method(ends)
    delta = {"delta_bias": bias, "delta_std_error": std_error}
    return from_sums(draws, ends, partial(end_ratio, draws.sample), **delta)


def delta_method(ends):
    """(bias, standard error) of log Z in nats by eqs 25 and 26, from sums (chain, 2) of q at the two end rungs.

    The variances of c_1 and c_K are those of their means over chains.
    """
    relative = ends / np.maximum(ends.mean(axis=0), FLOOR)
    covariance = np.cov(relative, rowvar=False) / len(ends)
    first, last, both = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    return float(0.5 * (first - last)), float(np.sqrt(max(first + last - 2.0 * both, 0.0)))


def _by_likelihood(draws):
    """log Z of a mixed run, and (group,) the same with a group of chains left out."""
    blocks, chains, rungs = draws.occupancy.shape
    sums = np.zeros((min(chains, _MOST_GROUPS), blocks, rungs))
    np.add.at(sums, np.arange(chains) % len(sums), np.moveaxis(draws.occupancy, 1, 0))
    total = maximise(draws.prior, draws.log_z_hats, sums.sum(axis=0))
    left_out = [maximise(draws.prior, draws.log_z_hats, rest, total)[-1] for rest in sums_left_out(sums)]
    return float(draws.log_z_base + total[-1]), draws.log_z_base + np.array(left_out)
