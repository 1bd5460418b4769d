"""What the zoo says of families of models: errors, ranks and coverage, with intervals from one bootstrap.

A family stands for models like its own: of several models, whole models are resampled, for all estimators at once, so
that what is hard about a model cancels from comparisons. Of a single model, its replicates are. Where the truth is
not exact, each resample moves it by its standard error, for all estimators alike.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from logzoo.figures.statistics import QUANTILES, RESAMPLES

_NORMAL = 1.959963984540054
_RISK = 0.05


class Moments(NamedTuple):
    """Mean and mean square error of every cell, as found (1, model, estimator, budget) and resampled (n, ...)."""

    bias: np.ndarray
    square: np.ndarray


def families(zoo):
    """Names of the families, in the order of their first models."""
    return list(dict.fromkeys(zoo["family"].values))


def of_family(zoo, family):
    """The part of the zoo that holds one family, with the budgets that all its models ran at."""
    one = zoo.isel(model=np.flatnonzero(zoo["family"].values == family))
    shared = one["log_z"].notnull().any(["estimator", "replicate"]).all("model")
    return one.isel(budget=np.flatnonzero(shared))


def title_of_family(one):
    """Name, size and number of models of a family, and whether other data stand in for its own."""
    count = one.sizes["model"]
    size = f"{int(one['visible'][0])} × {int(one['hidden'][0])}"
    stand_in = " (STAND-IN: digits)" if one["stand_in"].any() else ""
    return f"{one['family'].values[0]}: {size}, {count} model{'s' if count > 1 else ''}{stand_in}"


def found(one):
    """Moments of the errors of a family as they are."""
    return _moments(_errors(one)[None])


def resampled(one):
    """Moments of the errors of a family over resamples, always the same ones: a redrawn figure has the same bands."""
    generator = np.random.Generator(np.random.Philox(key=0))
    errors = _errors(one)
    count = errors.shape[0] if errors.shape[0] > 1 else errors.shape[-1]
    # One fewer than there are, so that the variance of a mean comes out right however few (Rao & Wu 1988).
    chosen = generator.integers(count, size=(RESAMPLES, max(count - 1, 1)))
    if errors.shape[0] > 1:
        moments = Moments(*(part[0][chosen] for part in _moments(errors[None])))
        std_error = one["truth_std_error"].values[chosen]
    else:
        moments = _moments(np.moveaxis(errors[..., chosen], -2, 0))
        std_error = np.broadcast_to(one["truth_std_error"].values, (RESAMPLES, 1))
    shift = (std_error * generator.standard_normal(std_error.shape))[..., None, None]
    # Rounding may leave the square of a cell without spread below 0.
    square = np.maximum(moments.square - 2 * shift * moments.bias + shift**2, 0.0)
    return Moments(moments.bias - shift, square)


def _errors(one):
    errors = (one["log_z"] - one["truth"]).transpose("model", "estimator", "budget", "replicate")
    return errors.values


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
    this, other = square[:, :, :, None], square[:, :, None]
    ranks = 0.5 + (other < this).sum(axis=3) + 0.5 * (other == this).sum(axis=3)
    return np.where(np.isnan(square), np.nan, ranks).mean(axis=1)


def with_interval(one, statistic):
    """A statistic of the moments of a family, and its 95% interval: (estimator, budget), (2, estimator, budget)."""
    value = statistic(found(one))[0]
    low, high = np.quantile(statistic(resampled(one)), QUANTILES, axis=0)
    # Of three replicates resampled errors and ranks may all lie to one side of what was found.
    return value, np.stack([np.minimum(low, value), np.maximum(high, value)])


def among_the_best(one):
    """For every budget, places of the estimators that may be the best by RMSE, in order: the first is the best found.

    The others are those whose RMSE is no larger than its in a share of resamples above 5% over their number.
    """
    values, others = log_rmse(found(one))[0], log_rmse(resampled(one))
    chosen = []
    for column in range(values.shape[1]):
        order = [place for place in np.argsort(values[:, column]) if np.isfinite(values[place, column])]
        best = others[:, order[0], column]
        risk = _RISK / max(len(order) - 1, 1)
        chosen.append([place for place in order if (others[:, place, column] <= best).mean() > risk])
    return chosen


def covered(zoo):
    """1 where the interval of an estimate covers the truth, 0 where not, NaN where there is none.

    Where the truth is not exact, its own error is added to half the interval in quadrature.
    """
    low, high = (zoo["interval"].isel(bound=place, drop=True) for place in (0, 1))
    half = (high - low) / 2
    further = np.hypot(half, _NORMAL * zoo["truth_std_error"]) - half
    inside = (zoo["truth"] >= low - further) & (zoo["truth"] <= high + further)
    return inside.where(zoo["log_z"].notnull())


def share_with_interval(hits, number):
    """Share of hits and its 95% interval (Clopper & Pearson 1934); NaN where the number is 0."""
    from scipy.special import betaincinv  # takes long to import, and most figures of the zoo need none

    tail = QUANTILES[0]
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), number - hits + 1, tail), 0.0)
        high = np.where(hits < number, betaincinv(hits + 1, np.maximum(number - hits, 1), 1 - tail), 1.0)
        share = hits / number
    return share, np.where(number > 0, [low, high], np.nan)


def coverage(zoo, dimensions=("model", "replicate")):
    """Share of intervals that cover, its 95% interval, and their number, over these dimensions."""
    each = covered(zoo)
    hits, number = each.sum(dimensions).values, each.count(dimensions).values
    return *share_with_interval(hits, number), number


def difficulty(one):
    """How hard every model of a family is: RMSE relative to the median model, (estimator, model), and over all.

    Returns the geometric means over budgets (estimator, model), those over estimators too (model,), and the 95%
    interval of these (2, model), from replicates resampled within every cell.
    """
    errors = _errors(one)
    replicates = errors.shape[-1]
    each = _relative(0.5 * np.log(_moments(errors).square))
    generator = np.random.Generator(np.random.Philox(key=0))
    resample = partial(generator.integers, replicates, size=(*errors.shape[:-1], max(replicates - 1, 1)))
    overall = []
    for _ in range(RESAMPLES // 2):
        shift = one["truth_std_error"].values * generator.standard_normal(errors.shape[0])
        drawn = np.take_along_axis(errors, resample(), axis=-1) - shift[:, None, None, None]
        overall.append(np.nanmean(_relative(0.5 * np.log(_moments(drawn).square)), axis=0))
    value = np.nanmean(each, axis=0)
    # Few replicates pull every resampled RMSE down; the spread around their mean is what counts.
    spread = np.quantile(overall - np.mean(overall, axis=0), QUANTILES, axis=0)
    return np.exp(each), np.exp(value), np.exp(value + spread)


def _relative(log_rmse_of_cells):
    """Relative to the median model of each estimator and budget, mean over budgets: (estimator, model)."""
    return np.nanmean(log_rmse_of_cells - np.nanmedian(log_rmse_of_cells, axis=0), axis=-1).T
