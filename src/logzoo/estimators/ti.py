"""TI: thermodynamic integration, log Z_K - log Z_1 = the integral over beta of E_beta[d log f_beta(x) / d beta].

Carlson et al. (2016), section 3.4; Friel, Hurn & Wyse (2014) for the corrected trapezoid. Draws and cost are as in RTS.
"""

from functools import partial

import numpy as np

from logzoo.estimators.estimator import Draws
from logzoo.estimators.result import Estimate
from logzoo.estimators.tempering_estimates import FLOOR, from_sums
from logzoo.samplers.observers import RungDerivatives, WeightedDerivatives
from logzoo.types import Floats

# The finer rule with which a rule is compared. TI-RB lacks second derivatives, so it has no finer rule.
_FINER = {"riemann": "trapezoid", "trapezoid": "corrected"}


def rao_blackwell(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by TI-RB: the trapezoidal rule with draws weighted by q(beta_k | x) (eq 21)."""
    sample = draws.sample

    def log_z_of(totals, rungs=slice(None)):
        mean = totals[..., 1, rungs] / np.maximum(totals[..., 0, rungs], FLOOR)
        return sample.log_z_base + log_ratio(sample.betas[rungs], mean, rule="trapezoid")

    return _estimated(draws, draws.observed[WeightedDerivatives].sums, log_z_of)


def _at_drawn_rungs(rule: str, draws: Draws) -> Estimate:
    """TI estimate by an integration rule. Each draw x of `draws` counts at the rung drawn from q(beta | x)."""
    log_z_of = partial(_log_z_of_sums, draws.sample, rule)
    finer = partial(_log_z_of_sums, draws.sample, _FINER.get(rule, rule))
    return _estimated(draws, draws.observed[RungDerivatives].sums, log_z_of, finer)


# The Estimates of `Draws` by TI with each rule.
riemann, trapezoid, corrected = (partial(_at_drawn_rungs, rule) for rule in ("riemann", "trapezoid", "corrected"))


def _estimated(draws, sums, log_z_of, finer=None):
    """Estimate with the rule's error: the larger of the distances to the rule on every other rung and to a finer rule.

    With an even number of rungs, the last interval of the coarser ladder spans three intervals. The distance
    from the finer rule is the bias to leading order, and is part of the standard error.
    """
    # Unlike Richardson's error, the distance is not divided by 2^p - 1 for order p. With a step in the integrand, the
    # error of a rule does not fall with its order.
    count = draws.sample.betas.size
    coarse = np.append(np.arange(0, count - 2, 2), count - 1)
    total = sums.sum(axis=0)
    log_z = log_z_of(total)
    bias = 0.0 if finer is None else float(abs(finer(total) - log_z))
    rule_error = max(float(abs(log_z_of(total, coarse) - log_z)), bias) if count > 2 else np.inf
    return from_sums(draws, sums, log_z_of, rule_error=rule_error, bias=bias)


def _log_z_of_sums(draws, rule, totals, rungs=slice(None)):
    """log Z (...,) from totals (..., 4, rung) as in `RungDerivatives`, at the selected rungs (default: all)."""
    count, slope, square, bend = np.moveaxis(totals[..., rungs], -2, 0)
    count = np.where(count > 0.0, count, np.nan)
    mean = slope / count
    # d^2 log Z / d beta^2 is the variance of the derivative plus the mean of the second derivative.
    variance = (square - slope * mean) / np.maximum(count - 1.0, 1.0)
    return draws.log_z_base + log_ratio(draws.betas[rungs], mean, variance + bend / count, rule=rule)


def log_ratio(betas: Floats, mean: Floats, second: Floats | None = None, *, rule: str) -> Floats:
    """Integrate d log Z / d beta over a ladder.

    Parameters
    ----------
    betas : ndarray, shape (rung,)
    mean : ndarray, shape (..., rung)
        Means of d log f / d beta. The mean of an empty rung is NaN and is filled by linear interpolation.
    second : ndarray, shape (..., rung), optional
        Second derivatives of log Z in beta, for the rule "corrected".
    rule : str
        "riemann" (right Riemann sum), "trapezoid", or "corrected": the trapezoid minus the sum of
        (beta_{k+1} - beta_k)^2 / 12 times the increase of `second`.

    Returns
    -------
    ndarray, shape (...,), nats
        log Z_K - log Z_1.

    Raises
    ------
    ValueError
        If every rung is empty.
    """
    widths = np.diff(betas)
    mean = _filled("mean", betas, mean)
    if rule == "riemann":
        return mean[..., 1:] @ widths
    area = 0.5 * (mean[..., 1:] + mean[..., :-1]) @ widths
    if rule == "corrected":
        area = area - np.diff(_filled("second", betas, second), axis=-1) @ widths**2 / 12.0
    return area


def _filled(name, betas, values):
    """`values` (..., rung) with NaN interpolated linearly in beta, or replaced by the nearest value at the ends."""
    values = np.array(values, np.float64)
    rows = values.reshape(-1, values.shape[-1])
    missing = np.isnan(rows)
    for row in np.flatnonzero(missing.any(axis=1)):
        empty = missing[row]
        if empty.all():
            raise ValueError(f"{name}: expected a value at one or more rungs, found none")
        rows[row, empty] = np.interp(betas[empty], betas[~empty], rows[row, ~empty])
    return values
