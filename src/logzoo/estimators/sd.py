"""SD: occupancies from the stationary distribution of the moves between rungs, counted.

Carlson et al. (2016), supplement G: P_jk proportional to the number of moves from rung j to rung k. Same
draws and cost as RTS.
"""

from logzoo.estimators.options import merged
from logzoo.estimators.simulated_tempering import FIXED
from logzoo.estimators.transitions import from_stationary, stationary

DEFAULTS = FIXED

__all__ = ["DEFAULTS", "estimate", "stationary"]


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by SD; options as in `logzoo.samplers.simulated_tempering.run`. Returns Estimate."""
    return from_stationary("sd", rbm, ledger, stream, merged("sd", DEFAULTS, options), rao_blackwell=False)
