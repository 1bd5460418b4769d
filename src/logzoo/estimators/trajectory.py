"""Trajectory: bridge sampling along a path of RBMs, such as snapshots of the training.

Béreux, Decelle, Furtlehner, Rosset & Seoane (2024). Neighbouring RBMs on the path exchange visible states with
probability min(1, f_i(x_{i+1}) f_{i+1}(x_i) / (f_i(x_i) f_{i+1}(x_{i+1}))); ratios of their Z by BAR. log Z =
log Z_1 + sum_i log(Z_{i+1} / Z_i), Z_1 of independent units. Cost: one sweep, and two products for each exchange.
Without snapshots the path is that of tempering, and the estimate is BAR's.
"""

from dataclasses import replace

from logzoo.estimators import bar
from logzoo.estimators.bar import BridgeSums, estimate_of_exchanges
from logzoo.estimators.intervals import sums_left_out
from logzoo.samplers import trajectory

# Share of the states that may be older than the run.
_LARGEST_OLD = 0.05


def estimate(rbm, ledger, stream, *, snapshots=None, **options):
    """Estimate log Z along a trajectory; options as in `logzoo.samplers.trajectory.run`.

    Returns Estimate, its error by the jackknife as that of BAR; not converged unless nearly all states were replaced by
    ones that were born at the base during the run. Without snapshots: as `logzoo.estimators.bar.estimate`. Raises
    ValueError for bad snapshots, and for a single ladder that has but one round of exchanges.
    """
    if snapshots is None:
        return bar.estimate(rbm, ledger, stream, **trajectory.of_tempering(options))
    sums = BridgeSums()
    draws, old = trajectory.run(rbm, ledger, stream, (sums,), snapshots=snapshots, **options)
    parts = sums.parts()
    log_ratios = sums.log_ratios(parts.sum(axis=0))
    left_out = sums.log_ratios(sums_left_out(parts)).sum(axis=1)
    found = estimate_of_exchanges(rbm, draws, sums, log_ratios, left_out)
    reasons = (*found.reasons, "not-renewed") if old > _LARGEST_OLD else found.reasons
    return replace(found, reasons=reasons, diagnostics={**found.diagnostics, "old_share": old})
