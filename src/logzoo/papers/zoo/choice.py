"""Which estimator to use, by family and budget: derived from the zoo and from measured seconds."""

from collections import Counter

import numpy as np

from logzoo.figures.statistics import seconds_of_budgets
from logzoo.figures.tables import table_of
from logzoo.figures.zoo_statistics import (
    among_the_best,
    coverage,
    families,
    log_rmse,
    of_family,
    title_of_family,
    with_interval,
)
from logzoo.zoo import unconverged

_LEVEL = 0.95
_COLUMNS = {
    "best": ("lowest RMSE", "1"),
    "rmse": ("RMSE", "nat"),
    "rmse_low": ("95% low", "nat"),
    "rmse_high": ("95% high", "nat"),
    "tied": ("not distinguishable from it", "1"),
    "coverage": ("its intervals that cover", "1"),
    "runs": ("of so many runs", "1"),
    "narrow": ("intervals too narrow", "1"),
    "seconds": ("its time", "s"),
    "fastest": ("fastest of all these", "1"),
    "fastest_seconds": ("time of the fastest", "s"),
    "warning": ("not converged in some runs", "1"),
}


def choice_rows(zoo, timings, names):
    """A row for every family and budget, and one that sums up, as a table.

    zoo: the combined Dataset; timings: {family: Dataset of `experiments.timing.cost_of_sweeps` on a model of it};
    names: {estimator: name}. RMSE: geometric mean over the models. Listed beside the best are those that a paired
    bootstrap does not tell from it; too narrow are intervals of any of them that cover significantly less than 95%.
    """
    rows, listed, seconds_of = {}, Counter(), Counter()
    for family in families(zoo):
        one = of_family(zoo, family)
        rmse, interval = (np.exp(part) for part in with_interval(one, log_rmse))
        covers = coverage(one)
        seconds = np.array(
            [seconds_of_budgets(timings[family], name, one["budget"].values)[0] for name in one["estimator"].values]
        )
        for column, chosen in enumerate(among_the_best(one)):
            budget = int(one["budget"][column])
            rows[f"{title_of_family(one)}, {budget:,} sweeps"] = {
                "rmse": rmse[chosen[0], column],
                "rmse_low": interval[0, chosen[0], column],
                "rmse_high": interval[1, chosen[0], column],
                **_words(one, chosen, names, seconds[:, column]),
                **_trust(one.sel(budget=budget), chosen, names, [part[..., column] for part in covers]),
            }
            estimators = one["estimator"].values[chosen]
            listed.update(estimators)
            seconds_of.update(dict(zip(estimators, seconds[chosen, column], strict=True)))
    return table_of({**rows, **_summary(listed, seconds_of, names, len(rows))}, "models and budget", _COLUMNS)


def _words(one, chosen, names, seconds):
    """Who is the best, who else may be, who of them is fastest; seconds (estimator,)."""
    best, *tied = (names[name] for name in one["estimator"].values[chosen])
    fastest = min(chosen, key=lambda place: seconds[place])
    return {
        "best": best,
        "tied": ", ".join(tied) or "-",
        "seconds": seconds[chosen[0]],
        "fastest": names[one["estimator"].values[fastest]],
        "fastest_seconds": seconds[fastest],
    }


def _trust(one, chosen, names, covers):
    """How far the intervals of the chosen are to be trusted, at one budget; covers: share, its interval, runs."""
    estimators = one["estimator"].values
    share, (_, high), runs = covers
    doubtful = unconverged(one).transpose("estimator", "model").mean("model").values
    narrow = [names[estimators[place]] for place in chosen if high[place] < _LEVEL]
    warned = [f"{names[estimators[place]]} ({doubtful[place]:.0%})" for place in chosen if doubtful[place] > 0]
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
