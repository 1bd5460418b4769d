"""Mean field, TAP and Bethe: estimates from fixed points, without a draw, with the reasons not to trust them.

These estimates have no sampling error. The omitted orders of an expansion are bounded by the sum over rings of weights,
all taken with one sign; the bound is the half-width of the interval. An estimate counts as converged only where mean
field surely has a single solution.

Mean field is the best product law's rigorous lower bound, F1 = c.m + sum softplus(b + m W) + sum S(m), by the
alternating fixed point of Gabrié, Tramel & Krzakala (2015). Cost: the search for modes.
TAP expands log Z to the third order of the weights, around the best product law of that order (Plefka 1982; Georges &
Yedidia 1991; Gabrié et al. 2015). Cost: also some tens of passes over the weights, and Bethe's log Z.
Bethe is the log Z of a fixed point of belief propagation (Yedidia, Freeman & Weiss 2005), exact on forests and no
larger than log Z if all weights are positive (Ruozzi 2012) or can be made so by flipping units. Cost: also some tens of
passes over the weights, each of about 30 Gibbs sweeps.
"""

import math
from functools import partial

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import REACH, Estimate, reasons_of
from logzoo.models import expansions
from logzoo.models.expansions import contraction, gap_of_second_order, is_forest, rings
from logzoo.models.rbm import RBM
from logzoo.samplers.base import solutions
from logzoo.streams import Stream
from logzoo.types import ArrayLike

# Solutions that are followed: if there are several, the estimate does not converge.
_FOLLOWED = 2
# Largest omitted part of log Z, in nats.
_LARGEST_REST = 0.5
# Relative error of log Z by rounding and by the end of the iteration.
_ROUNDING = 1e-10


def _followed(rbm, modes, follow, left_out_of, exact=False):
    """Estimate from the best Settled of follow(visible means, hidden means) for some modes; exact: as on a forest.

    left_out_of(visible means, settled): nats that it may have left out.
    """
    points = [follow(*means) for means in zip(modes.visible[:_FOLLOWED], modes.hidden[:_FOLLOWED], strict=True)]
    # A fixed point that has not settled is no solution.
    row = max(range(len(points)), key=lambda number: (points[number].settled, points[number].log_z))
    point, means = points[row], (modes.visible[row], modes.hidden[row])
    left_out = left_out_of(means[0], point)
    slack = _ROUNDING * max(1.0, abs(point.log_z))
    radius = contraction(rbm)
    inside = exact or (radius < 1.0 and left_out <= _LARGEST_REST)
    if exact:
        reach = 0.0
    elif radius < 1.0 and np.isfinite(left_out):
        reach = left_out
    else:
        # The expansion has no error estimate; its distance from the rigorous bound has the size of the error.
        reach = max(gap_of_second_order(rbm, *means), abs(point.log_z - modes.bounds[0]))
    upper = upper_bound(rbm)
    reasons = reasons_of(
        {
            "not-settled": not point.settled,
            "many-solutions": not exact and len(modes.bounds) > 1,
            "outside-expansion": not inside,
            "below-bound": point.log_z + reach + slack < modes.lower,
            "above-bound": point.log_z - reach - slack > upper,
        }
    )
    diagnostics = {"solutions": len(modes.bounds), "contraction": radius, "fixed_point_steps": point.steps}
    return _reaching(point.log_z, reach, reasons, (modes.lower, upper), diagnostics)


def _reaching(log_z, reach, reasons, bounds, diagnostics):
    """Estimate whose interval reaches that many nats to either side, and as far as rounding beyond."""
    log_z = float(log_z)
    reach = float(reach) + _ROUNDING * max(1.0, abs(log_z))
    return Estimate(
        log_z=log_z,
        std_error=reach / REACH,
        interval=(log_z - reach, log_z + reach),
        reasons=reasons,
        bounds=bounds,
        diagnostics=diagnostics,
    )


def mean_field(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: ArrayLike | str | None = None,
    threads: int = 1,
    progress: bool = False,
) -> Estimate:
    """The largest F1 of the modes found, as an Estimate; base and progress: not used.

    Its interval reaches as far as the second order of the expansion, and it counts as converged only if all weights
    are 0, because the distance of a bound is unknown.
    """
    modes = solutions(rbm, ledger, stream, threads=threads)
    tight = not rbm.weights.any()
    gap = 0.0 if tight else gap_of_second_order(rbm, modes.visible[0], modes.hidden[0])
    bounds = modes.lower, upper_bound(rbm)
    diagnostics = {"solutions": len(modes.bounds)}
    return _reaching(modes.bounds[0], gap, reasons_of({"bound-alone": not tight}), bounds, diagnostics)


def tap(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: ArrayLike | str | None = None,
    threads: int = 1,
    progress: bool = False,
) -> Estimate:
    """F3 at a fixed point that a solution of mean field leads to, as an Estimate; base and progress: not used.

    Its interval reaches as far as F3 is from Bethe's log Z, and rings of four and more weights further. `converged`
    says that mean field surely has one solution and that what is left out is below half a nat.
    """

    def left_out_of(visible, point):
        # Bethe's log Z includes all orders of the terms without rings.
        by_bethe = expansions.bethe(rbm, visible) if contraction(rbm) < 1.0 else None
        if by_bethe is None or not by_bethe.settled:
            return math.inf
        return abs(point.log_z - by_bethe.log_z) + rings(by_bethe.correlations)

    modes = solutions(rbm, ledger, stream, threads=threads)
    return _followed(rbm, modes, partial(expansions.tap, rbm), left_out_of)


def bethe(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    base: ArrayLike | str | None = None,
    threads: int = 1,
    progress: bool = False,
) -> Estimate:
    """Bethe's log Z at a fixed point that a solution of mean field leads to, as an Estimate; base, progress: not used.

    Its interval reaches as far as rings of four and more weights may. `converged` says that the weights make no ring,
    or that mean field surely has one solution and that what is left out is below half a nat.
    """

    def follow(visible, _hidden):
        return expansions.bethe(rbm, visible)

    modes = solutions(rbm, ledger, stream, threads=threads)
    return _followed(rbm, modes, follow, lambda _, point: rings(point.correlations), exact=is_forest(rbm))
