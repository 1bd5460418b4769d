"""TS: tempered sampling, RTS with plain visit counts in place of q(beta_k | x).

Carlson et al. (2016), eq 6 and section 4.1: 0.1 is added to the count of every rung. Same cost as RTS.
"""

from functools import partial

from logzoo.estimators.simulated_tempering import end_ratio, from_sums, run
from logzoo.samplers.tempering_chains import COUNT_FLOOR


def run_by_counts(rbm, ledger, stream, observers, **settings):
    """SimulatedTemperingDraws as for RTS, but log Zhat was found by counting visits."""
    return run(rbm, ledger, stream, observers, rao_blackwell=False, **settings)


def read(draws):
    """The Estimate of `Draws` whose sample is that of `run_by_counts`."""
    # The floor is 0.1 a rung in all, so each chain carries its share and the jackknife all but keeps it.
    ends = draws.sample.visits.sum(axis=0)[:, [0, -1]] + COUNT_FLOOR / draws.ledger.chains
    return from_sums(draws, ends, partial(end_ratio, draws.sample))
