"""TS: tempered sampling, RTS with plain visit counts in place of q(beta_k | x).

Carlson et al. (2016), eq 6 and section 4.1: 0.1 is added to the count of every rung. Same draws and cost as RTS.
"""

from functools import partial

from logzoo.estimators.options import merged
from logzoo.estimators.simulated_tempering import FIXED, end_ratio, from_sums, run
from logzoo.samplers.initial import COUNT_FLOOR

DEFAULTS = FIXED


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by TS; options as in `logzoo.samplers.simulated_tempering.run`. Returns Estimate."""
    options = merged("ts", DEFAULTS, options)
    draws, transitions = run(rbm, ledger, stream, options, rao_blackwell=False)
    # The floor is 0.1 a rung in all, so each chain carries its share and the jackknife all but keeps it.
    ends = draws.visits.sum(axis=0)[:, [0, -1]] + COUNT_FLOOR / ledger.chains
    return from_sums("ts", draws, transitions, ends, partial(end_ratio, draws), ledger, stream, options["form"])
