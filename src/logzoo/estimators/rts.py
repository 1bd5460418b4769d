"""RTS: Rao-Blackwellized tempered sampling.

Carlson et al. (2016), eqs 9 and 12: log Z = log Z_1 + log Zhat_K + log(r_1 / r_K) + log(c_K / c_1), c the mean over
sweeps and chains of q(beta_k | x). Cost: one sweep and log f at a few interpolation nodes a sweep (`marginal`).
"""

from logzoo.estimators.options import merged
from logzoo.estimators.tempering import DEFAULTS, from_rung_sums
from logzoo.samplers import tempered


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by RTS; options as in `logzoo.samplers.tempered.run`. Returns Estimate."""
    draws = tempered.run(rbm, ledger, stream, **merged("rts", DEFAULTS, options))
    return from_rung_sums("rts", draws, draws.occupancy.sum(axis=0), ledger, stream)
