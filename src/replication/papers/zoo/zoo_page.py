"""The zoo as a page on which the reader chooses family, budget, estimators and quantity.

The page is self-contained HTML from the templates in workflow/templates; the same contents give the same bytes. All
numbers of the page come from `results`. A script on the page selects and draws them. Without scripts the page shows a
table.
"""

from typing import Any

import numpy as np
import xarray as xr

from replication.artifacts import stand_in_line, stand_ins
from replication.papers.zoo import zoo_statistics
from replication.reporting.scorecard import relative
from replication.reporting.tables import two_digits
from replication.reporting.web import look_on_page, rendered
from replication.types import Artifacts

# The page links to this file, which describes the families and the results.
_MEANINGS = "docs/zoo.md"
# Significant digits of the numbers, more than the intervals justify.
_DIGITS = 4


def page(
    artifacts: Artifacts,
    *,
    names: dict[str, str],
    pages: dict[str, str],
    figures: dict[str, str],
    places: dict[str, str],
    scale: str,
    folder: str,
    templates: str,
) -> str:
    """The page as HTML, from artifacts `zoo` and `timings` {family: Dataset}.

    names: {estimator: name}. pages: {estimator: page in the docs}. figures: {title: file}, for links. places: {name:
    file} of the artifacts. folder: folder of the page. All paths are relative to the folder of the project.
    """
    zoo = artifacts["zoo"]
    replaced = stand_ins([zoo])
    estimators = [
        {"name": name, "title": names[name], "href": relative(pages[name], folder), **look_on_page(name, row)}
        for row, name in enumerate(map(str, zoo["estimator"].values))
    ]
    by_family = results(zoo, artifacts["timings"])
    return rendered(
        "zoo.html",
        templates,
        data={"level": zoo_statistics.LEVEL, "estimators": estimators, "families": by_family},
        estimators=estimators,
        families=by_family,
        opening=opening_family(by_family),
        rows=[(entry, [_cell(family, row) for family in by_family]) for row, entry in enumerate(estimators)],
        scale=scale,
        notice=stand_in_line(replaced),
        why=replaced.get("stand_in_reason", "").splitlines(),
        meanings=relative(_MEANINGS, folder),
        figures=[(title, relative(path, folder)) for title, path in figures.items()],
        sources=[(name, relative(path, folder)) for name, path in places.items()],
    )


def opening_family(by_family: list[dict]) -> int:
    """The index of the family selected at first: the first family with the fewest ties at its largest budget."""
    ties = [len(family["best"][-1]) for family in by_family]
    return ties.index(min(ties))


def _cell(family, row):
    """RMSE at the largest budget of a family, as texts; None for an estimator without a value."""
    value, low, high = (family["rmse"][key][row][-1] for key in ("value", "low", "high"))
    if value is None:
        return None
    share = family["unconverged"][row][-1]
    return {
        "value": two_digits(value),
        "interval": " to ".join("–" if end is None else two_digits(end) for end in (low, high)),
        "unconverged": f"{share:.0%}" if share else "",
        "best": row in family["best"][-1],
    }


def results(zoo: xr.Dataset, timings: dict[str, xr.Dataset]) -> list[dict]:
    """A dict for JSON for every family, with rounded numbers; timings: as in `families.combined_and_timed`.

    A quantity of each estimator and budget is a nested list [estimator][budget]. A quantity with a 95% interval has
    three such lists, `value`, `low` and `high`. `best` has a list for each budget: indices of the estimators not
    significantly worse than the best by RMSE (paired bootstrap).
    """
    return [_of_family(name, part, timings[name]) for name, part in zoo_statistics.families(zoo).items()]


def _of_family(name, part, timings):
    of_one, of_mean = zoo_statistics.error_of_truths(part)
    return {
        "name": str(name),
        "title": zoo_statistics.title_of_family(part),
        "chains": int(part["chains"][0]),
        "budgets": part["budget"].values.tolist(),
        "truth_error": rounded(of_one),
        "mean_truth_error": rounded(of_mean),
        "rmse": _interval(*zoo_statistics.rmse_with_interval(part)),
        "bias": _interval(*zoo_statistics.with_interval(part, zoo_statistics.mean_bias)),
        "coverage": _coverage(part),
        "converged_coverage": _coverage(zoo_statistics.converged_only(part)),
        "seconds": rounded(zoo_statistics.seconds_of(part, timings)),
        "unconverged": rounded(zoo_statistics.mean_unconverged(part)),
        "best": [[int(row) for row in chosen] for chosen in zoo_statistics.among_the_best(part)],
    }


def _interval(value, interval):
    return {"value": rounded(value), "low": rounded(interval[0]), "high": rounded(interval[1])}


def _coverage(part):
    share, interval, runs = zoo_statistics.coverage(part)
    return {**_interval(share, interval), "runs": runs.tolist()}


def rounded(values: Any) -> Any:
    """Numbers rounded to four digits, as lists in place of arrays; None for values that are not finite."""
    if np.ndim(values):
        return [rounded(value) for value in values]
    return float(f"{values:.{_DIGITS}g}") if np.isfinite(values) else None
