"""TS: tempered sampling, RTS with plain visit counts in place of q(beta_k | x).

Carlson et al. (2016), eq 6 and section 4.1: 0.1 is added to the count of every rung. Same draws and cost as RTS.
"""

from functools import partial

from logzoo.estimators.shared import Wanted, reads
from logzoo.estimators.simulated_tempering import end_ratio, from_sums, run
from logzoo.samplers.initial import COUNT_FLOOR


@reads
def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by TS; options as in `logzoo.samplers.simulated_tempering.run`. Returns Estimate."""
    draws, transitions = yield Wanted(run_by_counts, (), options)
    # The floor is 0.1 a rung in all, so each chain carries its share and the jackknife all but keeps it.
    ends = draws.visits.sum(axis=0)[:, [0, -1]] + COUNT_FLOOR / ledger.chains
    return from_sums(draws, transitions, ends, partial(end_ratio, draws), stream)


def run_by_counts(rbm, ledger, stream, observers=(), **settings):
    """A run as those of RTS, but for log Zhat: visits were counted to find it."""
    return run(rbm, ledger, stream, observers, rao_blackwell=False, **settings)
