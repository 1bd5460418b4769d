"""Table of which estimator to use, by family and budget: derived from the zoo and from measured seconds.

Which estimator to use, derived from the zoo and from measured seconds. The RMSE is the geometric mean over the models
of a family. Beside the best are listed those that a paired bootstrap does not tell from it. Intervals are too narrow
where significantly fewer than 95% of them cover.
"""

from collections import Counter

import numpy as np

from logzoo.papers.zoo.families import combined_and_timed
from logzoo.papers.zoo.statistics import (
    LEVEL,
    among_the_best,
    coverage,
    families,
    log_rmse,
    title_of_family,
    unconverged,
    with_interval,
)
from logzoo.reporting.statistics import seconds_of_budgets
from logzoo.reporting.tables import COUNT, DIGITS, Column, table_of

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
        rmse, interval = (np.exp(logarithm) for logarithm in with_interval(part, log_rmse))
        covers = coverage(part)
        seconds = np.array([seconds_of_budgets(timings, name, budgets)[0] for name in part["estimator"].values])
        for column, (budget, chosen) in enumerate(zip(budgets, among_the_best(part), strict=True)):
            rows[f"{title_of_family(part)}, {budget:,} sweeps"] = {
                "rmse": rmse[chosen[0], column],
                "rmse_low": interval[0, chosen[0], column],
                "rmse_high": interval[1, chosen[0], column],
                **_words(part, chosen, names, seconds[:, column]),
                **_trust(part.sel(budget=budget), chosen, names, [array[..., column] for array in covers]),
            }
            estimators = part["estimator"].values[chosen]
            listed.update(estimators)
            seconds_of.update(dict(zip(estimators, seconds[chosen, column], strict=True)))
    return table_of({**rows, **_summary(listed, seconds_of, names, len(rows))}, "models and budget", _COLUMNS)


def _words(part, chosen, names, seconds):
    """Who is the best, who else may be, who of them is fastest; seconds (estimator,)."""
    best, *tied = (names[name] for name in part["estimator"].values[chosen])
    fastest = min(chosen, key=lambda row: seconds[row])
    return {
        "best": best,
        "tied": ", ".join(tied) or "-",
        "seconds": seconds[chosen[0]],
        "fastest": names[part["estimator"].values[fastest]],
        "fastest_seconds": seconds[fastest],
    }


def _trust(part, chosen, names, covers):
    """How far the intervals of the chosen are to be trusted, at one budget; covers: share, its interval, runs."""
    titles = [names[name] for name in part["estimator"].values]
    share, (_, high), runs = covers
    doubtful = unconverged(part).transpose("estimator", "model").mean("model").values
    narrow = [titles[row] for row in chosen if high[row] < LEVEL]
    warned = [f"{titles[row]} ({doubtful[row]:.0%})" for row in chosen if doubtful[row] > 0]
    return {
        "coverage": share[chosen[0]],
        "runs": runs[chosen[0]],
        "narrow": ", ".join(narrow) or "-",
        "warning": ", ".join(warned) or "-",
    }


def _summary(listed, seconds, names, count):
    """The row that closes the table: how often each estimator is among the best, the least seconds first in a tie."""
    order = sorted(listed, key=lambda name: (-listed[name], seconds[name] / listed[name]))
    often = [f"{names[name]} {listed[name]}" for name in order]
    return {f"among the best, of {count} rows": {"best": often[0], "tied": ", ".join(often[1:]) or "-"}}
