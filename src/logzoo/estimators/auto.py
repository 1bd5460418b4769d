"""Auto: log Z to a requested accuracy, or a refusal, by methods that fail in different ways.

Four methods estimate log Z in rounds. Annealing, simulated tempering and parallel tempering start from a base, which by
default is computed from the modes or the data. The fourth method anneals from the basins of the modes. The rounds
succeed if at least two methods converge, all converged methods agree, and the previous round agrees with the last
round. The pooled interval must also be narrow enough, and the evidence must not contradict log Z. Only the rigorous
upper bound includes modes that were never found.
"""

import os
import time
from dataclasses import replace
from typing import Any

import numpy as np

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.checks import positive_number, whole_number
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.evidence import chain_sweeps_of, cut, gather, weighed, with_masses
from logzoo.estimators.las_vegas import upper_bound
from logzoo.estimators.result import REACH, REASONS, Estimate, Finished
from logzoo.estimators.rounds import (
    SIGMAS,
    is_hopeless,
    next_methods,
    next_sweeps,
    obstacle,
    round_of,
    together,
    unsettled,
)
from logzoo.models.equivalent import without_certain
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import MOST_ESTIMATED, check_rounding, log_odds
from logzoo.printing import stage
from logzoo.samplers.base import affordable_modes, base_of_modes
from logzoo.streams import Stream
from logzoo.types import Array, ArrayLike

METHODS = ("ais", "basins", "rts", "bar")
# Sweeps of each method in the first round.
_FIRST = 1000
# Largest share of a round's sweeps that the search for modes may take; sweeps of a round beyond 4000 do not count.
_SEARCH, _MOST_SEARCHED = 0.3, 4000
# Largest number of units of a smaller layer that is enumerated. At 784 x 24 enumeration takes 2 CPU seconds.
_ENUMERABLE = 24
# Limits of the default budget: the sweeps of each chain, and the product of the sweeps of all chains and the number of
# weights. A unit costs about as much as 200 weights.
_MOST_SWEEPS, _MOST_WORK, _WEIGHTS_OF_A_UNIT = 300_000, 1.8e13, 200
# An estimate may differ from the evidence by three standard errors plus this share of the tolerance.
_SLACK = 0.1
# Largest standard error of a mass, in nats, in the interval of a refused estimate.
_LARGEST_ERROR = 1.0


def estimate(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    tolerance: float = 0.1,
    base: ArrayLike | str | None = None,
    data: Array | None = None,
    enumerable: int = _ENUMERABLE,
    threads: int | None = None,
    progress: bool = False,
    checkpoint: Any = None,
) -> Estimate:
    """Estimate log Z to within a tolerance with 95% confidence, or refuse.

    ledger: the budget of the search for modes, the evidence and all rounds. tolerance: largest half-width in nats of
    the interval, unless the estimate is refused. Methods and rounds that differ by at most the tolerance agree. base:
    log-odds (visible,) or a name. By default it comes from the marginals of the data (examples, visible). Without
    data it comes from the modes. With a base from the modes, the first round also anneals from the visible bias, and
    annealing keeps the better base.
    enumerable: models with at most this many units in the smaller layer are enumerated. threads: by default one for
    each core. checkpoint: a Checkpoint, to which estimates are saved and from which an interrupted call resumes.

    If log Z is refused, `reasons` lists the failed checks. The interval then covers the pooled interval and the
    intervals of the last round. It also reaches each mass of the evidence plus three standard errors (at most 3 nats).
    Raises ValueError for impossible options and for a budget that is too small for the first round. It also raises
    ValueError if rounding in the kernels could move log Z by more than a tenth of the tolerance or 1 nat.
    """
    tolerance = positive_number("tolerance", tolerance)
    threads = usable_cores() if threads is None else whole_number("threads", threads)
    if min(rbm.visible, rbm.hidden) <= whole_number("enumerable", enumerable, minimum=0):
        log_z = float(exact_log_z(rbm, threads=threads, progress=progress))
        return _certain(log_z, log_z, "enumeration")
    least = _least_sweeps(rbm, ledger.chains)
    if ledger.remaining < least:
        raise BudgetExceeded(
            f"sweeps: expected at least {least:,} for each of {ledger.chains} chains, found {ledger.remaining:,}; "
            "raise sweeps or chains (chains share the cost of the evidence), or name another method, such as ais"
        )
    display = {"threads": threads, "progress": progress}
    (lower, upper), modes = _searched(rbm, ledger, _FIRST, stream.child("modes", 0), data, threads)
    if upper - lower <= 2.0 * tolerance:
        return _certain(lower, upper, "bounds")
    check_rounding(rbm, min(_SLACK * tolerance, MOST_ESTIMATED), "a tenth of the tolerance up to 1 nat")
    # Parallel tempering is left out of the evidence, because it is one of the methods.
    evidence = gather(rbm, stream.child("evidence"), ledger, data=data, tempered=False, **display)
    evidence = evidence._replace(lower=max(lower, evidence.lower))
    if evidence.upper - evidence.lower <= 2.0 * tolerance:
        return _certain(evidence.lower, evidence.upper, "bounds")
    base = log_odds(data) if base is None and data is not None else base
    by_default = base is None or (isinstance(base, str) and base == "modes")
    bases = {method: ["modes" if by_default else base] for method in METHODS}
    bases["ais"] += ["visible-bias"] if by_default else []
    finished = Finished()
    if checkpoint is not None:
        checkpoint.load({"estimates": finished})
    resumed = iter(tuple(finished.estimates))

    def run(method, start, sweeps, substream, note):
        """The Estimate of one method from one base, read from the checkpoint if possible."""
        share, result = ledger.part(sweeps, method), next(resumed, None)
        if result is None:
            start = modes if isinstance(start, str) and start == "modes" else start
            with stage(f"{method}, {note}", progress):
                result = estimator(method)(rbm, share, substream, {"base": start, **display})
            finished.estimates.append(result)
            if checkpoint is not None:
                checkpoint.save_if_due(len(finished.estimates), {"estimates": finished})
        return result

    rounds, reasons, sweeps, methods, outlook = [], (), _FIRST, METHODS, ""
    begun, spent = time.monotonic(), ledger.chain_sweeps
    while True:
        if rounds and by_default:  # another search may find modes that the last search missed
            _, modes = _searched(rbm, ledger, sweeps, stream.child("modes", len(rounds)), data, threads)
        past, estimates, note = rounds, [], f"round {len(rounds) + 1} of {sweeps:,} sweeps{outlook}"
        agreed = "methods-disagree" not in reasons
        for method in methods:
            substream = stream.child("round", len(past), method)
            runs = [
                run(method, start, sweeps, substream.child(number) if number else substream, note)
                for number, start in enumerate(bases[method])
            ]
            evidence = with_masses(evidence, runs)
            better = _better(runs)
            bases[method] = [bases[method][better]]
            estimates.append(runs[better])
            rounds = [*past, round_of([weighed(run, evidence, _SLACK * tolerance) for run in estimates], past)]
            pooled = _pooled(rounds, evidence)
            reasons = (*weighed(pooled, evidence, _SLACK * tolerance).reasons, *unsettled(rounds, tolerance))
            if not reasons and agreed:  # never in the first round, which has no round to agree with
                break
        methods = next_methods(rounds)
        affordable = int((ledger.remaining - _SEARCH * _MOST_SEARCHED) / len(methods))
        if not reasons or 2 * affordable < sweeps or is_hopeless(rounds, reasons, tolerance, affordable):
            return _stated(pooled, rounds[-1].estimates, reasons, evidence, tolerance)
        sweeps = min(next_sweeps(rounds, tolerance), affordable)
        seconds = (time.monotonic() - begun) * ledger.chains / (ledger.chain_sweeps - spent)
        times = f"{sweeps * len(methods) * seconds:.0f} s, all rounds at most {ledger.remaining * seconds:.0f} s"
        outlook = f" ({times}): {obstacle(rounds, tolerance)}"


def default_sweeps(rbm: RBM, chains: int) -> int:
    """Sweeps of each chain that `estimate` may use by default: 300,000, or fewer for large models or many chains.

    The result is at least twice the number of sweeps up to the end of the first round. With few chains it
    may exceed 300,000.
    """
    rbm = without_certain(rbm)[0]  # `estimate` gets the RBM without these units
    weights = rbm.visible * rbm.hidden + _WEIGHTS_OF_A_UNIT * (rbm.visible + rbm.hidden)
    affordable = min(_MOST_SWEEPS, int(_MOST_WORK / (weights * chains)))
    return max(affordable, 2 * _least_sweeps(rbm, chains))


def _least_sweeps(rbm, chains):
    """Number of sweeps of each chain that suffices for the search for modes, the evidence and the first round."""
    evidence = -(-chain_sweeps_of(rbm.visible, rbm.hidden, tempered=False) // chains)
    return evidence + int(_FIRST * (len(METHODS) + 1 + _SEARCH))


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _searched(rbm, ledger, sweeps, stream, data, threads):
    """Search for modes; return rigorous bounds (lower, upper) of log Z in nats, and base log-odds (visible,)."""
    sweeps = min(sweeps, _MOST_SEARCHED)
    run = SweepLedger(sweeps, ledger.chains)
    modes = affordable_modes(rbm, run, stream, data=data, threads=threads)
    # The ledger pays for at most the share _SEARCH of these sweeps.
    ledger.spend(min(run.chain_sweeps, int(_SEARCH * sweeps) * ledger.chains), "finding modes", chains=1)
    return (modes.lower, upper_bound(rbm)), base_of_modes(modes)


def _certain(lower, upper, source):
    """The Estimate from rigorous bounds alone."""
    ends = lower, max(lower, upper)
    half_width = 0.5 * (ends[1] - lower)
    log_z, std_error = lower + half_width, half_width / REACH
    return Estimate(log_z=log_z, std_error=std_error, interval=ends, reasons=(), bounds=ends, rests_on=(source,))


def _better(runs):
    """Index of the better of one or two Estimates: the larger log Z wins if they disagree, else the smaller error."""
    if len(runs) == 1:
        return 0
    # Annealed estimates are low on average, so the larger estimate is better.
    log_z, spreads = np.array([(run.log_z, run.diagnostics["spread_error"]) for run in runs]).T
    apart = np.ptp(log_z) > np.hypot(*spreads)
    return int(np.argmax(log_z) if apart else np.argmin([run.interval_error for run in runs]))


def _pooled(rounds, evidence):
    """The Estimate pooled over rounds by `together`, without reasons."""
    last, (log_z, std_error) = rounds[-1], together(rounds)
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=(log_z - REACH * std_error, log_z + REACH * std_error),
        reasons=(),
        bounds=(evidence.lower, evidence.upper),
        diagnostics={"rounds": len(rounds), "converged_methods": len(last.converged)},
        rests_on=tuple(estimate.method for estimate in last.converged),
    )


def _stated(pooled, estimates, reasons, evidence, tolerance):
    """The pooled Estimate, clipped to the rigorous bounds; a refusal also has the reasons of the last Estimates."""
    if not reasons:
        # Differences up to the tolerance count as agreement, so the half-width is the tolerance.
        return cut(replace(pooled, interval=(pooled.log_z - tolerance, pooled.log_z + tolerance)))
    failed = {*reasons, *(name for estimate in estimates for name in estimate.reasons)}
    masses = [mass + SIGMAS * min(std_error, _LARGEST_ERROR) for mass, std_error in evidence.masses]
    lows, highs = zip(pooled.interval, *(estimate.interval for estimate in estimates), strict=True)
    interval = min(lows), max(*highs, *masses)
    return cut(replace(pooled, interval=interval, reasons=tuple(name for name in REASONS if name in failed)))
