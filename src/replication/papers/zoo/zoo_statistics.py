"""Statistics of families of models: errors, ranks, coverage and difficulty, with intervals.

Intervals of errors come from one bootstrap. In a family of several models, whole models are resampled for all
estimators at once. For a single model, mean error and RMSE are drawn as if errors were normal, because resamples of a
few replicates vary too little. Each resample also shifts an inexact truth by a normal draw with its standard error.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from replication.artifacts import STAND_IN
from replication.reporting.statistics import (
    DEVIATE,
    QUANTILES,
    RESAMPLES,
    fixed_generator,
    resamples,
    seconds_of_budgets,
    share_with_interval,
)
from replication.types import DataArray, Dataset

LEVEL = 0.95
_RISK = 0.05
# The error of a silently wrong run exceeds both limits: in nats, and in its standard errors.
_WRONG_NATS, _WRONG_ERRORS = 0.5, 4.0


class Moments(NamedTuple):
    """Mean error and mean square error (n, model, estimator, budget) in n resamples; n is 1 for measured moments."""

    bias: np.ndarray
    square: np.ndarray


def families(zoo: Dataset) -> dict[str, Dataset]:
    """Split the zoo into parts {family: part}. Each part has the budgets and replicates that all of its models have."""
    parts = {}
    for family in dict.fromkeys(zoo["family"].values):
        models = zoo.isel(model=np.flatnonzero(zoo["family"].values == family))
        ran = models["log_z"].notnull()
        budgets = np.flatnonzero(ran.any(["estimator", "replicate"]).all("model"))
        replicates = np.flatnonzero(ran.any(["estimator", "budget"]).all("model"))
        parts[family] = models.isel(budget=budgets, replicate=replicates)
    return parts


def unconverged(zoo: Dataset) -> DataArray:
    """Share (model, estimator, budget) of the replicates that did not converge; NaN without replicates."""
    ran = zoo["log_z"].notnull()
    return (1.0 - zoo["converged"]).where(ran).mean("replicate")


def mean_unconverged(part: Dataset) -> np.ndarray:
    """Mean over models (estimator, budget) of the share of replicates that did not converge."""
    return unconverged(part).transpose("estimator", "budget", "model").mean("model").values


def seconds_of(part: Dataset, timings: Dataset) -> np.ndarray:
    """Seconds (estimator, budget) of the estimates of a family, on one of its models."""
    budgets = part["budget"].values
    return np.array([seconds_of_budgets(timings, name, budgets)[0] for name in part["estimator"].values])


def converged_only(zoo: Dataset) -> Dataset:
    """The zoo without the estimates of the runs that did not converge."""
    return zoo.assign(log_z=zoo["log_z"].where(zoo["converged"] == 1))


def with_exact_truth(zoo: Dataset) -> Dataset:
    """The models of the zoo whose log Z is exact."""
    return zoo.isel(model=np.flatnonzero(zoo["truth_std_error"].values == 0.0))


def error_of_truths(part: Dataset) -> tuple[float, float]:
    """The largest standard error of the truths of a family, and the standard error of the mean truth, nats."""
    errors = part["truth_std_error"].values
    return float(errors.max()), float(np.sqrt(np.square(errors).sum())) / errors.size


def outcomes(runs: Dataset) -> dict[str, np.ndarray]:
    """Numbers (estimator[, budget]) of runs that are "right", "refused" (not converged) and "silently wrong"."""
    ran, converged = runs["log_z"].notnull(), runs["converged"] == 1
    error = abs(runs["log_z"] - runs["truth"])
    wrong = (error > _WRONG_NATS) & (error > _WRONG_ERRORS * runs["std_error"])
    signs = {"right": converged & ~wrong, "refused": ~converged, "silently wrong": converged & wrong}
    return {name: (ran & sign).sum(["model", "replicate"]).values for name, sign in signs.items()}


def title_of_family(part: Dataset) -> str:
    """Name, size and number of models of a family, with a mark for stand-in data."""
    count = part.sizes["model"]
    size = f"{int(part['visible'][0])} × {int(part['hidden'][0])}"
    stand_in = STAND_IN if part["stand_in"].any() else ""
    return f"{part['family'].values[0]}: {size}, {count} model{'s' if count > 1 else ''}{stand_in}"


def measured_moments(part: Dataset) -> Moments:
    """Moments of the measured errors of a family."""
    return _moments(_errors(part)[None])


def resampled_moments(part: Dataset) -> Moments:
    """Moments of the errors of a family over resamples. The resamples are the same in every call."""
    generator = fixed_generator(0)
    errors, std_error = _errors(part), part["truth_std_error"].values
    models = errors.shape[0]
    chosen = resamples(models, generator) if models > 1 else np.zeros((RESAMPLES, 1), dtype=np.int64)
    measured = Moments(*(moment[chosen] for moment in _moments(errors)))
    shift = (std_error[chosen] * generator.standard_normal(chosen.shape))[..., None, None]
    # In a cell without spread, rounding may make the square negative.
    square = np.maximum(measured.square - 2 * shift * measured.bias + shift**2, 0.0)
    moments = Moments(measured.bias - shift, square)
    return moments if models > 1 else _drawn(moments, errors, generator)


def _drawn(measured, errors, generator):
    """Draws of the moments of normal errors (..., replicate), about the measured moments."""
    count = errors.shape[-1]
    std_error = errors.std(axis=-1, ddof=min(count - 1, 1)) / np.sqrt(count)
    bias = measured.bias + std_error * generator.standard_t(max(count - 1, 1), measured.bias.shape)
    return Moments(bias, count * measured.square / generator.chisquare(count, measured.square.shape))


def _errors(part):
    return (part["log_z"] - part["truth"]).transpose("model", "estimator", "budget", "replicate").values


def _moments(errors):
    return Moments(errors.mean(axis=-1), np.square(errors).mean(axis=-1))


def log_rmse(moments: Moments) -> np.ndarray:
    """Log of the geometric mean over models of the RMSE, (n, estimator, budget)."""
    with np.errstate(divide="ignore"):
        return 0.5 * np.log(moments.square).mean(axis=1)


def mean_bias(moments: Moments) -> np.ndarray:
    """Mean over models of the bias, (n, estimator, budget)."""
    return moments.bias.mean(axis=1)


def mean_rank(moments: Moments) -> np.ndarray:
    """Mean over models (n, estimator, budget) of the rank by RMSE. Rank 1 is the best; ties share the mean rank."""
    from scipy.stats import rankdata  # takes long to import

    return rankdata(moments.square, axis=2, nan_policy="omit").mean(axis=1)


def with_interval(part: Dataset, statistic: Callable[[Moments], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A statistic of the moments of a family, and its 95% interval: (estimator, budget), (2, estimator, budget)."""
    value = statistic(measured_moments(part))[0]
    low, high = np.quantile(statistic(resampled_moments(part)), QUANTILES, axis=0)
    # With few replicates, all resampled errors and ranks may lie on one side of the measured value.
    return value, np.stack([np.minimum(low, value), np.maximum(high, value)])


def rmse_with_interval(part: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Geometric mean over models of the RMSE, and its 95% interval, as in `with_interval`."""
    value, interval = with_interval(part, log_rmse)
    return np.exp(value), np.exp(interval)


def best_of(part: Dataset) -> int:
    """Index of the estimator with the lowest RMSE at the largest budget."""
    return among_the_best(part)[-1][0]


def among_the_best(part: Dataset) -> list[list[int]]:
    """For every budget, indices of the estimators that may be the best by RMSE, in order of their RMSE.

    The first estimator has the lowest RMSE. Each of the n others is listed if it equals or beats the first in more than
    5% / n of the resamples.
    """
    return lowest(log_rmse(measured_moments(part))[0], log_rmse(resampled_moments(part)))


def lowest(values: np.ndarray, others: np.ndarray) -> list[list[int]]:
    """For every column of values (row, column), indices of the rows that may be the lowest, in order of their values.

    others (resample, row, column): values of paired resamples. Rows whose value is not finite are left out.
    """
    chosen = []
    for column in range(values.shape[1]):
        order = [row for row in np.argsort(values[:, column]) if np.isfinite(values[row, column])]
        best = others[:, order[0], column]
        risk = _RISK / max(len(order) - 1, 1)
        chosen.append([row for row in order if (others[:, row, column] <= best).mean() > risk])
    return chosen


def covered(zoo: Dataset) -> DataArray:
    """1 where the interval of an estimate covers the truth, else 0; NaN without an estimate.

    The standard error of the truth widens the interval in quadrature.
    """
    low, high = (zoo["interval"].isel(bound=end, drop=True) for end in (0, 1))
    half = (high - low) / 2
    further = np.hypot(half, DEVIATE * zoo["truth_std_error"]) - half
    inside = (zoo["truth"] >= low - further) & (zoo["truth"] <= high + further)
    return inside.where(zoo["log_z"].notnull())


def coverage(zoo: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of all intervals that cover the truth, the 95% interval of this share, and the number of intervals."""
    inside, over = covered(zoo), ("model", "replicate")
    hits, number = inside.sum(over).values, inside.count(over).values
    return *share_with_interval(hits, number), number


def difficulty(part: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """RMSE on every model of a family relative to the median model.

    Returns geometric means over budgets (estimator, model), and over budgets and estimators (model,) with a 95%
    interval (2, model) from resampled replicates. The interval is NaN for a single replicate.
    """
    errors = _errors(part)
    replicates = errors.shape[-1]
    of_estimators = _relative(_moments(errors).square)
    generator = fixed_generator(0)
    resample = partial(generator.integers, replicates, size=(*errors.shape[:-1], max(replicates - 1, 1)))
    squares = []
    for _ in range(RESAMPLES // 2):
        shift = part["truth_std_error"].values * generator.standard_normal(errors.shape[0])
        drawn = np.take_along_axis(errors, resample(), axis=-1) - shift[:, None, None, None]
        squares.append(_moments(drawn).square)
    overall = np.nanmean(_relative(np.array(squares)), axis=-1)
    value = np.nanmean(of_estimators, axis=-1)
    # Few replicates bias every resampled RMSE downwards. Only the spread around the mean of the resamples is used.
    spread = np.quantile(overall - np.mean(overall, axis=0), QUANTILES, axis=0)
    spread = spread if replicates > 1 else np.full_like(spread, np.nan)
    return np.exp(of_estimators.T), np.exp(value), np.exp(value + spread)


def _relative(squares):
    """Log RMSE (..., model, estimator) relative to the median over models, averaged over budgets."""
    logs = 0.5 * np.log(squares)
    return np.nanmean(logs - np.nanmedian(logs, axis=-3, keepdims=True), axis=-1)
