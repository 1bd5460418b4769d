"""Trajectory: bridge sampling (BAR), AIS and RAISE along a path of RBMs, such as snapshots of the training.

Béreux, Decelle, Furtlehner, Rosset & Seoane (2024). Neighbouring RBMs i and i + 1 exchange their visible states x with
probability min(1, f_i(x_{i+1}) f_{i+1}(x_i) / (f_i(x_i) f_{i+1}(x_{i+1}))), where f_i is the unnormalised marginal of
RBM i. BAR estimates the ratios in log Z = log Z_1 + sum_i log(Z_{i+1} / Z_i), with Z_1 of independent units. Cost of a
round: `each` Gibbs sweeps, and two products of every state with weights for the exchange.
AIS along any path is unbiased for Z. RAISE anneals down the path from data (Burda et al. 2015). An annealing sweep
costs about two Gibbs sweeps, because it keeps the inputs of two RBMs.
Without snapshots the estimators follow the tempering path and are BAR, AIS and RAISE.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from logzoo.budgets import SweepLedger
from logzoo.estimators import bar
from logzoo.estimators.estimator import Draws
from logzoo.estimators.result import Estimate
from logzoo.estimators.reverse import starts_of
from logzoo.models.rbm import RBM
from logzoo.samplers import annealed, replica_exchange, snapshot_ladders
from logzoo.samplers.annealed import AnnealedDraws
from logzoo.samplers.replica_exchange import ParallelTemperingDraws
from logzoo.streams import Stream
from logzoo.types import Array, ArrayLike

# Largest share of states that were never at the base after the burn-in. A larger share gives the reason `not-renewed`.
_LARGEST_OLD = 0.05


def run(
    rbm: RBM, ledger: SweepLedger, stream: Stream, observers: Sequence[Any], *, snapshots: Any = None, **options: Any
) -> tuple[ParallelTemperingDraws, float | None]:
    """ParallelTemperingDraws along snapshots, and the share of states that were never at the base after the burn-in.

    options: as in `samplers.snapshot_ladders.run`. Without snapshots the run follows the tempering path, and the
    share is None. Raises ValueError for bad snapshots and options.
    """
    if snapshots is None:
        return replica_exchange.run(rbm, ledger, stream, observers, **snapshot_ladders.of_tempering(options)), None
    return snapshot_ladders.run(rbm, ledger, stream, observers, snapshots=snapshots, **options)


def run_up(rbm: RBM, ledger: SweepLedger, stream: Stream, *, snapshots: Any = None, **options: Any) -> AnnealedDraws:
    """AnnealedDraws from the base up the snapshots, or the tempering path; options as in `snapshot_ladders.anneal`."""
    if snapshots is None:
        return annealed.run(rbm, ledger, stream, **snapshot_ladders.of_tempering(options))
    return snapshot_ladders.anneal(rbm, ledger, stream, snapshots=snapshots, **options)


def run_down(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    data: ArrayLike | None = None,
    vectors: int | None = None,
    snapshots: Any = None,
    **options: Any,
) -> tuple[AnnealedDraws, Array]:
    """AnnealedDraws from data down the snapshots, and the number (chain,) of each chain's data vector.

    data, vectors: as in `estimators.reverse.run`. Other options: as in `run_up`.
    """
    starts, vector = starts_of(rbm, ledger, stream, data, vectors)
    if snapshots is None:
        return annealed.run_reverse(rbm, ledger, stream, starts, **snapshot_ladders.of_tempering(options)), vector
    return snapshot_ladders.anneal(rbm, ledger, stream, starts, snapshots=snapshots, **options), vector


def read(draws: Draws) -> Estimate:
    """The Estimate by BAR of `Draws` whose sample comes from `run`.

    Along snapshots the estimate is converged only if states from the base replaced nearly all states after the burn-in.
    """
    sample, old = draws.sample
    estimate = bar.from_bridges(draws.rbm, sample, draws.observed[bar.BridgeSums])
    if old is None:
        return estimate
    reasons = (*estimate.reasons, "not-renewed") if old > _LARGEST_OLD else estimate.reasons
    return replace(estimate, reasons=reasons, diagnostics={**estimate.diagnostics, "old_share": old})
