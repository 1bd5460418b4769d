"""A page of all figures, tables and verdicts with their provenance, and a separate page with only the scorecard.

The page opens with the findings, a table of recommended estimators, and the figures that answer the question of a
paper. Below, each figure and table opens from a thumbnail. Both pages are self-contained HTML from the templates
in workflow/templates. The same contents give the same bytes.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from logzoo.io.netcdf import read_artifact
from logzoo.types import FilePath
from replication.artifacts import PUBLISHED, PUBLISHED_SCALE, stand_in_line, stand_ins
from replication.reporting.scorecard import VERDICTS, counts_by_paper, entries, relative, summary
from replication.reporting.tables import frame_of, notes_of
from replication.reporting.verdicts import DECIDED, FAILED, SIGNS
from replication.reporting.web import LARGE, SMALL, embedded, rendered
from replication.types import Dataset

# Digits of the hash of an input, enough to identify it.
_SHORT = 12
# Numbers of lines (heading included) and columns of a table that its thumbnail shows.
_CORNER = 8, 3


def exhibit_of(shown: Mapping[str, Any], records: Sequence[Any]) -> dict[str, Any]:
    """A figure or table for the page: the entry of `Catalogue.exhibits` with its `picture` or `table`.

    shown: {title, paper, caption, files, artifacts, verdict}. The last three hold paths from the folder of the project.
    The PNG of a figure is the first of `files`, and the rows of a table are the first of `artifacts`. records: {path of
    an artifact: its attributes}.
    """
    exhibit = {**shown, "records": {path: records[path] for path in shown["artifacts"]}}
    first = shown["files"][0]
    if first.endswith(".png"):
        picture, small = embedded(Path(first).read_bytes(), LARGE, SMALL)
        return {**exhibit, "picture": picture, "small": small}
    rows = read_artifact(shown["artifacts"][0], "table")
    table = frame_of(rows)
    corner = [table.columns, *table.values][: _CORNER[0]]
    cells = [cell for line in corner for cell in line[: _CORNER[1]]]
    words = [column.dtype.kind != "f" for column in rows.data_vars.values()]
    return {**exhibit, "picture": None, "corner": cells, "table": table, "words": words, "notes": notes_of(rows)}


def page(
    card: Dataset,
    exhibits: Mapping[str, Any],
    *,
    zoo: Any,
    papers: Mapping[str, Any],
    scale: str,
    folder: str,
    templates: FilePath,
    companion: str | None = None,
    uses: Sequence[Any] = (),
    findings: Sequence[str] = (),
    published: Sequence[Any] = (),
) -> str:
    """The page of a run as HTML.

    card: Dataset of `reporting.scorecard.scorecard`. exhibits: {name: exhibit}, from `exhibit_of`. zoo: Dataset of all
    estimates. papers: {paper: entry} in the order of the page. An entry is {title, source}, with `question` and
    `answers` (names of exhibits) if they open the page. folder: folder of the page. companion: an interactive page to
    link to. `folder` and `companion` are paths from the folder of the project. templates: folder of the templates.
    uses: rows (model, call, result) of the table of recommendations. findings: sentences. published: rows [paper,
    verdict, number of claims].
    """
    rows = [_row(row, folder, exhibits) for row in entries(card)]
    items = {
        name: _item(name, exhibit, [row for row in rows if row["figure"] == name], folder)
        for name, exhibit in exhibits.items()
    }
    records = {path: record for exhibit in exhibits.values() for path, record in exhibit["records"].items()}
    openings = {name: [items[answer] for answer in entry.get("answers", [])] for name, entry in papers.items()}
    counts, software = counts_by_paper(rows), [json.loads(record["software_json"]) for record in records.values()]
    return rendered(
        "page.html",
        templates,
        **_common(rows, scale, stand_ins(records.values())),
        sentences=[
            (_replicated(exhibits, rows, scale), None),
            (summary(card, scale), "scorecard.html"),
            *([(_of_published(published, papers), relative(f"{PUBLISHED}.html", folder))] if published else []),
            *((sentence, None) for sentence in findings),
        ],
        compared=_compared(zoo),
        uses=uses,
        openings=[(papers[name]["question"], opening) for name, opening in openings.items() if opening],
        sections=[_section(name, entry, items.values(), openings[name], rows) for name, entry in papers.items()],
        counts=[(name, entry["source"], counts[name]) for name, entry in papers.items() if name in counts],
        records=[_record(path, attributes, folder) for path, attributes in sorted(records.items())],
        software=sorted({", ".join(map(" ".join, sorted(versions.items()))) for versions in software}),
        companion=relative(companion, folder) if companion else None,
    )


def scorecard_page(card: Dataset, *, scale: str, folder: str, templates: FilePath) -> str:
    """A page with only the scorecard."""
    rows = [_row(row, folder, {}) for row in entries(card)]
    return rendered("scorecard.html", templates, **_common(rows, scale, card.attrs), summary=summary(card, scale))


def _common(rows, scale, replaced):
    """The variables that the templates of both pages use."""
    return {
        "rows": rows,
        "verdicts": [{"word": word, "slug": _slug(word), "sign": sign} for word, sign in SIGNS.items()],
        "scale": scale,
        "notice": stand_in_line(replaced),
        "why": replaced.get("stand_in_reason", "").splitlines(),
    }


def _replicated(exhibits, rows, scale):
    """A sentence that counts the papers, figures and tables."""
    pictures = sum(exhibit["picture"] is not None for exhibit in exhibits.values())
    papers = len({row["paper"] for row in rows})
    return (
        f"The figures and tables of {papers} paper{'s' if papers != 1 else ''} on log Z, the log partition function of "
        f"RBMs, and further comparisons were made at the scale {scale}: {pictures} figures and "
        f"{len(exhibits) - pictures} tables. Verdicts are made at the scales decisive and paper; the scale quick shows "
        "that everything runs."
    )


def _of_published(counts, papers):
    """A sentence on the verdicts of the published run."""
    decided = {paper: [0, 0] for paper, _, _ in counts}
    for paper, verdict, number in counts:
        decided[paper][0] += number * (verdict in DECIDED and verdict not in FAILED)
        decided[paper][1] += number * (verdict in DECIDED)
    by_paper = ", ".join(
        f"{papers[paper]['source'] if paper in papers else paper} {good} of {all_of}"
        for paper, (good, all_of) in decided.items()
    )
    good, all_of = np.sum(list(decided.values()), axis=0)
    return f"The published run, scale {PUBLISHED_SCALE}, reproduced {good} of its {all_of} decided claims ({by_paper})."


def _compared(zoo):
    """A sentence that counts the estimators, models and estimates."""
    present = zoo["log_z"].notnull()
    unsure = float((zoo["converged"] == 0).where(present).mean())
    families = len(set(zoo["family"].values))
    return (
        f"{zoo.sizes['estimator']} estimators of log Z had equal budgets of Gibbs sweeps on {zoo.sizes['model']} "
        f"models of {families} famil{'ies' if families != 1 else 'y'}: {int(present.sum()):,} estimates, of which "
        f"{unsure:.0%} report that they did not converge."
    )


def _row(row, folder, exhibits):
    """A row of the scorecard for the templates. It links to its figure on the page, or else to the picture file."""
    picture = relative(row["picture"], folder) if row["picture"] else ""
    return {
        **row,
        "sign": SIGNS[row["verdict"]],
        "slug": _slug(row["verdict"]),
        "order": list(VERDICTS).index(row["verdict"]),
        "href": f"#{row['figure']}" if row["figure"] in exhibits else picture,
        "artifacts": [(name, relative(path, folder)) for name, path in row["artifacts"].items()],
    }


def _item(name, exhibit, rows, folder):
    """An exhibit for the templates."""
    verdicts = [row["verdict"] for row in rows]
    below = "caption and verdicts" if rows else "caption"
    return {
        **exhibit,
        "name": name,
        "paragraphs": [" ".join(text.split()) for text in exhibit["caption"].split("\n\n") if text.strip()],
        "notice": stand_in_line(stand_ins(exhibit["records"].values())),
        "files": [(PurePosixPath(path).suffix[1:].upper(), relative(path, folder)) for path in exhibit["files"]],
        "verdict": relative(exhibit["verdict"], folder) if exhibit["verdict"] else "",
        "alternative": f"{exhibit['title']}; {below} beside the picture",
        "rows": rows,
        "marks": [(SIGNS[word], verdicts.count(word), word, _slug(word)) for word in VERDICTS if word in verdicts],
        "artifacts": [
            (path, relative(path, folder), _kind(attributes)) for path, attributes in exhibit["records"].items()
        ],
    }


def _kind(attributes):
    return attributes["artifact_schema"].partition("/")[0]


def _record(path, attributes, folder):
    """The provenance of an artifact, from its attributes."""
    return {
        "path": path,
        "href": relative(path, folder),
        "kind": _kind(attributes),
        "seed": attributes["seed_path"],
        # The default separators contain spaces, where lines may break.
        "parameters": json.dumps(json.loads(attributes["parameters_json"]), ensure_ascii=False),
        "content": attributes["content_sha256"],
        "source": attributes["source_sha256"],
        "inputs": {name: digest[:_SHORT] for name, digest in json.loads(attributes["inputs_json"]).items()},
    }


def _section(name, entry, items, opening, rows):
    """The section of a paper: its exhibits, its exhibits that open the page, and claims whose figures are left out."""
    tiles = [item for item in items if item["paper"] == name]
    present = {item["name"] for item in tiles}
    absent = [row for row in rows if row["paper"] == name and row["figure"] not in present]
    return {"name": name, **entry, "tiles": tiles, "opening": opening, "absent": absent}


def _slug(verdict):
    return VERDICTS[verdict].replace(" ", "-")
