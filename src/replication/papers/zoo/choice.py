"""Table of which estimator to use, by family and budget: derived from the zoo and from measured seconds.

Which estimator to use, derived from the zoo and from measured seconds. The RMSE is the geometric mean over the models
of a family. Beside the best are listed those that a paired bootstrap does not tell from it. Intervals are too narrow
where significantly fewer than 95% of them cover.
"""

from collections import Counter

import numpy as np

from replication.papers.zoo.families import combined_and_timed
from replication.papers.zoo.statistics import (
    LEVEL,
    among_the_best,
    coverage,
    families,
    log_rmse,
    title_of_family,
    unconverged,
    with_interval,
)
from replication.reporting.statistics import seconds_of_budgets
from replication.reporting.tables import COUNT, DIGITS, Column, table_of

_COLUMNS = {
    "best": Column("lowest RMSE"),
    "rmse": Column("RMSE", "nat", DIGITS),
    "rmse_low": Column("95% low", "nat", DIGITS),
    "rmse_high": Column("95% high", "nat", DIGITS),
    "tied": Column("not distinguishable from it"),
    "coverage": Column("its intervals that cover"),
    "runs": Column("of so many runs", form=COUNT),
    "narrow": Column("intervals too narrow"),
    "seconds": Column("its time", "s", DIGITS),
    "fastest": Column("fastest of all these"),
    "fastest_seconds": Column("time of the fastest", "s", DIGITS),
    "warning": Column("not converged in some runs"),
}

inputs = combined_and_timed


def rows(artifacts, *, names):
    """A row for every family and budget, and one that sums up."""
    rows, listed, seconds_of = {}, Counter(), Counter()
    for family, part in families(artifacts["zoo"]).items():
        timings, budgets = artifacts["timings"][family], part["budget"].values
        estimators, titles = part["estimator"].values, [names[name] for name in part["estimator"].values]
        rmse, interval = (np.exp(logarithm) for logarithm in with_interval(part, log_rmse))
        share, (_, high), runs = coverage(part)
        doubtful = unconverged(part).transpose("estimator", "budget", "model").mean("model").values
        seconds = np.array([seconds_of_budgets(timings, name, budgets)[0] for name in estimators])
        for column, (budget, chosen) in enumerate(zip(budgets, among_the_best(part), strict=True)):
            best, *tied = chosen
            fastest = min(chosen, key=lambda row, column=column: seconds[row, column])
            narrow = [titles[row] for row in chosen if high[row, column] < LEVEL]
            warned = [f"{titles[row]} ({doubtful[row, column]:.0%})" for row in chosen if doubtful[row, column] > 0]
            rows[f"{title_of_family(part)}, {budget:,} sweeps"] = {
                "best": titles[best],
                "rmse": rmse[best, column],
                "rmse_low": interval[0, best, column],
                "rmse_high": interval[1, best, column],
                "tied": ", ".join(titles[row] for row in tied) or "-",
                "coverage": share[best, column],
                "runs": runs[best, column],
                "narrow": ", ".join(narrow) or "-",
                "seconds": seconds[best, column],
                "fastest": titles[fastest],
                "fastest_seconds": seconds[fastest, column],
                "warning": ", ".join(warned) or "-",
            }
            listed.update(estimators[chosen])
            seconds_of.update(dict(zip(estimators[chosen], seconds[chosen, column], strict=True)))
    return table_of({**rows, **_summary(listed, seconds_of, names, len(rows))}, "models and budget", _COLUMNS)


def _summary(listed, seconds, names, count):
    """The row that closes the table: how often each estimator is among the best, the least seconds first in a tie."""
    order = sorted(listed, key=lambda name: (-listed[name], seconds[name] / listed[name]))
    often = [f"{names[name]} {listed[name]}" for name in order]
    return {f"among the best, of {count} rows": {"best": often[0], "tied": ", ".join(often[1:]) or "-"}}
