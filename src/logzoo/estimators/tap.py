"""TAP: log Z expanded to the third order of the weights, around the best product law of that order.

Gabrié, Tramel & Krzakala (2015), after Plefka (1982) and Georges & Yedidia (1991). Cost: the search for modes, and some
tens of passes over the weights.
"""

from functools import partial

from logzoo.estimators.fixed_points import followed, judged
from logzoo.models.expansions import tap


def estimate(rbm, ledger, stream, *, base=None, threads=1, progress=False):
    """F3 at a fixed point that a solution of mean field leads to, as an Estimate; base and progress: not used.

    Its interval reaches as far as rings of four and more weights may, and as F3 is from F2. `converged` says that mean
    field surely has one solution and that what is left out is below half a nat.
    """
    modes, found, row = followed(rbm, ledger, stream, threads, partial(tap, rbm))
    second = tap(rbm, modes.visible[row], modes.hidden[row], 2)
    return judged(rbm, modes, found._replace(settled=found.settled and second.settled), row, found.log_z - second.log_z)
