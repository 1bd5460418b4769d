"""Estimates from simulated tempering: functions that its estimators share, and the recursions SAMS and Wang-Landau.

log Zhat_k is the guess of log(Z_k / Z_1), and r the prior of the K rungs. SAMS (Tan 2016, 2017; Carlson et al. 2016,
eq 19) adds a gain times c_k / r_k to log Zhat_k after every sweep. c_k is the mean of q(beta_k | x) over a group of
chains. Wang-Landau (Wang & Landau 2001; Atchade & Liu 2010) adds log F / (K r_k) to log Zhat_k for each visit of rung
k, with a falling factor F. Its last regime follows Belardinelli & Pereyra (2007). Cost: as for RTS.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import positive_number, share, whole_number
from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import bootstrapped, jackknife_error, sums_left_out
from logzoo.estimators.result import Estimate, estimate_from
from logzoo.models.rbm import RBM
from logzoo.samplers import tempering_runs
from logzoo.samplers.observers import GroupedMoves
from logzoo.samplers.tempering_runs import SimulatedTemperingDraws
from logzoo.streams import Stream
from logzoo.types import Array, Floats

# Share of the sweeps after the initial iterations whose draws are discarded. On a 784 x 500 RBM the first hundreds of
# sweeps pull log Z down by more than its standard error. On easy models discarding costs a tenth of the precision.
SETTLING = 0.2
# Mean number of round trips of a chain below which the ends of the ladder were hardly compared.
_FEWEST_ROUND_TRIPS = 1.0
# Nats by which interpolated log-densities may be off before they bias log Z visibly.
_LARGEST_INTERPOLATION_ERROR = 0.01
# Standard errors by which the halves of a run may differ before the run counts as drifting.
_LARGEST_DRIFT = 3.0
# Standard errors by which an integration rule may be off; noise contributes less than one.
_LARGEST_RULE_ERROR = 3.0
# Largest number of parts of the ladder in a stored transition matrix.
_PARTS = 50
# Replaces a sum of 0, so that its logarithm is finite.
FLOOR = np.finfo(float).tiny


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    observers: Sequence[Any],
    *,
    settling: float = SETTLING,
    **settings: Any,
) -> SimulatedTemperingDraws:
    """SimulatedTemperingDraws of `logzoo.samplers.tempering_runs.run`, by default without the first draws.

    A method check(chains, rungs, sweeps) of an observer may raise ValueError before any sweep.
    """
    rungs = whole_number("rungs", settings.get("rungs", tempering_runs.RUNGS), minimum=2)
    for observer in observers:
        if hasattr(observer, "check"):
            observer.check(ledger.chains, rungs, ledger.sweeps)
    return tempering_runs.run(rbm, ledger, stream, observers, settling=settling, **settings)


def moves() -> GroupedMoves:
    """The observer that all estimators here share; it counts moves between rungs for the transition matrix."""
    return GroupedMoves()


def end_ratio(draws: SimulatedTemperingDraws, ends: Floats) -> Floats:
    """log Z (...,) by eq 12 from the occupancy (..., 2) of the first and the last rung, summed over draws."""
    ends = np.maximum(ends, FLOOR)
    shift = draws.log_z_base + draws.log_z_hat[-1] + np.log(draws.prior[0] / draws.prior[-1])
    return shift + np.log(ends[..., 1]) - np.log(ends[..., 0])


def from_sums(draws: Draws, sums: Floats, log_z_of: Callable[[Floats], Floats], **more: Any) -> Estimate:
    """Estimate log_z_of(total) from sums (chain, ...) over the draws of each chain, with the jackknife error.

    log_z_of maps totals (..., *shape) to log Z (...,). The bootstrap error is a diagnostic. more: as in
    `estimate_of_draws`.
    """
    log_z = float(log_z_of(sums.sum(axis=0)))
    std_error = jackknife_error(log_z_of(sums_left_out(sums)))
    more["bootstrap_std_error"], quantiles = bootstrapped(sums, log_z_of, draws.stream.child("bootstrap").generator())
    return estimate_of_draws(draws, log_z, std_error, len(sums), quantiles=quantiles, **more)


def estimate_of_draws(
    draws: Draws,
    log_z: float,
    std_error: float,
    parts: int,
    *,
    quantiles: Floats | None = None,
    rule_error: float = 0.0,
    bias: float = 0.0,
    **more: Any,
) -> Estimate:
    """An Estimate with the diagnostics of `Draws`.

    parts: number of independent parts that `std_error` was computed from. rule_error: nats by which an integration rule
    may be off, infinite if unknown. bias: nats that add to the error in quadrature. quantiles: as by `bootstrapped`.
    more: further diagnostics.
    The estimate is converged if the chains made at least one round trip each on average and the halves of the sampling
    phase agree. Interpolated log-densities must also be accurate, and `rule_error` at most three standard errors.
    """
    sample = draws.sample
    moved = drift(sample)
    profiles = {"transition_matrix": transition_matrix(draws.observed[moves].sums[0])}
    if quantiles is not None:
        profiles["bootstrap_quantiles"] = quantiles
    if 0.0 < rule_error < np.inf:
        more["rule_error"] = rule_error
    drifts, coarse = not abs(moved) < _LARGEST_DRIFT, rule_error > _LARGEST_RULE_ERROR * std_error
    return estimate_from(
        log_z,
        float(np.hypot(std_error, bias)),
        parts,
        {**stuck(sample), "drift": drifts, "coarse-rule": coarse},
        form=sample.form,
        diagnostics={**diagnostics(sample), "drift": moved, **more},
        profiles=profiles,
    )


def from_groups(draws: Draws) -> Estimate:
    """Estimate by a recursion: the mean over groups of log Z_1 + log Zhat_K, with a Student interval over groups.

    draws: `Draws` whose sample comes from `samplers.tempering_runs.run_in_groups`. The estimate is converged if the
    chains made at least one round trip each on average and interpolated log-densities were accurate. With Wang-Landau,
    every group must also reach the 1 / t regime.
    """
    sample, states = draws.sample
    # Only Wang-Landau, whose exponent is 0, may stay unsettled: the first stage of SAMS ends in any case.
    unsettled = (states.exponent == 0.0) & ~states.settled.astype(bool)
    log_z_of_groups = sample.log_z_base + sample.log_z_hats[:, -1]
    log_z = float(log_z_of_groups.mean())
    std_error = float(log_z_of_groups.std(ddof=1) / np.sqrt(log_z_of_groups.size))
    return estimate_from(
        log_z,
        std_error,
        log_z_of_groups.size,
        {**stuck(sample), "unsettled": bool(unsettled.any())},
        form=sample.form,
        diagnostics=diagnostics(sample),
        profiles={"transition_matrix": transition_matrix(draws.observed[moves].sums[0])},
    )


def stuck(draws: Any) -> dict[str, Any]:
    """Signs that chains made less than one round trip each on average, or that log-densities are inaccurate."""
    return {
        "no-round-trips": draws.round_trips.mean() < _FEWEST_ROUND_TRIPS,
        "interpolation": not draws.interpolation_error < _LARGEST_INTERPOLATION_ERROR,
    }


def drift(draws: SimulatedTemperingDraws) -> float:
    """log Z by eq 12 of the second half of the sampling phase minus log Z of the first half, in standard errors.

    The halves consist of whole blocks with one log Zhat each. With an odd number of blocks the middle block is left
    out. The result is 0 for a single block.
    """
    half = len(draws.occupancy) // 2
    if half == 0:
        return 0.0
    ends = np.stack([draws.occupancy[:half], draws.occupancy[-half:]])[..., [0, -1]]
    # In a mixed run the log Zhat of blocks differs, so sums are scaled to the log Zhat of the first block.
    relative = draws.log_z_hats[:, -1] - draws.log_z_hats[0, -1]
    # Clipping keeps the scale finite if log Zhat is far off.
    scale = np.exp(np.clip(np.stack([relative[:half], relative[-half:]]), -300.0, 300.0))
    ends[..., 1] *= scale[..., None]
    sums = np.moveaxis(ends.sum(axis=1), 1, 0)

    def difference(total):
        log_ends = np.log(np.maximum(total, FLOOR))
        ratio = log_ends[..., 1] - log_ends[..., 0]
        return ratio[..., 1] - ratio[..., 0]

    std_error = jackknife_error(difference(sums_left_out(sums)))
    return float(difference(sums.sum(axis=0)) / std_error) if std_error > 0.0 else 0.0


def diagnostics(draws: Any) -> dict[str, float]:
    """The scalar diagnostics of a run of simulated tempering."""
    occupancy = draws.occupancy.sum(axis=(0, 1))
    visits = draws.visits.sum(axis=0)
    sweeps = int(visits[0].sum())
    autocorrelation = autocorrelation_time(visits, draws.betas)
    round_trips = float(draws.round_trips.mean())
    return {
        "occupancy_error": float(draws.betas.size * np.max(np.abs(draws.prior - occupancy / occupancy.sum()))),
        "round_trips": round_trips,
        "round_trip_rate": 1000.0 * round_trips / sweeps,
        "autocorrelation_time": autocorrelation,
        "effective_sample_size": sweeps * len(visits) / autocorrelation,
        "initial_iterations": len(draws.initial_log_z),
        "initial_rule_met": int(draws.rule_met),
        "interpolation_error": draws.interpolation_error,
    }


def autocorrelation_time(visits: Array, betas: Floats) -> float:
    """Integrated autocorrelation time of beta in sweeps, at least 1, from visits (chain, rung).

    The mean of a chain's n draws has variance Var(beta) tau / n over independent chains. tau is at most n.
    """
    draws = visits.sum(axis=1)
    share = visits.sum(axis=0) / visits.sum()
    mean = share @ betas
    variance = share @ (betas - mean) ** 2
    spread = np.mean((visits @ betas / draws - mean) ** 2)
    n = float(draws.mean())
    return float(np.clip(n * spread / variance, 1.0, n)) if variance > 0.0 else n


def transition_matrix(counts: Array) -> Floats:
    """Row-stochastic matrix (part, part) of moves between groups of neighbouring rungs; rows without moves are 0."""
    starts = np.unique(np.linspace(0, len(counts), min(_PARTS, len(counts)), endpoint=False).astype(int))
    parts = np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)
    leaving = parts.sum(axis=1, keepdims=True)
    return np.divide(parts, leaving, out=np.zeros(parts.shape), where=leaving > 0)


def run_sams(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    observers: Sequence[Any],
    *,
    exponent: float = 0.8,
    flatness: float = 0.2,
    first_stage: float = 0.2,
    prior: Any = None,
    **options: Any,
) -> tuple[Any, Any]:
    """Draws of SAMS by `logzoo.samplers.tempering_runs.run_in_groups`.

    exponent: exponent of the gains in the first stage, in (0.5, 1). flatness: the first stage ends when
    max_k |c_k / r_k - 1| is below it, with occupancy c and prior r. first_stage: share of the sweeps after which the
    second stage begins in any case. prior and other options: as in `run_in_groups`. Raises ValueError for
    impossible options.
    """
    exponent, flatness = positive_number("exponent", exponent), positive_number("flatness", flatness)
    if not 0.5 < exponent < 1.0:
        raise ValueError(f"exponent: expected a number between 0.5 and 1, found {exponent!r}")
    recursion = tempering_runs.sams(exponent, flatness, share("first_stage", first_stage))
    return tempering_runs.run_in_groups(rbm, ledger, stream, recursion, observers, prior, **options)


def run_wang_landau(
    rbm: RBM, ledger: SweepLedger, stream: Stream, observers: Sequence[Any], *, flatness: float = 0.5, **options: Any
) -> tuple[Any, Any]:
    """Draws of Wang-Landau by `logzoo.samplers.tempering_runs.run_in_groups`.

    flatness: visits are flat if every tenth of the ladder has at least this share, in [0, 1), of its expected visits.
    Other options: as in `run_in_groups`. There is no prior: steps that differ between rungs bias all groups alike, so
    the spread over groups would be too small. Raises ValueError for impossible options.
    """
    recursion = tempering_runs.wang_landau(share("flatness", flatness))
    return tempering_runs.run_in_groups(rbm, ledger, stream, recursion, observers, **options)
