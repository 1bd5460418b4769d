"""Statistics over replicates with their bootstrap intervals."""

from typing import NamedTuple

import numpy as np

RESAMPLES = 2000
QUANTILES = (0.025, 0.975)


class Statistic(NamedTuple):
    """A number computed from artifacts, with its 95% interval, and what exactly it is of."""

    value: float
    low: float
    high: float
    of: str


def untested(of):
    """The statistic that could not be computed."""
    return Statistic(np.nan, np.nan, np.nan, of)


def fixed_generator(key):
    """A generator that always makes the same resamples: a repeated figure or verdict is the same."""
    return np.random.Generator(np.random.Philox(key=key))


def resamples(replicates, generator):
    """Places (resample, replicate) of replicates drawn with replacement.

    Of n replicates n - 1 are drawn, so that the variance of a mean comes out right however few there are (Rao & Wu
    1988).
    """
    return generator.integers(replicates, size=(RESAMPLES, max(replicates - 1, 1)))


def resampled(values, chosen):
    """Values (resample, ..., replicate) of the last axis of an array, at the places of `resamples`."""
    return np.moveaxis(values[..., chosen], -2, 0)


def bootstrapped(statistic, *replicated, of):
    """`statistic(*replicated)` with its 95% bootstrap interval over the last axis (replicate) of every array.

    All arrays are resampled together when they have equally many replicates, else each on its own. The statistic takes
    arrays with a leading axis of resamples and returns one number for each.
    """
    generator = fixed_generator(1)
    counts = {array.shape[-1] for array in replicated}
    shared = resamples(min(counts), generator) if len(counts) == 1 else None
    drawn = [
        resampled(array, resamples(array.shape[-1], generator) if shared is None else shared) for array in replicated
    ]
    value = float(statistic(*(array[None] for array in replicated))[0])
    if np.isnan(value):
        return untested(of)
    low, high = np.nanquantile(statistic(*drawn), QUANTILES)
    return Statistic(value, float(low), float(high), of)


def mean_with_band(values):
    """Mean over the last axis (budget, replicate) and a 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(values, lambda sample: sample.mean(axis=-1))


def rmse_with_band(values, truth):
    """Root mean square error over replicates (budget, replicate) and its 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(values - truth, root_mean_square)


def root_mean_square(errors, axis=-1):
    """Root mean square over an axis, or several."""
    return np.sqrt((errors**2).mean(axis=axis))


def ratio_of_rmse(errors, others):
    """Root mean square over all axes but the first (resample), over that of other errors."""
    above, below = (root_mean_square(array, _inner_axes(array)) for array in (errors, others))
    return above / below


def mean(values):
    """Mean over all axes but the first (resample)."""
    return values.mean(axis=_inner_axes(values))


def ratio_of_means(values, others):
    """`mean` of values over that of others."""
    return mean(values) / mean(others)


def difference_of_means(values, others):
    """`mean` of values less that of others."""
    return mean(values) - mean(others)


def _inner_axes(array):
    return tuple(range(1, array.ndim))


def _with_band(values, statistic):
    chosen = resamples(values.shape[-1], fixed_generator(0))
    return statistic(values), np.quantile(statistic(resampled(values, chosen)), QUANTILES, axis=0)


def seconds_of_budgets(timings, estimator, budgets):
    """Seconds (budget,) of an estimator, on the line through what was timed, and seconds of a sweep.

    timings: Dataset of `logzoo.papers.timing.estimators`; time is linear in sweeps beyond a fixed part.
    """
    measured = timings["seconds"].sel(estimator=estimator)
    rate, fixed = np.polyfit(measured["budget"].values, measured.values, 1)
    return max(fixed, 0.0) + rate * np.asarray(budgets), rate
