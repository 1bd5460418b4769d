"""TAP: log Z expanded to the third order of the weights, around the best product law of that order.

Gabrié, Tramel & Krzakala (2015), after Plefka (1982) and Georges & Yedidia (1991). Cost: the search for modes, and some
tens of passes over the weights, and Bethe's log Z, which it is held against.
"""

from functools import partial

from logzoo.estimators.fixed_points import followed, judged
from logzoo.models.expansions import bethe, rings, tap


def estimate(rbm, ledger, stream, *, base=None, threads=1, progress=False):
    """F3 at a fixed point that a solution of mean field leads to, as an Estimate; base and progress: not used.

    Its interval reaches as far as F3 is from Bethe's log Z, and rings of four and more weights further. `converged`
    says that mean field surely has one solution and that what is left out is below half a nat.
    """
    modes, found, row = followed(rbm, ledger, stream, threads, partial(tap, rbm))
    # Bethe's log Z has all orders of what makes no ring.
    beside = bethe(rbm, modes.visible[row])
    rest = abs(found.log_z - beside.log_z) + rings(beside.correlations)
    return judged(rbm, modes, found._replace(settled=found.settled and beside.settled), row, rest)
