"""Error statistics over replicates, with bootstrap bands."""

import numpy as np

RESAMPLES = 2000
QUANTILES = (0.025, 0.975)


def mean_with_band(log_z):
    """Mean over the last axis (budget, replicate) and a 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(log_z, lambda values: values.mean(axis=-1))


def rmse_with_band(log_z, truth):
    """Root mean square error over replicates (budget, replicate) and its 95% bootstrap band: (budget,), (2, budget)."""
    return _with_band(log_z - truth, lambda errors: np.sqrt((errors**2).mean(axis=-1)))


def seconds_of_budgets(timings, estimator, budgets):
    """Seconds (budget,) of an estimator, on the line through what was timed, and seconds of a sweep.

    timings: Dataset of `experiments.timing.cost_of_sweeps`; time is linear in sweeps beyond a fixed part.
    """
    measured = timings["seconds"].sel(estimator=estimator)
    rate, fixed = np.polyfit(measured["budget"].values, measured.values, 1)
    return max(fixed, 0.0) + rate * np.asarray(budgets), rate


def _with_band(values, statistic):
    # Always the same resamples: a redrawn figure has the same band.
    generator = np.random.Generator(np.random.Philox(key=0))
    replicates = values.shape[-1]
    # One fewer than there are, so that the variance of a mean comes out right however few (Rao & Wu 1988).
    chosen = generator.integers(replicates, size=(RESAMPLES, max(replicates - 1, 1)))
    resampled = np.stack([statistic(values[..., index]) for index in chosen])
    return statistic(values), np.quantile(resampled, QUANTILES, axis=0)
