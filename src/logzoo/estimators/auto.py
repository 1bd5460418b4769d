"""Auto: log Z to a requested accuracy, or a refusal, by methods that fail in unlike ways.

Rounds of doubling budgets. In each, every method estimates log Z afresh: annealing, simulated tempering and parallel
tempering from a base of the modes (or of the data), and annealing from the basins of the modes. It ends when two
methods at least trust their runs, all those that do agree, with the round before too, and their pooled interval is
narrow enough: rounds that end by the width of an interval cost little of its level (Chow & Robbins 1965).
Agreement is evidence, not proof: a mode that nothing has visited is in no number here but the sure upper bound.
"""

import os
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.checks import positive_number, whole_number
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.evidence import chain_sweeps_of, cut, gather, weighed, with_masses
from logzoo.estimators.matrix import Finished
from logzoo.estimators.result import REACH, REASONS, Estimate, reasons_of
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import check_rounding, log_odds
from logzoo.printing import stage
from logzoo.streams import Stream
from logzoo.types import Array, ArrayLike

# Methods of unlike kinds.
METHODS = ("ais", "basins", "rts", "bar")
# Sweeps of each method in the first round.
_FIRST = 1000
# Units of the smaller layer up to which enumeration costs about a second.
_ENUMERABLE = 20
# Half-width of a 98% interval, in standard errors: what a round must reach to end the search, as rounds are looked at
# again and again.
_ENDING_REACH = 2.33
# What more sweeps do not cure.
_INCURABLE = {"modes-unseen"}
# Methods that must trust their runs, and standard errors by which they may differ.
_FEWEST_SOUND, _SIGMAS = 2, 3.0
# A method whose error is so many times that of a sound one adds nothing.
_UNCERTAIN = 3.0
# Part of the tolerance by which evidence may lie beyond three standard errors of an estimate.
_SLACK = 0.1
# No interval over chains is narrower than rounding.
_LEAST_ERROR = 1e-6
# Nats; a mass that is less certain tells no more.
_LARGEST_ERROR = 1.0


class Round(NamedTuple):
    """What one round found, in nats."""

    estimates: list  # Estimate of every method that was tried
    sound: list  # those that trust their runs
    errors: dict  # standard error by method
    log_z: float  # pooled over the sound ones, or over all if there are none
    std_error: float


def estimate(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    tolerance: float = 0.1,
    base: ArrayLike | None = None,
    data: Array | None = None,
    enumerable: int = _ENUMERABLE,
    threads: int | None = None,
    progress: bool = False,
    checkpoint: Any = None,
) -> Estimate:
    """Estimate log Z to within a tolerance at 95%, or refuse.

    Parameters
    ----------
    rbm : RBM
    ledger : SweepLedger
        The budget. It pays for the evidence and for all rounds.
    stream : Stream
    tolerance : float, nats
        The interval is no narrower, because methods and rounds are compared to within it.
    base : array, shape (visible,), log-odds, optional
        Base of the tempering methods. By default the marginals of the data, or the modes if there are no data.
    data : array of 0 and 1, shape (examples, visible), optional
    enumerable : int
        Units of the smaller layer up to which log Z is enumerated instead.
    threads : int, optional
        By default one for each core.
    progress : bool
    checkpoint : Checkpoint, optional
        Where rounds are saved, and resumed from.

    Returns
    -------
    Estimate
        If it is refused, `reasons` says why and the interval is the hull of the intervals of all methods.

    Raises
    ------
    ValueError
        For impossible options, and for a budget below that of the first round.
    """
    tolerance = positive_number("tolerance", tolerance)
    threads = usable_cores() if threads is None else whole_number("threads", threads)
    if min(rbm.visible, rbm.hidden) <= whole_number("enumerable", enumerable, minimum=0):
        log_z = float(exact_log_z(rbm, threads=threads, progress=progress))
        ends = log_z, log_z
        return Estimate(log_z=log_z, std_error=0.0, interval=ends, reasons=(), bounds=ends, rests_on=("enumeration",))
    check_rounding(rbm, _SLACK * tolerance)
    _check_budget(rbm, ledger)
    if base is None and data is not None:
        base = log_odds(data)
    # Parallel tempering is one of its own methods.
    display = {"threads": threads, "progress": progress}
    evidence = gather(rbm, stream.child("evidence"), ledger, data=data, tempered=False, **display)
    finished = Finished()
    if checkpoint is not None:
        checkpoint.load({"estimates": finished})
    options = {"base": base, **display}
    rounds, sweeps, methods, finished_count = [], _FIRST, METHODS, 0
    while True:
        estimates = []
        for method in methods:
            share = ledger.part(sweeps, f"{method}, round {len(rounds) + 1}")
            if finished_count == len(finished.estimates):
                substream = stream.child("round", len(rounds), method)
                result = f", log Z {rounds[-1].log_z:.2f} +- {rounds[-1].std_error:.2f} nat so far" if rounds else ""
                with stage(f"round {len(rounds) + 1} of {sweeps:,} sweeps, {method}{result}", progress):
                    finished.estimates.append(estimator(method)(rbm, share, substream, options))
                if checkpoint is not None:
                    checkpoint.save_if_due(finished_count + 1, {"estimates": finished})
            estimates.append(finished.estimates[finished_count])
            finished_count += 1
        evidence = with_masses(evidence, estimates)
        rounds.append(_round([weighed(estimate, evidence, _SLACK * tolerance) for estimate in estimates], rounds))
        reasons = _reasons(rounds, evidence, tolerance)
        methods = _next_methods(rounds[-1])
        affordable = ledger.remaining // max(len(methods), 1)
        if not reasons or len(methods) < _FEWEST_SOUND or affordable <= sweeps:
            return _stated(rounds, reasons, evidence, tolerance)
        sweeps = int(min(2 * sweeps, affordable))


def _check_budget(rbm, ledger):
    """Raise BudgetExceeded, which states what is needed, unless the evidence and a round are affordable."""
    evidence = -(-chain_sweeps_of(rbm.visible, rbm.hidden, tempered=False) // ledger.chains)
    least = evidence + _FIRST * len(METHODS)
    if ledger.remaining < least:
        of_it = f"{evidence:,} of them for what estimates are checked against, which more chains share"
        raise BudgetExceeded(
            f"sweeps: expected {least:,} at least of {ledger.chains} chains, {of_it}; found {ledger.remaining:,}"
        )


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _round(estimates, earlier):
    """The Round of Estimates, after earlier ones."""
    sound = [estimate for estimate in estimates if estimate.converged]
    runs = [estimate for past in earlier for estimate in past.sound] + sound
    errors = {
        estimate.method: _error(estimate, [run for run in runs if run.method == estimate.method])
        for estimate in estimates
    }
    return Round(estimates, sound, errors, *_pooled(sound or estimates, errors))


def _error(estimate, runs):
    """Standard error of an Estimate in nats, from its own spread and that of all sound runs of its method."""
    # The error of a few chains is uncertain, and rounds that end when it is small would believe the lucky ones.
    errors = np.array([run.interval_error for run in runs or [estimate]])
    sweeps = np.array([run.sweeps for run in runs or [estimate]])
    return float(np.sqrt(np.mean(errors**2 * sweeps) / estimate.sweeps))


def _pooled(estimates, errors):
    """log Z and its standard error, which grows with the scatter (Birge 1932), from Estimates weighted by precision."""
    log_z = np.array([estimate.log_z for estimate in estimates])
    precision = 1.0 / np.maximum([errors[estimate.method] for estimate in estimates], _LEAST_ERROR) ** 2
    center = float(precision @ log_z / precision.sum())
    scatter = np.sqrt(np.sum(precision * (log_z - center) ** 2) / max(log_z.size - 1, 1))
    return center, float(max(1.0, scatter) / np.sqrt(precision.sum()))


def _together(rounds):
    """log Z and its standard error from the last two Rounds, or from the last where none was sound before."""
    # Weighted by their sweeps: weights by their errors would favour the lucky ones.
    counted = [past for past in rounds[-2:] if past.sound] or rounds[-1:]
    sweeps = np.array([sum(estimate.sweeps for estimate in past.sound or past.estimates) for past in counted], float)
    shares = sweeps / sweeps.sum()
    log_z, errors = (np.array([getattr(past, name) for past in counted]) for name in ("log_z", "std_error"))
    return float(shares @ log_z), float(np.sqrt(np.sum((shares * errors) ** 2)))


def _next_methods(last):
    """Methods of the next round: those that can become sound, without the far less certain if enough are left."""
    able = [estimate for estimate in last.estimates if not _INCURABLE & set(estimate.reasons)]
    largest = _UNCERTAIN * min((last.errors[estimate.method] for estimate in last.sound), default=np.inf)
    worth = [estimate for estimate in able if last.errors[estimate.method] <= largest]
    return tuple(estimate.method for estimate in (worth if len(worth) >= _FEWEST_SOUND else able))


def _reasons(rounds, evidence, tolerance):
    """Why the rounds do not settle log Z; empty if they do."""
    last = rounds[-1]
    apart = any(
        abs(a.log_z - b.log_z) > max(tolerance, _SIGMAS * np.hypot(last.errors[a.method], last.errors[b.method]))
        for a, b in combinations(last.sound, 2)
    )
    moved = True
    if len(rounds) > 1:
        error = np.hypot(last.std_error, rounds[-2].std_error)
        moved = abs(last.log_z - rounds[-2].log_z) > max(tolerance, _SIGMAS * error)
    result = reasons_of(
        {
            "one-method-alone": len(last.sound) < _FEWEST_SOUND,
            "methods-disagree": apart,
            "rounds-disagree": moved,
            "tolerance-missed": _ENDING_REACH * _together(rounds)[1] > tolerance,
        }
    )
    return (*weighed(_estimate(rounds, (), evidence), evidence, _SLACK * tolerance).reasons, *result)


def _estimate(rounds, reasons, evidence):
    """The Estimate of the last two rounds."""
    last, (log_z, std_error) = rounds[-1], _together(rounds)
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=(log_z - REACH * std_error, log_z + REACH * std_error),
        reasons=reasons,
        bounds=(evidence.lower, evidence.upper),
        diagnostics={"rounds": len(rounds), "sound_methods": len(last.sound)},
        rests_on=tuple(estimate.method for estimate in last.sound),
    )


def _stated(rounds, reasons, evidence, tolerance):
    """The Estimate of the rounds, cut at rigorous bounds; if refused, with all reasons and the hull of intervals."""
    doubts = {*reasons, *(name for estimate in rounds[-1].estimates for name in estimate.reasons if reasons)}
    result = _estimate(rounds, tuple(name for name in REASONS if name in doubts), evidence)
    if not reasons:
        # Agreement was tested to within the tolerance, and no closer.
        low, high = result.log_z - tolerance, result.log_z + tolerance
    else:
        masses = [mass + _SIGMAS * min(std_error, _LARGEST_ERROR) for mass, std_error in evidence.masses]
        lows, highs = zip(result.interval, *(estimate.interval for estimate in rounds[-1].estimates), strict=True)
        low, high = min(lows), max(*highs, *masses)
    return cut(replace(result, interval=(low, high)))
