"""TS: tempered sampling, RTS with plain visit counts in place of q(beta_k | x).

Carlson et al. (2016), eq 6 and section 4.1: 0.1 is added to the count of every rung. Same draws and cost as RTS.
"""

from logzoo.estimators.options import merged
from logzoo.estimators.tempering import DEFAULTS, from_rung_sums
from logzoo.samplers import tempered


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by TS; options as in `logzoo.samplers.tempered.run`. Returns Estimate."""
    draws = tempered.run(rbm, ledger, stream, rao_blackwell=False, **merged("ts", DEFAULTS, options))
    # The floor is 0.1 a rung in all, so each chain carries its share and the bootstrap keeps it whole.
    visits = draws.visits.sum(axis=0) + tempered.COUNT_FLOOR / ledger.chains
    return from_rung_sums("ts", draws, visits, ledger, stream)
