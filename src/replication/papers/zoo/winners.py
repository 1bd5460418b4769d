"""Which estimator wins where, by sweeps and by seconds, in each family of models.

By sweeps: the lowest RMSE at the largest budget of a family, and those that a paired bootstrap does not tell from it.
By seconds: the same of what fits in the time that the median estimator takes for that budget. RMSEs between two budgets
are interpolated in logarithms; faster estimators are taken at the largest budget, and one whose smallest budget takes
longer has no estimate. The last row names those that are never among the best.
"""

import numpy as np

from replication.papers.zoo.families import combined_and_timed
from replication.papers.zoo.statistics import (
    families,
    log_rmse,
    lowest,
    measured_moments,
    resampled_moments,
    title_of_family,
)
from replication.reporting.statistics import seconds_of_budgets
from replication.reporting.tables import COUNT, DIGITS, Column, table_of

_COLUMNS = {
    "budget": Column("sweeps", form=COUNT),
    "best": Column("lowest RMSE"),
    "rmse": Column("RMSE", "nat", DIGITS),
    "tied": Column("not distinguishable from it"),
    "seconds": Column("within", "s", DIGITS),
    "best_in_time": Column("lowest RMSE then"),
    "rmse_in_time": Column("its RMSE", "nat", DIGITS),
    "tied_in_time": Column("not distinguishable from that"),
}

inputs = combined_and_timed


def rows(artifacts, *, names):
    """A row for every family, how often each estimator is among the best, and those that never are."""
    zoo, rows, listed = artifacts["zoo"], {}, {"best": [], "best_in_time": []}
    titles = [names[name] for name in zoo["estimator"].values]
    for family, part in families(zoo).items():
        budgets = part["budget"].values
        seconds = np.array(
            [seconds_of_budgets(artifacts["timings"][family], name, budgets)[0] for name in part["estimator"].values]
        )
        logs = np.concatenate([log_rmse(measured_moments(part)), log_rmse(resampled_moments(part))])
        limit = float(np.median(seconds[:, -1]))
        row = {"budget": budgets[-1], "seconds": limit}
        for suffix, found in (("", logs[..., -1]), ("_in_time", within(logs, seconds, limit))):
            (chosen,) = lowest(found[0][:, None], found[1:][..., None])
            listed[f"best{suffix}"] += chosen
            row[f"best{suffix}"] = titles[chosen[0]]
            row[f"rmse{suffix}"] = np.exp(found[0, chosen[0]])
            row[f"tied{suffix}"] = ", ".join(titles[one] for one in chosen[1:]) or "-"
        rows[title_of_family(part)] = row
    return table_of({**rows, **_summary(listed, titles, len(rows))}, "models", _COLUMNS)


def within(logs, seconds, limit):
    """Log RMSE (n, estimator) of what fits in that many seconds; of budgets (n, estimator, budget).

    seconds (estimator, budget), rising. NaN where not even the smallest budget fits.
    """
    found = np.full(logs.shape[:2], np.nan)
    for row, taken in enumerate(seconds):
        if taken[0] <= limit:
            upper = min(max(np.searchsorted(taken, limit), 1), taken.size - 1)
            ends = np.log(taken[[upper - 1, upper]])
            share = np.clip((np.log(limit) - ends[0]) / max(ends[1] - ends[0], 1e-9), 0.0, 1.0)
            found[:, row] = (1.0 - share) * logs[:, row, upper - 1] + share * logs[:, row, upper]
    return found


def _summary(listed, titles, count):
    """Rows that close the table."""
    often, never = {}, {}
    for key, chosen in listed.items():
        counts = np.bincount(chosen, minlength=len(titles))
        order = np.argsort(-counts, kind="stable")
        often[key] = ", ".join(f"{titles[row]} {counts[row]}" for row in order if counts[row])
        never[key] = ", ".join(titles[row] for row in order if not counts[row]) or "-"
    return {f"among the best, of {count} families": often, "never among the best": never}
