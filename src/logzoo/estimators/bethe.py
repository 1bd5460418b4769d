"""Bethe: belief propagation on the graph of the RBM, and the log Z of its fixed point; exact on forests.

Yedidia, Freeman & Weiss (2005). No larger than log Z if all weights are positive (Ruozzi 2012), or can be made so by
flipping units. Cost: the search for modes, and some tens of passes over the weights, each of about 30 Gibbs sweeps.
"""

from logzoo.estimators.fixed_points import followed, judged
from logzoo.models.expansions import bethe, is_forest, rings


def estimate(rbm, ledger, stream, *, base=None, threads=1, progress=False):
    """Bethe's log Z at a fixed point that a solution of mean field leads to, as an Estimate; base, progress: not used.

    Its interval reaches as far as rings of four and more weights may. `converged` says that the weights make no ring,
    or that mean field surely has one solution and that what is left out is below half a nat.
    """
    modes, found, row = followed(rbm, ledger, stream, threads, lambda visible, _: bethe(rbm, visible))
    return judged(rbm, modes, found, row, rings(found.correlations), exact=is_forest(rbm))
