"""Tables of the best estimators, derived from the zoo and from measured seconds."""

from collections import Counter

import numpy as np

from logzoo.types import Array
from replication.papers.declaration import Declaration
from replication.papers.zoo import zoo_statistics
from replication.papers.zoo.families import combined_and_timed
from replication.reporting.tables import COUNT, DIGITS, Column, table_of
from replication.types import Artifacts, Dataset, Names

_CHOICE_COLUMNS = {
    "best": Column("lowest RMSE"),
    "rmse": Column("RMSE", "nat", DIGITS),
    "rmse_low": Column("95% low", "nat", DIGITS),
    "rmse_high": Column("95% high", "nat", DIGITS),
    "tied": Column("not significantly worse"),
    "coverage": Column("coverage of its intervals"),
    "runs": Column("number of intervals", form=COUNT),
    "narrow": Column("intervals too narrow"),
    "seconds": Column("time of the best", "s", DIGITS),
    "fastest": Column("fastest of the best"),
    "fastest_seconds": Column("time of the fastest", "s", DIGITS),
    "warning": Column("not converged in some runs"),
}
_WINNER_COLUMNS = {
    "budget": Column("sweeps", form=COUNT),
    "best": Column("lowest RMSE"),
    "rmse": Column("RMSE", "nat", DIGITS),
    "tied": Column("not significantly worse"),
    "seconds": Column("time limit", "s", DIGITS),
    "best_in_time": Column("lowest RMSE in equal time"),
    "rmse_in_time": Column("RMSE in equal time", "nat", DIGITS),
    "tied_in_time": Column("not significantly worse in equal time"),
}


def choice_rows(artifacts: Artifacts, *, names: Names) -> Dataset:
    rows, listed, total = {}, Counter(), Counter()
    for family, part in zoo_statistics.families(artifacts["zoo"]).items():
        budgets, estimators = part["budget"].values, part["estimator"].values
        titles = [names[name] for name in estimators]
        rmse, interval = zoo_statistics.rmse_with_interval(part)
        share, (_, high), runs = zoo_statistics.coverage(part)
        doubtful, seconds = (
            zoo_statistics.mean_unconverged(part),
            zoo_statistics.seconds_of(part, artifacts["timings"][family]),
        )
        for column, (budget, chosen) in enumerate(zip(budgets, zoo_statistics.among_the_best(part), strict=True)):
            best, *tied = chosen
            fastest = min(chosen, key=lambda row, column=column: seconds[row, column])
            narrow = [titles[row] for row in chosen if high[row, column] < zoo_statistics.LEVEL]
            warned = [f"{titles[row]} ({doubtful[row, column]:.0%})" for row in chosen if doubtful[row, column] > 0]
            rows[f"{zoo_statistics.title_of_family(part)}, {budget:,} sweeps"] = {
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
            total.update(dict(zip(estimators[chosen], seconds[chosen, column], strict=True)))
    # The last row counts how often each estimator is among the best. Ties are in order of seconds.
    order = sorted(listed, key=lambda name: (-listed[name], total[name] / listed[name]))
    first, *others = [f"{names[name]} {listed[name]}" for name in order]
    rows[f"among the best, of {len(rows)} rows"] = {"best": first, "tied": ", ".join(others) or "-"}
    return table_of(rows, "models and budget", _CHOICE_COLUMNS)


def winner_rows(artifacts: Artifacts, *, names: Names) -> Dataset:
    zoo, rows, listed = artifacts["zoo"], {}, {"best": [], "best_in_time": []}
    titles = [names[name] for name in zoo["estimator"].values]
    for family, part in zoo_statistics.families(zoo).items():
        seconds = zoo_statistics.seconds_of(part, artifacts["timings"][family])
        logs = np.concatenate(
            [
                zoo_statistics.log_rmse(zoo_statistics.measured_moments(part)),
                zoo_statistics.log_rmse(zoo_statistics.resampled_moments(part)),
            ]
        )
        limit = float(np.median(seconds[:, -1]))
        row = {"budget": part["budget"].values[-1], "seconds": limit}
        for suffix, values in (("", logs[..., -1]), ("_in_time", within(logs, seconds, limit))):
            (chosen,) = zoo_statistics.lowest(values[0][:, None], values[1:][..., None])
            listed[f"best{suffix}"] += chosen
            row[f"best{suffix}"] = titles[chosen[0]]
            row[f"rmse{suffix}"] = np.exp(values[0, chosen[0]])
            row[f"tied{suffix}"] = ", ".join(titles[number] for number in chosen[1:]) or "-"
        rows[zoo_statistics.title_of_family(part)] = row
    # The last two rows name the estimators that are among the best, with counts, and the other estimators.
    often, never = {}, {}
    for key, chosen in listed.items():
        counts = np.bincount(chosen, minlength=len(titles))
        order = np.argsort(-counts, kind="stable")
        often[key] = ", ".join(f"{titles[row]} {counts[row]}" for row in order if counts[row])
        never[key] = ", ".join(titles[row] for row in order if not counts[row]) or "-"
    last = {f"among the best, of {len(rows)} families": often, "never among the best": never}
    return table_of(rows | last, "models", _WINNER_COLUMNS)


def within(logs: Array, seconds: Array, limit: float) -> Array:
    """Log RMSE (resample, estimator) within `limit` seconds, interpolated in `logs` (resample, estimator, budget).

    seconds: (estimator, budget), nondecreasing in budget. The result is NaN for an estimator whose smallest budget
    takes longer than `limit`.
    """
    values = np.full(logs.shape[:2], np.nan)
    for row, taken in enumerate(seconds):
        if taken[0] <= limit:
            upper = min(max(np.searchsorted(taken, limit), 1), taken.size - 1)
            ends = np.log(taken[[upper - 1, upper]])
            share = np.clip((np.log(limit) - ends[0]) / max(ends[1] - ends[0], 1e-9), 0.0, 1.0)
            values[:, row] = (1.0 - share) * logs[:, row, upper - 1] + share * logs[:, row, upper]
    return values


FIGURES = {
    "zoo-choice": Declaration(
        "Which estimator to use, derived from the zoo and from measured seconds. The RMSE is the geometric mean over "
        "the models of a family. Estimators that are not significantly worse than the best (paired bootstrap, 5%) are "
        "listed beside it. Intervals are called too narrow if significantly fewer than 95% of them cover log Z.",
        combined_and_timed,
        rows=choice_rows,
    ),
    "zoo-winners": Declaration(
        "By sweeps: the estimator with the lowest RMSE at the largest budget of a family, and all estimators not "
        "significantly worse (paired bootstrap, 5%). By seconds: the same comparison within the median time of all "
        "estimators at that budget. RMSEs between two budgets are interpolated in logarithms. Faster estimators are "
        "taken at the largest budget. An estimator whose smallest budget takes longer is left out. The last row names "
        "the estimators that are never among the best.",
        combined_and_timed,
        rows=winner_rows,
    ),
}
