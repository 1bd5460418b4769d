"""What the zoo says of families of models: errors, ranks and coverage, with intervals from one bootstrap.

A family stands for models like its own: of several models, whole models are resampled, for all estimators at once, so
that what is hard about a model cancels from comparisons. Of a single model, mean error and RMSE are drawn as those of
normal errors: its few replicates, resampled, would say too little of what may be. Where the truth is not exact, each
resample moves it by its standard error, for all estimators alike.
"""

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
    share_with_interval,
)

LEVEL = 0.95
_RISK = 0.05
# By so many nats, and of its own standard errors, a run must be off to be called wrong.
_WRONG_NATS, _WRONG_ERRORS = 0.5, 4.0


class Moments(NamedTuple):
    """Mean and mean square error of every cell, measured (1, model, estimator, budget) or resampled (n, ...)."""

    bias: np.ndarray
    square: np.ndarray


def families(zoo):
    """The parts {family: part} of the zoo, in order, each at the budgets and replicates that all its models have.

    Raises ValueError for a family whose models share no budget.
    """
    parts = {}
    for family in dict.fromkeys(zoo["family"].values):
        models = zoo.isel(model=np.flatnonzero(zoo["family"].values == family))
        ran = models["log_z"].notnull()
        budgets = np.flatnonzero(ran.any(["estimator", "replicate"]).all("model"))
        replicates = np.flatnonzero(ran.any(["estimator", "budget"]).all("model"))
        if not budgets.size:
            raise ValueError(f"models of the family {family}: expected a budget that all of them share, found none")
        parts[family] = models.isel(budget=budgets, replicate=replicates)
    return parts


def unconverged(zoo):
    """Share (model, estimator, budget) of replicates that say they did not converge; NaN where there are none."""
    ran = zoo["log_z"].notnull()
    return (1.0 - zoo["converged"]).where(ran).mean("replicate")


def vouched_for(zoo):
    """The zoo without the estimates of runs that did not say they converged."""
    return zoo.assign(log_z=zoo["log_z"].where(zoo["converged"] == 1))


def error_of_truths(part):
    """The standard error of a family's truths: of the largest among its models, and of their mean."""
    errors = part["truth_std_error"].values
    return float(errors.max()), float(np.sqrt(np.square(errors).sum())) / errors.size


def outcomes(runs):
    """Numbers {"right", "refused", "silently wrong": (estimator,)} of the runs (model, estimator, replicate).

    Silently wrong: off by more than half a nat and four of its own standard errors, and said to have converged.
    """
    ran, sure = runs["log_z"].notnull(), runs["converged"] == 1
    error = abs(runs["log_z"] - runs["truth"])
    wrong = (error > _WRONG_NATS) & (error > _WRONG_ERRORS * runs["std_error"])
    signs = {"right": ran & sure & ~wrong, "refused": ran & ~sure, "silently wrong": ran & sure & wrong}
    return {name: sign.sum(["model", "replicate"]).transpose("estimator").values for name, sign in signs.items()}


def title_of_family(part):
    """Name, size and number of models of a family, and whether other data stand in for its own."""
    count = part.sizes["model"]
    size = f"{int(part['visible'][0])} × {int(part['hidden'][0])}"
    stand_in = STAND_IN if part["stand_in"].any() else ""
    return f"{part['family'].values[0]}: {size}, {count} model{'s' if count > 1 else ''}{stand_in}"


def measured_moments(part):
    """Moments of the errors of a family as they are."""
    return _moments(_errors(part)[None])


def resampled_moments(part):
    """Moments of the errors of a family over resamples, always the same ones: a redrawn figure has the same bands."""
    generator = fixed_generator(0)
    errors, std_error = _errors(part), part["truth_std_error"].values
    models = errors.shape[0]
    chosen = resamples(models, generator) if models > 1 else np.zeros((RESAMPLES, 1), dtype=np.int64)
    shown = Moments(*(moment[chosen] for moment in _moments(errors)))
    shift = (std_error[chosen] * generator.standard_normal(chosen.shape))[..., None, None]
    # Rounding may leave the square of a cell without spread below 0.
    square = np.maximum(shown.square - 2 * shift * shown.bias + shift**2, 0.0)
    moments = Moments(shown.bias - shift, square)
    return moments if models > 1 else _drawn(moments, errors, generator)


def _drawn(shown, errors, generator):
    """Moments that normal errors (..., replicate) may have, drawn about those that are shown.

    Where there is no bias, n times the mean square over the true one is chi-squared; the mean is Student's.
    """
    count = errors.shape[-1]
    std_error = errors.std(axis=-1, ddof=min(count - 1, 1)) / np.sqrt(count)
    bias = shown.bias + std_error * generator.standard_t(max(count - 1, 1), shown.bias.shape)
    return Moments(bias, count * shown.square / generator.chisquare(count, shown.square.shape))


def _errors(part):
    return (part["log_z"] - part["truth"]).transpose("model", "estimator", "budget", "replicate").values


def _moments(errors):
    return Moments(errors.mean(axis=-1), np.square(errors).mean(axis=-1))


def log_rmse(moments):
    """Log of the geometric mean over models of the RMSE, (n, estimator, budget)."""
    with np.errstate(divide="ignore"):
        return 0.5 * np.log(moments.square).mean(axis=1)


def mean_bias(moments):
    """Mean over models of the bias, (n, estimator, budget)."""
    return moments.bias.mean(axis=1)


def mean_rank(moments):
    """Mean over models of each estimator's rank by RMSE, 1 the best, ties shared; (n, estimator, budget)."""
    square = moments.square
    below = np.zeros(square.shape, np.int64)  # an equal one, as each is to itself, counts half: all counts are doubled
    for other in np.split(square, square.shape[2], axis=2):
        below += other < square
        below += other <= square
    return np.where(np.isnan(square), np.nan, 0.5 + 0.5 * below).mean(axis=1)


def with_interval(part, statistic):
    """A statistic of the moments of a family, and its 95% interval: (estimator, budget), (2, estimator, budget)."""
    value = statistic(measured_moments(part))[0]
    low, high = np.quantile(statistic(resampled_moments(part)), QUANTILES, axis=0)
    # Of three replicates resampled errors and ranks may all lie to one side of what was measured.
    return value, np.stack([np.minimum(low, value), np.maximum(high, value)])


def among_the_best(part):
    """For every budget, numbers of the estimators that may be the best by RMSE, in order: the first is the best found.

    The others are those whose RMSE is no larger than its in a share of resamples above 5% over their number.
    """
    return lowest(log_rmse(measured_moments(part))[0], log_rmse(resampled_moments(part)))


def lowest(values, others):
    """For every column of values (row, column), numbers of the rows that may be the lowest, the lowest found first.

    others (resample, row, column): the same of paired resamples. A value that is not finite is none.
    """
    chosen = []
    for column in range(values.shape[1]):
        order = [row for row in np.argsort(values[:, column]) if np.isfinite(values[row, column])]
        best = others[:, order[0], column]
        risk = _RISK / max(len(order) - 1, 1)
        chosen.append([row for row in order if (others[:, row, column] <= best).mean() > risk])
    return chosen


def covered(zoo):
    """1 where the interval of an estimate covers the truth, 0 where not, NaN where there is none.

    Where the truth is not exact, its own error is added to half the interval in quadrature.
    """
    low, high = (zoo["interval"].isel(bound=end, drop=True) for end in (0, 1))
    half = (high - low) / 2
    further = np.hypot(half, DEVIATE * zoo["truth_std_error"]) - half
    inside = (zoo["truth"] >= low - further) & (zoo["truth"] <= high + further)
    return inside.where(zoo["log_z"].notnull())


def coverage(zoo):
    """Share of intervals that cover, its 95% interval, and their number, over models and replicates."""
    inside, over = covered(zoo), ("model", "replicate")
    hits, number = inside.sum(over).values, inside.count(over).values
    return *share_with_interval(hits, number), number


def difficulty(part):
    """How hard every model of a family is: RMSE relative to the median model, (estimator, model), and over all.

    Returns the geometric means over budgets (estimator, model), those over estimators too (model,), and the 95%
    interval of these (2, model), from replicates resampled within every cell.
    """
    errors = _errors(part)
    replicates = errors.shape[-1]
    each = _relative(_moments(errors).square)
    generator = fixed_generator(0)
    resample = partial(generator.integers, replicates, size=(*errors.shape[:-1], max(replicates - 1, 1)))
    squares = []
    for _ in range(RESAMPLES // 2):
        shift = part["truth_std_error"].values * generator.standard_normal(errors.shape[0])
        drawn = np.take_along_axis(errors, resample(), axis=-1) - shift[:, None, None, None]
        squares.append(_moments(drawn).square)
    overall = np.nanmean(_relative(np.array(squares)), axis=-1)
    value = np.nanmean(each, axis=-1)
    # Few replicates pull every resampled RMSE down; the spread around their mean is what counts.
    spread = np.quantile(overall - np.mean(overall, axis=0), QUANTILES, axis=0)
    return np.exp(each.T), np.exp(value), np.exp(value + spread)


def _relative(squares):
    """Log RMSE relative to the median model of an estimator and budget, mean over budgets: (..., model, estimator)."""
    logs = 0.5 * np.log(squares)
    return np.nanmean(logs - np.nanmedian(logs, axis=-3, keepdims=True), axis=-1)
