"""The zoo as a page on which the reader chooses: family, budget, estimators and quantity.

Self-contained HTML from the templates in workflow/templates: same contents, same bytes. All numbers on it are those of
`results`; its script selects and draws. Without scripts there is a table.
"""

from replication.artifacts import stand_in_line, stand_ins
from replication.papers.zoo.results import results
from replication.papers.zoo.statistics import LEVEL
from replication.reporting.scorecard import relative
from replication.reporting.tables import two_digits
from replication.reporting.web import look_on_page, rendered

# What the docs say of the zoo as a whole.
_MEANINGS = "docs/zoo.md"


def page(artifacts, *, names, pages, figures, places, scale, folder, templates):
    """The page, from artifacts `zoo` and `timings` {family: Dataset}.

    names: {estimator: name}; pages: {estimator: what the docs say of it}; figures: {title: file}, to link to; places:
    {name: file} of the artifacts. All paths are from the folder of the project, and so is `folder`, where the page will
    lie; `templates` is a folder, too.
    """
    zoo = artifacts["zoo"]
    replaced = stand_ins([zoo])
    estimators = [
        _estimator(name, row, names[name], pages.get(name), folder)
        for row, name in enumerate(map(str, zoo["estimator"].values))
    ]
    found = results(zoo, artifacts["timings"])
    return rendered(
        "zoo.html",
        templates,
        data={"level": LEVEL, "estimators": estimators, "families": found},
        estimators=estimators,
        families=found,
        rows=[(one, [_cell(family, row) for family in found]) for row, one in enumerate(estimators)],
        scale=scale,
        notice=stand_in_line(replaced),
        why=replaced.get("stand_in_reason", "").splitlines(),
        meanings=relative(_MEANINGS, folder),
        figures=[(title, relative(path, folder)) for title, path in figures.items()],
        sources=[(name, relative(path, folder)) for name, path in places.items()],
    )


def _estimator(name, row, title, page, folder):
    """An estimator as templates and script want it."""
    href = relative(page, folder) if page else ""
    return {"name": name, "title": title, "href": href, **look_on_page(name, row)}


def _cell(family, row):
    """RMSE at the largest budget of a family, as texts; None where an estimator has none."""
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
