"""Mean field, TAP and Bethe: estimates of log Z from fixed points, without draws.

These estimates have no sampling error. The interval of TAP and Bethe covers a bound on the omitted orders of an
expansion, if mean field certainly has a single solution. The bound is a sum over closed walks along the weights,
including all cycles. If mean field may have several solutions, TAP does not converge, and Bethe converges only if the
weights form no cycle.

Mean field gives the rigorous lower bound F1 = c.m + sum softplus(b + m W) + sum S(m) of the best product law (Gabrié,
Tramel & Krzakala 2015). m are the visible means, c and b the biases, S the entropy of a unit. Cost: the mode search.
TAP expands log Z to the third order of the weights, at means where this expansion is stationary (Plefka 1982; Georges &
Yedidia 1991; Gabrié et al. 2015). Further cost: some tens of steps, and Bethe's log Z.
Bethe is the log Z of a fixed point of belief propagation (Yedidia, Freeman & Weiss 2005). It is exact on forests. It is
at most log Z if all weights are positive (Ruozzi 2012), or can be made positive by flipping units. Further cost: some
tens of steps. At 784 x 500 a step of TAP costs 10 to 20 Gibbs sweeps of a chain, and a step of Bethe costs 500 to 900.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import REACH, Estimate, reasons_of
from logzoo.models import expansions
from logzoo.models.expansions import contraction, cycles, gap_of_second_order, is_forest
from logzoo.models.rbm import RBM
from logzoo.samplers.base import solutions
from logzoo.streams import Stream

# Largest number of mean-field solutions that the iteration starts from. Few estimates converge if there are several.
_FOLLOWED = 2
# Largest omitted part of log Z of a converged estimate, in nats.
_LARGEST_REST = 0.5
# Relative error of log Z from rounding and from ending the iteration.
_ROUNDING = 1e-10


def _followed(rbm, modes, follow, left_out_of, exact=False):
    """Estimate log Z from the best fixed point that `follow` reaches from the modes.

    follow(visible means, hidden means) returns a fixed point. left_out_of(visible means, point) returns the nats that
    the point may omit if mean field has a single solution. exact: whether the point omits nothing.
    """
    points = [follow(*means) for means in zip(modes.visible[:_FOLLOWED], modes.hidden[:_FOLLOWED], strict=True)]
    # Settled points come first, because only they are solutions.
    row = max(range(len(points)), key=lambda number: (points[number].settled, points[number].log_z))
    point, means = points[row], (modes.visible[row], modes.hidden[row])
    slack = _ROUNDING * max(1.0, abs(point.log_z))
    radius = contraction(rbm)
    reach = 0.0 if exact else left_out_of(means[0], point) if radius < 1.0 else math.inf
    inside = reach <= _LARGEST_REST
    if not np.isfinite(reach):
        # No bound of the error is known here. The second-order term, or the distance from F1 if larger, is a guess.
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
    """Estimate whose interval extends to either side by `reach` nats plus the error of rounding."""
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
    rbm: RBM, ledger: SweepLedger, stream: Stream, *, base: Any = None, threads: int = 1, progress: bool = False
) -> Estimate:
    """The largest F1 of the modes found, as an Estimate; base and progress are not used.

    The half-width of its interval is the second-order term of the expansion. The estimate converges only if all weights
    are 0, because otherwise the distance of the bound from log Z is unknown.
    """
    modes = solutions(rbm, ledger, stream, threads=threads)
    tight = not rbm.weights.any()
    gap = 0.0 if tight else gap_of_second_order(rbm, modes.visible[0], modes.hidden[0])
    bounds = modes.lower, upper_bound(rbm)
    diagnostics = {"solutions": len(modes.bounds)}
    return _reaching(modes.bounds[0], gap, reasons_of({"bound-alone": not tight}), bounds, diagnostics)


def tap(
    rbm: RBM, ledger: SweepLedger, stream: Stream, *, base: Any = None, threads: int = 1, progress: bool = False
) -> Estimate:
    """The Estimate of TAP: the expansion at a fixed point from a mean-field solution; base and progress are ignored.

    The half-width of the interval is the distance from Bethe's log Z plus the bound on cycles of four and more weights.
    If mean field may have several solutions or belief propagation does not settle, the half-width is only a guess. The
    estimate converges only if mean field certainly has one solution and the half-width is at most half a nat.
    """

    def left_out_of(visible, point):
        # Bethe's log Z includes all terms without cycles, to all orders.
        by_bethe = expansions.bethe(rbm, visible)
        return abs(point.log_z - by_bethe.log_z) + cycles(by_bethe.correlations) if by_bethe.settled else math.inf

    modes = solutions(rbm, ledger, stream, threads=threads)
    return _followed(rbm, modes, partial(expansions.tap, rbm), left_out_of)


def bethe(
    rbm: RBM, ledger: SweepLedger, stream: Stream, *, base: Any = None, threads: int = 1, progress: bool = False
) -> Estimate:
    """The Estimate of Bethe: log Z at a fixed point from a mean-field solution; base and progress are ignored.

    The half-width of its interval is 0 if the weights form no cycle. If mean field certainly has one solution, the
    half-width is the bound on cycles of four and more weights. Otherwise the half-width is only a guess.
    The estimate converges only in the first two cases, and only if the half-width is at most half a nat.
    """

    def follow(visible, _hidden):
        return expansions.bethe(rbm, visible)

    modes = solutions(rbm, ledger, stream, threads=threads)
    return _followed(rbm, modes, follow, lambda _, point: cycles(point.correlations), exact=is_forest(rbm))
