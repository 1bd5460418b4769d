"""TAP: log Z expanded to the third order of the weights, around the best product law of that order.

Gabrié, Tramel & Krzakala (2015), after Plefka (1982) and Georges & Yedidia (1991). Cost: the search for modes, and some
tens of passes over the weights, and Bethe's log Z, which it is held against.
"""

import math
from functools import partial

from logzoo.estimators.fixed_points import followed, judged
from logzoo.models.expansions import bethe, contraction, rings, tap


def estimate(rbm, ledger, stream, *, base=None, threads=1, progress=False):
    """F3 at a fixed point that a solution of mean field leads to, as an Estimate; base and progress: not used.

    Its interval reaches as far as F3 is from Bethe's log Z, and rings of four and more weights further. `converged`
    says that mean field surely has one solution and that what is left out is below half a nat.
    """
    modes, found, row = followed(rbm, ledger, stream, threads, partial(tap, rbm))
    rest = _left_out(rbm, modes.visible[row], found.log_z) if contraction(rbm) < 1.0 else math.inf
    return judged(rbm, modes, found, row, rest)


def _left_out(rbm, visible, log_z):
    """Nats that F3 may have left out: Bethe's log Z has all orders of what makes no ring."""
    beside = bethe(rbm, visible)
    return abs(log_z - beside.log_z) + rings(beside.correlations) if beside.settled else math.inf
