"""RTS: Rao-Blackwellized tempered sampling.

Carlson et al. (2016), eqs 9 and 12: log Z = log Z_1 + log Zhat_K + log(r_1 / r_K) + log(c_K / c_1), c the mean over
sweeps and chains of q(beta_k | x). Cost: one sweep and log f at a few interpolation nodes a sweep (`marginal`).
"""

from functools import partial

from logzoo.estimators.options import merged
from logzoo.estimators.tempering import DEFAULTS, end_ratio, from_sums, run


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by RTS; options as in `logzoo.samplers.tempered.run`. Returns Estimate."""
    options = merged("rts", DEFAULTS, options)
    draws, transitions = run(rbm, ledger, stream, options)
    ends = draws.occupancy.sum(axis=0)[:, [0, -1]]
    return from_sums("rts", draws, transitions, ends, partial(end_ratio, draws), ledger, stream, options["form"])
