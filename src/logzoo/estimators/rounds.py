"""Rounds of `auto`: the estimates of several methods at one budget, whether they agree, and the next round.

The rounds end when the interval is narrow enough. This rule hardly lowers the coverage (Chow & Robbins 1965).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from logzoo.estimators.result import Estimate, reasons_of

# Half-width of a 98% interval, in standard errors. For convergence it must be within the tolerance. The level is
# above 95%, because every round is tested.
_ENDING_REACH = 2.33
# Reasons that more sweeps do not remove.
_INCURABLE = {"modes-unseen"}
# This many methods must converge. They may differ by SIGMAS standard errors, or by the tolerance if larger.
FEWEST_CONVERGED, SIGMAS = 2, 3.0
# A method whose error is more than this multiple of the smallest error adds little.
_UNCERTAIN = 2.0
# Smallest standard error in nats, because smaller errors are below rounding.
_LEAST_ERROR = 1e-6
# Candidates for the sweeps of a round, relative to the round before. Predicted errors are multiplied by _MARGIN.
_GROWTHS, _MARGIN = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0), 1.1
_LARGEST_GROWTH = _GROWTHS[-1]
# Largest number of rounds that are pooled.
_MOST_COUNTED = 3
# Largest argument of an exponential, so that it stays finite.
_LARGEST_LOG = 600.0
# Smallest number of rounds, and multiple of the affordable sweeps, in `is_hopeless`.
_FEWEST_ROUNDS, _HOPELESS = 3, 10.0


class Round(NamedTuple):
    """Results of one round, in nats."""

    estimates: list[Estimate]  # of all methods that were run
    converged: list[Estimate]
    errors: dict[str, float]  # standard error by method
    log_z: float  # pooled over the converged estimates, or over all if none converged
    std_error: float

    @property
    def sweeps(self) -> int:
        """Sweeps per chain of the longest run."""
        return max(estimate.sweeps for estimate in self.estimates)


def round_of(estimates: list[Estimate], earlier: Sequence[Round]) -> Round:
    """The Round of these Estimates, after the earlier rounds."""
    converged = [estimate for estimate in estimates if estimate.converged]
    runs = [estimate for past in earlier for estimate in past.converged] + converged
    errors = {
        estimate.method: _error(estimate, [run for run in runs if run.method == estimate.method])
        for estimate in estimates
    }
    return Round(estimates, converged, errors, *_pooled(converged or estimates, errors))


def _error(estimate, runs):
    """Error of an Estimate in nats: the root mean square over its method's converged runs, scaled to its sweeps."""
    # Errors of few chains are uncertain, and ending at a small error would favour runs that underestimate their error.
    errors = [error_at(run, run.interval_error, estimate.sweeps) for run in runs or [estimate]]
    return float(np.sqrt(np.mean(np.square(errors))))


def error_at(estimate: Estimate, error: float, sweeps: float) -> float:
    """Standard error in nats after `sweeps` sweeps of a method that had `error` in an Estimate.

    The squared error falls as 1 / sweeps. For annealing the variance of the log-weights falls as 1 / sweeps instead,
    and the weights are taken to be log-normal.
    """
    ratio = estimate.sweeps / sweeps
    if "spread_error" not in estimate.diagnostics:
        return float(error * np.sqrt(ratio))
    log_variance = np.log1p(estimate.chains * error**2) * ratio
    return float(np.sqrt(np.expm1(min(log_variance, _LARGEST_LOG)) / estimate.chains))


def _pooled(estimates, errors):
    """Mean log Z weighted by precision, and its standard error, which grows with the scatter of log Z (Birge 1932)."""
    log_z = np.array([estimate.log_z for estimate in estimates])
    precision = 1.0 / np.maximum([errors[estimate.method] for estimate in estimates], _LEAST_ERROR) ** 2
    center = float(precision @ log_z / precision.sum())
    scatter = np.sqrt(np.sum(precision * (log_z - center) ** 2) / max(log_z.size - 1, 1))
    return center, float(max(1.0, scatter) / np.sqrt(precision.sum()))


def together(rounds: Sequence[Round]) -> tuple[float, float]:
    """log Z and its standard error, pooled over the latest rounds; from the last round alone if no method converged."""
    # Rounds that are much shorter than the last round have larger biases.
    long = [past for past in rounds[-_MOST_COUNTED:] if _LARGEST_GROWTH * past.sweeps >= rounds[-1].sweeps]
    counted = [past for past in long if past.converged] or rounds[-1:]
    # Rounds are weighted by sweeps, because weights from the estimated error would favour rounds that underestimate it.
    sweeps = np.array([sum(run.sweeps for run in past.converged or past.estimates) for past in counted], float)
    shares = sweeps / sweeps.sum()
    log_z, errors = (np.array([getattr(past, name) for past in counted]) for name in ("log_z", "std_error"))
    return float(shares @ log_z), float(np.sqrt(np.sum((shares * errors) ** 2)))


def unsettled(rounds: Sequence[Round], tolerance: float) -> tuple[str, ...]:
    """Names of the reasons why the rounds do not settle log Z; empty if they do."""
    last = rounds[-1]
    moved = True
    if len(rounds) > 1:
        error = np.hypot(last.std_error, rounds[-2].std_error)
        moved = abs(last.log_z - rounds[-2].log_z) > max(tolerance, SIGMAS * error)
    return reasons_of(
        {
            "one-method-alone": len(last.converged) < FEWEST_CONVERGED,
            "methods-disagree": bool(_apart(last, tolerance)),
            "rounds-disagree": moved,
            "tolerance-missed": _ENDING_REACH * together(rounds)[1] > tolerance,
        }
    )


def _apart(last, tolerance):
    """Pairs of converged Estimates of a Round that disagree."""
    return [
        (a, b)
        for a, b in combinations(last.converged, 2)
        if abs(a.log_z - b.log_z) > max(tolerance, SIGMAS * np.hypot(last.errors[a.method], last.errors[b.method]))
    ]


def next_methods(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Methods of the next round, the smallest error first. Methods with large errors are left out.

    If fewer than two converged, no method is left out for its error. Methods that left modes unseen are dropped for
    good.
    """
    latest = {estimate.method: estimate for past in rounds for estimate in past.estimates}
    able = tuple(name for name, estimate in latest.items() if not _INCURABLE & set(estimate.reasons))
    last = rounds[-1]
    if len(last.converged) < FEWEST_CONVERGED:
        return able
    # Annealing errors fall faster with sweeps than other errors. All errors are therefore compared at the largest
    # number of sweeps that the next round may have.
    errors = {
        run.method: error_at(run, last.errors[run.method], _LARGEST_GROWTH * last.sweeps) for run in last.estimates
    }
    best = sorted(errors[estimate.method] for estimate in last.converged)
    largest = max(_UNCERTAIN * best[0], best[FEWEST_CONVERGED - 1])
    return tuple(sorted((name for name in able if errors.get(name, np.inf) <= largest), key=errors.__getitem__))


def predicted_error(rounds: Sequence[Round], sweeps: int) -> float:
    """Standard error in nats of the pooled log Z after `sweeps` further sweeps of the converged methods."""
    last = rounds[-1]
    before = [max(last.errors[run.method], _LEAST_ERROR) for run in last.converged]
    after = [error_at(run, error, sweeps) for run, error in zip(last.converged, before, strict=True)]
    # Precisions add up, and the scatter between methods is taken to stay the same.
    ratio = np.sqrt(np.sum(np.power(before, -2.0)) / np.sum(np.power(after, -2.0)))
    runs = [replace(run, sweeps=int(sweeps)) for run in last.converged]
    following = last._replace(estimates=runs, converged=runs, std_error=float(last.std_error * ratio))
    return together([*rounds, following])[1]


def next_sweeps(rounds: Sequence[Round], tolerance: float) -> int:
    """Sweeps of each method in the next round: the smallest candidate that is predicted to suffice, else the largest.

    If fewer than two methods converged, the next round has twice the sweeps of the last round.
    """
    last = rounds[-1]
    if len(last.converged) < FEWEST_CONVERGED:
        return 2 * last.sweeps
    # The second round is longer, because it tests whether more sweeps change log Z.
    lengths = [int(growth * last.sweeps) for growth in _GROWTHS if growth >= 2.0 or len(rounds) > 1]
    needed = tolerance / (_MARGIN * _ENDING_REACH)
    return next((sweeps for sweeps in lengths if predicted_error(rounds, sweeps) <= needed), lengths[-1])


def is_hopeless(rounds: Sequence[Round], reasons: Sequence[str], tolerance: float, affordable: int) -> bool:
    """Whether three or more rounds fail only because the error is too large for the tolerance.

    The predicted error after a further round of ten times the affordable sweeps must also be too large.
    """
    alone = set(reasons) == {"tolerance-missed"} and len(rounds) >= _FEWEST_ROUNDS
    return alone and _ENDING_REACH * predicted_error(rounds, int(_HOPELESS * max(affordable, 1))) > tolerance


def obstacle(rounds: Sequence[Round], tolerance: float) -> str:
    """One line for a terminal: log Z so far, the reason for another round, and the remedy."""
    last, (log_z, error) = rounds[-1], together(rounds)
    so_far = f"log Z {log_z:.2f} +- {error:.2f}"
    if len(last.converged) < FEWEST_CONVERGED:
        only = f"only {last.converged[0].method}" if last.converged else "no method"
        return f"{so_far}, {only} converged: data or more chains may help"
    for a, b in _apart(last, tolerance):
        return f"{so_far}, {a.method} {a.log_z:.2f} and {b.method} {b.log_z:.2f} disagree: data may help"
    if error > tolerance / _ENDING_REACH:
        return f"{so_far}, +- {tolerance / _ENDING_REACH:.2g} needed: a larger tolerance would help"
    return f"{so_far}, another round must confirm it"
