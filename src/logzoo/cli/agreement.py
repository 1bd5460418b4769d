"""All estimators on one RBM at the same budget: what they say of log Z, whether they agree, what bounds it."""

import time
from itertools import combinations
from typing import NamedTuple

import numpy as np

from logzoo.api import estimate_log_z
from logzoo.estimators.evidence import gather, weighed
from logzoo.estimators.registry import ESTIMATORS, starts_from_data, takes
from logzoo.estimators.result import Estimate
from logzoo.reporting.printing import columns, json_line, one_line, table
from logzoo.streams import root_stream

# Two estimates disagree when they lie farther apart than so many standard errors of their difference.
_SIGMAS = 4.0


class Attempt(NamedTuple):
    """One estimator's turn."""

    method: str
    estimate: Estimate | None  # None when it could not be run
    seconds: float
    reason: str  # why it could not; empty otherwise


class Agreement(NamedTuple):
    """What the attempts say together, in nats."""

    lower: float  # AIS less its error: E[Z^] = Z, so log Z^ lies below log Z on average; NaN without AIS
    upper: float  # RAISE and its error, above log Z on average where the data are draws of the model; NaN without
    apart: tuple  # the two converged methods farthest apart in standard errors of the difference; () if below 2
    sigmas: float  # that distance

    @property
    def disagree(self):
        """Whether some two are too far apart to be both right."""
        return self.sigmas > _SIGMAS


def applicable_methods(data):
    """Names of the estimators that can be run: those that start from data only where there are any."""
    return [name for name in ESTIMATORS if data is not None or not starts_from_data(name)]


def try_all(rbm, *, data, snapshots=None, tell=lambda method: None, **settings):
    """Attempts of all applicable estimators, settings as in `estimate_log_z`; tell(method) is called before each.

    snapshots: handed to those that take them.
    """
    attempts = []
    evidence = gather(rbm, root_stream(settings.get("seed", 0)).child("evidence"), data=data)
    for method in applicable_methods(data):
        tell(method)
        start = time.perf_counter()
        try:
            own = {"snapshots": snapshots} if takes(method, "snapshots") else {}
            estimate = estimate_log_z(rbm, method, data=data, check=False, **settings, **own)
            estimate, reason = weighed(estimate, evidence), ""
        except (ValueError, ModuleNotFoundError) as error:
            estimate, reason = None, str(error)
        attempts.append(Attempt(method, estimate, time.perf_counter() - start, reason))
    return attempts


def agreement_of(attempts):
    """The Agreement of Attempts; those that did not converge are left out of the comparison."""
    estimates = {attempt.method: attempt.estimate for attempt in attempts if attempt.estimate is not None}
    lower = estimates["ais"].log_z - 2.0 * estimates["ais"].std_error if "ais" in estimates else np.nan
    upper = estimates["raise"].log_z + 2.0 * estimates["raise"].std_error if "raise" in estimates else np.nan
    # RAISE does not estimate log Z without bias at small budgets, so it only bounds.
    sound = sorted(name for name, estimate in estimates.items() if estimate.converged and name != "raise")
    apart, sigmas = (), 0.0
    for pair in combinations(sound, 2):
        first, second = (estimates[name] for name in pair)
        error = np.hypot(first.std_error, second.std_error)
        distance = abs(first.log_z - second.log_z) / error if error > 0 else 0.0
        if distance > sigmas:
            apart, sigmas = pair, distance
    return Agreement(lower, upper, apart, float(sigmas))


def agreement_table(attempts, agreement):
    """Attempts and their Agreement as text."""
    heads = ("method", "log Z [nat]", "std error", "95% interval", "converged", "seconds")
    rows = []
    for method, estimate, seconds, _ in attempts:
        cells = ("not run", "", "", "", "")
        if estimate is not None:
            interval = "{:.4f} to {:.4f}".format(*estimate.interval)
            numbers = f"{estimate.log_z:.4f}", f"{estimate.std_error:.4f}", interval
            cells = (*numbers, "yes" if estimate.converged else "no", f"{seconds:.1f}")
        rows.append((method, *cells))
    refusals = (f"{attempt.method} not run: {one_line(attempt.reason)}\n" for attempt in attempts if attempt.reason)
    upper = "needs --data" if np.isnan(agreement.upper) else f"{agreement.upper:.4f} nat"
    apart = f"{' and '.join(agreement.apart) or 'none'}, {agreement.sigmas:.1f} standard errors"
    bounds = [("lower bound (AIS - 2 std errors)", f"{agreement.lower:.4f} nat")]
    bounds += [("upper bound (RAISE + 2 std errors)", upper), ("farthest apart", apart)]
    return columns(heads, rows) + "".join(refusals) + table(bounds)


def agreement_json(attempts, agreement):
    """Attempts and their Agreement as one line of JSON."""
    rows = []
    for method, estimate, seconds, reason in attempts:
        rows.append({"method": method, "seconds": seconds, "reason": reason or None})
        if estimate is not None:
            fields = ("log_z", "std_error", "interval", "sweeps", "chains")
            rows[-1] |= {name: getattr(estimate, name) for name in fields} | {"converged": bool(estimate.converged)}
    bounds = {"lower_bound": agreement.lower, "upper_bound": agreement.upper}
    return json_line({"estimates": rows, **bounds, "farthest_apart": agreement.apart, "sigmas": agreement.sigmas})
