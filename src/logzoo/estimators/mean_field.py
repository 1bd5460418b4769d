"""Naive mean field: the best product law's lower bound of log Z, which is sure.

F1 = c.m + sum softplus(b + m W) + sum S(m), by the alternating fixed point of Gabrié, Tramel & Krzakala (2015).
Cost: the search for modes.
"""

from logzoo.estimators.fixed_points import reaching
from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import reasons_of
from logzoo.models.expansions import gap_of_second_order
from logzoo.samplers.base import solutions


def estimate(rbm, ledger, stream, *, base=None, threads=1, progress=False):
    """The largest F1 of the modes found, as an Estimate; base and progress: not used.

    Its interval reaches as far as the second order of the expansion, and it never counts as converged but where no unit
    has a weight: a bound does not say how far it is below.
    """
    modes = solutions(rbm, ledger, stream, threads=threads)
    tight = not rbm.weights.any()
    gap = 0.0 if tight else gap_of_second_order(rbm, modes.visible[0], modes.hidden[0])
    bounds = modes.lower, upper_bound(rbm)
    diagnostics = {"solutions": len(modes.bounds)}
    return reaching(modes.bounds[0], gap, reasons_of({"bound-alone": not tight}), bounds, diagnostics)
