"""Auto: log Z to a requested accuracy, or a refusal, by methods that fail in unlike ways.

Rounds of doubling budgets. In each, every method estimates log Z afresh: annealing, simulated tempering and parallel
tempering from a base of the modes (or of the data), and annealing from the basins of mean field's modes. It ends when
two methods at least trust their runs, all those that do agree, with the round before too, and their pooled interval is
narrow enough. Looking often costs no coverage: round r states its intervals at the level 1 - 0.05 / ((r + 1) (r + 2)).
Agreement is evidence, not proof: a mode that nothing has visited is in no number here but the sure upper bound.
"""

import os
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from logzoo.checks import positive_number, whole_number
from logzoo.estimators.evidence import gather, weighed
from logzoo.estimators.matrix import Finished
from logzoo.estimators.registry import estimator
from logzoo.estimators.result import REASONS, Estimate, reasons_of
from logzoo.models.exact import exact_log_z
from logzoo.paths import log_odds

# Methods of unlike kinds.
METHODS = ("ais", "basins", "rts", "bar")
# Sweeps of each method in the first round.
_FIRST = 500
# Units of the smaller layer up to which enumeration costs about a second.
_ENUMERABLE = 20
_LEVEL, _NORMAL_REACH = 0.95, 1.96
_INCURABLE = {"modes-unseen"}
# Methods that must trust their runs, and standard errors by which they may differ.
_FEWEST_SOUND = 2
_SIGMAS = 3.0
# No interval over chains is narrower than rounding.
_LEAST_ERROR = 1e-6
# Nats; a mass that is less certain tells no more.
_LARGEST_ERROR = 1.0


class Round(NamedTuple):
    """What one round found, in nats."""

    estimates: list  # Estimate of every method
    sound: list  # those that trust their runs
    log_z: float  # pooled over them
    std_error: float
    reach: float  # half-width of the pooled interval


def estimate(
    rbm,
    ledger,
    stream,
    *,
    tolerance=0.1,
    base=None,
    data=None,
    enumerable=_ENUMERABLE,
    threads=None,
    progress=False,
    checkpoint=None,
):
    """Estimate log Z to within `tolerance` nats at 95%, or refuse: then `reasons` say why and the interval is a hull.

    ledger: the most that it may spend; all sweeps are entered, those of the evidence and of all rounds. base: log-odds
    (visible,) for the tempering methods, None for the data's marginals where there are data, else from modes. data: a
    0/1 matrix (examples, visible). enumerable: units of the smaller layer up to which log Z is enumerated instead.
    threads: None for one a core. checkpoint: an `artifacts.checkpoints.Checkpoint` to go on from. Returns Estimate.
    Raises ValueError for impossible options and for a budget below that of the first round.
    """
    tolerance = positive_number("tolerance", tolerance)
    threads = usable_cores() if threads is None else whole_number("threads", threads)
    if min(rbm.visible, rbm.hidden) <= whole_number("enumerable", enumerable, minimum=0):
        log_z = exact_log_z(rbm, threads=threads, progress=progress)
        ends = log_z, log_z
        return Estimate(log_z=log_z, std_error=0.0, interval=ends, reasons=(), bounds=ends, rests_on=("enumeration",))
    if base is None and data is not None:
        base = log_odds(data)
    evidence = gather(rbm, stream.child("evidence"), ledger, data=data, threads=threads)
    finished = Finished()
    if checkpoint is not None:
        checkpoint.load({"estimates": finished})
    options = {"base": base, "threads": threads, "progress": progress}
    rounds, sweeps, methods, done = [], _FIRST, METHODS, 0
    while True:
        estimates = []
        for method in methods:
            share = ledger.part(sweeps, f"{method}, round {len(rounds) + 1}")
            if done == len(finished.estimates):
                own = stream.child("round", len(rounds), method)
                finished.estimates.append(estimator(method)(rbm, share, own, options))
                if checkpoint is not None:
                    checkpoint.save_if_due(done + 1, {"estimates": finished})
            estimates.append(weighed(finished.estimates[done], evidence))
            done += 1
        rounds.append(_pooled(estimates, len(rounds)))
        reasons = _reasons(rounds, tolerance)
        # What more sweeps do not cure is not tried again.
        methods = [each.method for each in estimates if not _INCURABLE & set(each.reasons)]
        sweeps *= 2
        if not reasons or ledger.remaining < len(methods) * sweeps:
            return _stated(rounds, reasons, evidence)


def usable_cores():
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pooled(estimates, number):
    """The Round of that number, from 0: the sound estimates weighted by their precision.

    Where they scatter more than they should, the error grows with the scatter (Birge 1932).
    """
    sound = [each for each in estimates if each.converged]
    chosen = sound or estimates
    log_z, errors = np.array([each.log_z for each in chosen]), np.array([_error(each) for each in chosen])
    precision = 1.0 / np.maximum(errors, _LEAST_ERROR) ** 2
    center = float(precision @ log_z / precision.sum())
    scatter = np.sqrt(np.sum(precision * (log_z - center) ** 2) / max(log_z.size - 1, 1))
    std_error = float(max(1.0, scatter) / np.sqrt(precision.sum()))
    level = (1.0 - _LEVEL) / ((number + 1) * (number + 2))
    return Round(estimates, sound, center, std_error, float(-ndtri(level / 2.0)) * std_error)


def _error(estimate):
    """Standard error of a normal law whose 95% interval is as wide as that of the Estimate."""
    return (estimate.interval[1] - estimate.interval[0]) / (2.0 * _NORMAL_REACH)


def _reasons(rounds, tolerance):
    """Why the rounds do not settle log Z; empty if they do."""
    last = rounds[-1]
    apart = any(
        abs(a.log_z - b.log_z) > max(tolerance, _SIGMAS * np.hypot(_error(a), _error(b)))
        for a, b in combinations(last.sound, 2)
    )
    moved = True
    if len(rounds) > 1:
        error = np.hypot(last.std_error, rounds[-2].std_error)
        moved = abs(last.log_z - rounds[-2].log_z) > max(tolerance, _SIGMAS * error)
    return reasons_of(
        {
            "one-method-alone": len(last.sound) < _FEWEST_SOUND,
            "methods-disagree": apart,
            "rounds-disagree": moved,
            "tolerance-missed": last.reach > tolerance,
        }
    )


def _stated(rounds, reasons, evidence):
    """The Estimate of the last round; if there are reasons to refuse, with the hull of all its intervals."""
    last = rounds[-1]
    low, high = last.log_z - last.reach, last.log_z + last.reach
    if reasons:
        ends = np.array([each.interval for each in last.estimates])
        found = [mass + _SIGMAS * min(std_error, _LARGEST_ERROR) for mass, std_error in evidence.masses]
        low, high = min(low, ends[:, 0].min()), max(high, ends[:, 1].max(), *found)
        doubts = {name for each in last.estimates for name in each.reasons}
        reasons = (*reasons, *(name for name in REASONS if name in doubts))
    return Estimate(
        log_z=last.log_z,
        std_error=last.std_error,
        interval=(max(low, evidence.lower) if not reasons else low, min(high, evidence.upper)),
        reasons=reasons,
        bounds=(evidence.lower, evidence.upper),
        diagnostics={"rounds": len(rounds), "sound_methods": len(last.sound)},
        rests_on=tuple(each.method for each in last.sound),
    )
