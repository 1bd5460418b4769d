"""RSD: as SD, with q(beta_k | x) in place of counted moves.

Carlson et al. (2016), supplement G: P_jk proportional to the sum of q(beta_k | x) over the draws x made at
rung j. Cost: that of RTS, and q once more for every draw.
"""

from logzoo.estimators.options import merged
from logzoo.estimators.simulated_tempering import FIXED
from logzoo.estimators.transitions import from_stationary

DEFAULTS = FIXED


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by RSD; options as in `logzoo.samplers.simulated_tempering.run`. Returns Estimate."""
    return from_stationary("rsd", rbm, ledger, stream, merged("rsd", DEFAULTS, options), rao_blackwell=True)
