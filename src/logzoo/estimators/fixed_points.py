"""Estimates from fixed points, without a draw: how far they may be off, and when they may be believed.

There is no spread. What an expansion leaves out is bounded in size by the sum over rings of weights, all taken of one
sign. Intervals reach as far as that; outside of the domain in which mean field surely has one solution, nothing is
believed.
"""

import numpy as np

from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import REACH, Estimate, reasons_of
from logzoo.models.expansions import contraction, gap_of_second_order
from logzoo.samplers.base import solutions

# Solutions that are followed: where there are several, none is believed.
_FOLLOWED = 2
# Nats that what is left out may hold at most.
_LARGEST_REST = 0.5
# Share of log Z that rounding, and where the steps end, may move.
_ROUNDING = 1e-10


def followed(rbm, ledger, stream, threads, follow):
    """Modes, and the best of what follow(visible means, hidden means) returns for some of them, and for which.

    follow returns a `logzoo.models.expansions.Settled`. Returns modes, settled, row.
    """
    modes = solutions(rbm, ledger, stream, threads=threads)
    found = [follow(*means) for means in zip(modes.visible[:_FOLLOWED], modes.hidden[:_FOLLOWED], strict=True)]
    # One that has not settled is no solution, whatever its value.
    row = max(range(len(found)), key=lambda number: (found[number].settled, found[number].log_z))
    return modes, found[row], row


def judged(rbm, modes, found, row, rest, *, exact=False):
    """Estimate of the fixed point found from a row of the modes.

    rest: nats that it may have left out. exact: nothing is, as on a forest.
    """
    means = modes.visible[row], modes.hidden[row]
    slack = _ROUNDING * max(1.0, abs(found.log_z))
    radius = contraction(rbm)
    inside = exact or (radius < 1.0 and rest <= _LARGEST_REST)
    if exact:
        reach = 0.0
    elif radius < 1.0 and np.isfinite(rest):
        reach = rest
    else:
        # The expansion says nothing of its own error; the distance from what is sure has its size.
        reach = max(gap_of_second_order(rbm, *means), abs(found.log_z - modes.bounds[0]))
    upper = upper_bound(rbm)
    reasons = reasons_of(
        {
            "not-settled": not found.settled,
            "many-solutions": not exact and len(modes.bounds) > 1,
            "outside-expansion": not inside,
            "below-bound": found.log_z + reach + slack < modes.lower,
            "above-bound": found.log_z - reach - slack > upper,
        }
    )
    diagnostics = {"solutions": len(modes.bounds), "contraction": radius, "fixed_point_steps": found.steps}
    return reaching(found.log_z, reach, reasons, (modes.lower, upper), diagnostics)


def reaching(log_z, reach, reasons, bounds, diagnostics):
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
