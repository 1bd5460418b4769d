"""Run all estimators on one RBM at the same budget, and report their estimates, whether they agree, and bounds."""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from logzoo.api import estimate_log_z
from logzoo.budgets import SweepLedger
from logzoo.checks import whole_number
from logzoo.estimators.estimator_registry import ESTIMATORS, takes
from logzoo.estimators.evidence import cut, gather, weighed
from logzoo.estimators.result import REASONS, Estimate
from logzoo.printing import bar, columns, json_line, shows, table
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logzoo.models.rbm import RBM

# Two estimates disagree when they differ by more than this many standard errors of their difference.
_SIGMAS = 4.0
# These methods are biased upwards at small budgets, so they only bound log Z.
_BOUNDS = ("raise", "trajectory-raise")


class Attempt(NamedTuple):
    """The estimate of one method, or the reason why the method could not be run."""

    method: str
    estimate: Estimate | None  # None if the method could not be run
    seconds: float
    reason: str  # why the method could not be run; empty if it was run

    @property
    def converged(self) -> bool:
        """Whether there is an estimate that passed all checks."""
        return self.estimate is not None and self.estimate.converged


class Agreement(NamedTuple):
    """Summary of the attempts, with bounds in nats."""

    lower: float  # AIS - 2 standard errors: below log Z on average, because AIS is unbiased for Z; NaN without AIS
    upper: float  # RAISE + 2 standard errors: above log Z on average if the data are draws of the RBM; NaN if not run
    apart: tuple  # the two converged methods farthest apart in standard errors of the difference; () without a pair
    sigmas: float  # distance of these two methods in standard errors

    @property
    def disagree(self) -> bool:
        """Whether two converged methods are too far apart for both to be right."""
        return self.sigmas > _SIGMAS


def try_all(
    rbm: RBM,
    *,
    data: np.ndarray | None,
    snapshots: Sequence[RBM] | None = None,
    **settings: Any,
) -> list[Attempt]:
    """Run all estimators with settings as in `estimate_log_z`.

    snapshots: RBMs for the methods that take snapshots. Raises ValueError for impossible settings, and if no estimator
    can be run.
    """
    attempts = []
    # Impossible sizes are refused before any method runs.
    SweepLedger(settings["sweeps"], whole_number("chains", settings["chains"], minimum=2))
    progress = shows(None)
    evidence = gather(rbm, root_stream(settings.get("seed", 0)).child("evidence"), data=data, progress=progress)
    with bar(len(ESTIMATORS), "methods", "method", progress) as progress_bar:
        for method in ESTIMATORS:
            start, estimate, reason = time.perf_counter(), None, ""
            options: dict[str, Any] = {"snapshots": snapshots} if takes(method, "snapshots") else {}
            options |= {"data": data, "progress": progress, "check": False}
            try:
                estimate = cut(weighed(estimate_log_z(rbm, method, **settings, **options), evidence))
            except ValueError as error:
                reason = str(error)
            attempts.append(Attempt(method, estimate, time.perf_counter() - start, reason))
            progress_bar.update()
    if all(attempt.estimate is None for attempt in attempts):
        raise ValueError(f"no method could be run: {attempts[0].reason}")
    return attempts


def agreement_of(attempts: Sequence[Attempt]) -> Agreement:
    """The Agreement of Attempts; methods that did not converge or only bound log Z are not compared."""
    estimates = {attempt.method: attempt.estimate for attempt in attempts if attempt.estimate is not None}
    lower, upper = (
        estimates[name].log_z + factor * estimates[name].std_error if name in estimates else np.nan
        for name, factor in (("ais", -2.0), ("raise", 2.0))
    )
    apart, sigmas = (), 0.0
    for pair in combinations(sorted(_converged(attempts)), 2):
        first, second = (estimates[name] for name in pair)
        # For few chains, the half-width of the interval exceeds 1.96 standard errors (Student's t).
        error = np.hypot(first.interval_error, second.interval_error)
        distance = abs(first.log_z - second.log_z) / error if error > 0 else 0.0
        if distance > sigmas:
            apart, sigmas = pair, distance
    return Agreement(lower, upper, apart, float(sigmas))


def _converged(attempts):
    """{method: Estimate} of the methods that converged, without the methods that only bound log Z."""
    estimates = ((attempt.method, attempt.estimate) for attempt in attempts if attempt.method not in _BOUNDS)
    return {method: estimate for method, estimate in estimates if estimate is not None and estimate.converged}


def headline(attempts: Sequence[Attempt], agreement: Agreement) -> str:
    """Summary of the attempts, in one line."""
    ends = [estimate.log_z for estimate in _converged(attempts).values()]
    converged = [attempt.method for attempt in attempts if attempt.converged]
    if not ends:
        bounds = f" except {' and '.join(converged)} (only bounds of log Z)" if converged else ""
        return f"log Z: NONE of {len(attempts)} methods converged{bounds}; do not trust their intervals"
    many = f"{len(converged)} of {len(attempts)} methods converged"
    near = f"all compared pairs within {_SIGMAS:.0f} standard errors"
    verdict = disagreement(agreement) if agreement.disagree else near
    return f"log Z from {min(ends):.4f} to {max(ends):.4f} nat: {many}, {verdict}"


def disagreement(agreement: Agreement) -> str:
    """A sentence that names the two methods that cannot both be right."""
    first, second = agreement.apart
    distance = f"{agreement.sigmas:.1f} standard errors apart"
    return f"{first} and {second} are {distance}: at least one of their intervals is wrong"


def agreement_table(attempts: Sequence[Attempt], agreement: Agreement, mean_log_f: float | None = None) -> str:
    """Attempts and their Agreement as text, with converged attempts first.

    The row of an estimate names its failed checks; a second table explains these names. mean_log_f: mean log f of the
    examples, or None without examples. The mean log-likelihood is mean_log_f minus log Z.
    """
    of_examples = () if mean_log_f is None else ("mean log-likelihood",)
    heads = ("method", "log Z [nat]", "std error", "95% interval", *of_examples, "seconds", "converged")
    rows, reasons = [], set()
    in_order = sorted(attempts, key=lambda attempt: (not attempt.converged, attempt.estimate is None))
    for method, estimate, seconds, _ in in_order:
        cells = (*[""] * (len(heads) - 2), "not run")
        if estimate is not None:
            interval = "{:.4f} to {:.4f}".format(*estimate.interval)
            means = [] if mean_log_f is None else [f"{mean_log_f - estimate.log_z:.4f}"]
            numbers = f"{estimate.log_z:.4f}", f"{estimate.std_error:.4f}", interval, *means
            cells = (*numbers, f"{seconds:.1f}", f"no: {', '.join(estimate.reasons)}" if estimate.reasons else "yes")
            reasons.update(estimate.reasons)
        rows.append((method, *cells))
    notes = [(name, sentence) for name, sentence in REASONS.items() if name in reasons]
    notes += [(attempt.method, f"not run: {attempt.reason}") for attempt in attempts if attempt.reason]
    upper = "not available" if np.isnan(agreement.upper) else f"{agreement.upper:.4f} nat"
    apart = f"{' and '.join(agreement.apart) or 'none'}, {agreement.sigmas:.1f} standard errors"
    bounds = [("lower bound (AIS - 2 std errors)", f"{agreement.lower:.4f} nat")]
    bounds += [("upper bound (RAISE + 2 std errors)", upper), ("farthest apart", apart)]
    return "\n".join(filter(None, (columns(heads, rows, words=True), table(notes), table(bounds))))


def agreement_json(attempts: Sequence[Attempt], agreement: Agreement, mean_log_f: float | None = None) -> str:
    """Attempts and their Agreement as one line of JSON; mean_log_f: as for `agreement_table`."""
    rows = []
    for method, estimate, seconds, reason in attempts:
        rows.append({"method": method, "seconds": seconds, "reason": reason or None})
        if estimate is not None:
            fields = ("log_z", "std_error", "interval", "bounds", "sweeps", "chains", "rests_on", "reasons")
            rows[-1] |= {name: getattr(estimate, name) for name in fields} | {"converged": bool(estimate.converged)}
            rows[-1] |= {} if mean_log_f is None else {"mean_log_likelihood": mean_log_f - estimate.log_z}
    bounds = {"lower_bound": agreement.lower, "upper_bound": agreement.upper}
    return json_line({"estimates": rows, **bounds, "farthest_apart": agreement.apart, "sigmas": agreement.sigmas})
