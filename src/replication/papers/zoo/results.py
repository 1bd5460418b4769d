"""Numbers of the zoo by family, estimator and budget, all by the functions that the figures draw, for its page."""

import numpy as np

from replication.papers.zoo.statistics import (
    among_the_best,
    coverage,
    error_of_truths,
    families,
    log_rmse,
    mean_bias,
    title_of_family,
    unconverged,
    vouched_for,
    with_interval,
)
from replication.reporting.statistics import seconds_of_budgets

# More than anybody reads off: intervals are wider.
_DIGITS = 4


def results(zoo, timings):
    """Of every family a dict of numbers that JSON can hold, rounded to four digits; None where there is none.

    timings: {family: Dataset}, as of `families.combined_and_timed`. Cells are lists [estimator][budget]; a quantity
    with its 95% interval is {"value", "low", "high"} of them. `best` lists, for each budget, the estimators that a
    paired bootstrap does not tell from the best by RMSE; `vouched` is the coverage of runs that converged alone.
    """
    return [_of_family(name, part, timings[name]) for name, part in families(zoo).items()]


def _of_family(name, part, timings):
    budgets = part["budget"].values
    rmse, interval = (np.exp(logarithm) for logarithm in with_interval(part, log_rmse))
    of_one, of_mean = error_of_truths(part)
    seconds = [seconds_of_budgets(timings, estimator, budgets)[0] for estimator in part["estimator"].values]
    return {
        "name": str(name),
        "title": title_of_family(part),
        "chains": int(part["chains"][0]),
        "budgets": [int(budget) for budget in budgets],
        "truth_error": rounded(of_one),
        "mean_truth_error": rounded(of_mean),
        "rmse": _interval(rmse, interval),
        "bias": _interval(*with_interval(part, mean_bias)),
        "coverage": _coverage(part),
        "vouched": _coverage(vouched_for(part)),
        "seconds": rounded(np.array(seconds)),
        "unconverged": rounded(unconverged(part).transpose("estimator", "budget", "model").mean("model").values),
        "best": [[int(row) for row in chosen] for chosen in among_the_best(part)],
    }


def _interval(value, interval):
    return {"value": rounded(value), "low": rounded(interval[0]), "high": rounded(interval[1])}


def _coverage(part):
    share, interval, runs = coverage(part)
    return {**_interval(share, interval), "runs": runs.tolist()}


def rounded(values):
    """Numbers with four digits, in lists where there are several; None in the place of what is not finite."""
    if np.ndim(values):
        return [rounded(value) for value in values]
    return float(f"{values:.{_DIGITS}g}") if np.isfinite(values) else None
