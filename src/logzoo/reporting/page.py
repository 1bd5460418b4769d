"""One page of all figures, tables and verdicts with their provenance, and the scorecard as a page of its own.

Both are self-contained HTML from the templates in workflow/templates: same contents, same bytes.
"""

import json
from pathlib import Path, PurePosixPath

from logzoo.artifacts.netcdf import read_artifact
from logzoo.reporting.pictures import embedded
from logzoo.reporting.rendering import rendered
from logzoo.reporting.scorecard import VERDICTS, entries, relative, said_of, summary
from logzoo.reporting.stand_ins import stand_in_line, stand_ins
from logzoo.reporting.tables import frame_of, notes_of

# Beside the word, so that no verdict is told by its colour alone.
_SIGNS = dict(zip(VERDICTS, ("✓", "✗", "?", "–"), strict=True))


def exhibit_of(shown, records):
    """A figure or table, for the page: {title, paper, caption, files, artifacts} with its `picture` or `table`.

    `files` and `artifacts` are paths from the folder of the project: of a picture its PNG, of a table its rows come
    first. records: {path of an artifact: its attributes}.
    """
    exhibit = {**shown, "records": {path: records[path] for path in shown["artifacts"]}}
    first = shown["files"][0]
    if first.endswith(".png"):
        return {**exhibit, "picture": embedded(Path(first).read_bytes()), "table": None, "notes": []}
    rows = read_artifact(shown["artifacts"][0], "table")
    return {**exhibit, "picture": None, "table": frame_of(rows), "notes": notes_of(rows)}


def page(card, exhibits, *, papers, scale, folder, templates):
    """The page: card of `reporting.scorecard.scorecard`, {name: exhibit}, {paper: {title, source}} in order.

    `folder` is where the page will lie, from the folder of the project; `templates` is a folder, too.
    """
    rows = [_row(row, folder, exhibits) for row in entries(card)]
    items = [
        _item(name, exhibit, [row for row in rows if row["figure"] == name], folder)
        for name, exhibit in exhibits.items()
    ]
    records = [record for exhibit in exhibits.values() for record in exhibit["records"].values()]
    return rendered(
        "page.html",
        templates,
        **_said(card, rows, scale, stand_ins(records)),
        sections=[_section(name, entry, items, rows) for name, entry in papers.items()],
        counts=_counts(rows, papers),
        software=sorted({_listed(record["software_json"]) for record in records}),
    )


def scorecard_page(card, *, scale, folder, templates):
    """The scorecard alone, as a page."""
    rows = [_row(row, folder, {}) for row in entries(card)]
    return rendered("scorecard.html", templates, **_said(card, rows, scale, card.attrs))


def _said(card, rows, scale, replaced):
    """What both pages say."""
    return {
        "summary": summary(card, scale),
        "rows": rows,
        "verdicts": [{"word": word, "slug": _slug(word)} for word in VERDICTS],
        "scale": scale,
        "notice": stand_in_line(replaced),
        "why": replaced.get("stand_in_reason", "").splitlines(),
    }


def _row(row, folder, exhibits):
    """A row of the scorecard as the templates want it, linked to the figure on the page where there is one."""
    here = f"#{row['figure']}" if row["figure"] in exhibits else ""
    elsewhere = relative(row["picture"], folder) if row["picture"] else ""
    return {
        **row,
        "sign": _SIGNS[row["verdict"]],
        "slug": _slug(row["verdict"]),
        "order": list(VERDICTS).index(row["verdict"]),
        "href": here or elsewhere,
        "artifacts": [(name, relative(path, folder)) for name, path in row["artifacts"].items()],
    }


def _item(name, exhibit, rows, folder):
    """An exhibit as the templates want it."""
    paragraphs = [" ".join(text.split()) for text in exhibit["caption"].split("\n\n") if text.strip()]
    notice = stand_in_line(stand_ins(exhibit["records"].values()))
    said = "; ".join(f"{row['claim']}: {said_of(row)}" for row in rows)
    verdicts = f"Verdicts: {said}." if rows else "No claim is tested on it."
    alternative = " ".join([f"{exhibit['title']}.", *paragraphs[:1], f"{notice}." if notice else "", verdicts])
    return {
        **exhibit,
        "name": name,
        "paragraphs": paragraphs,
        "notice": notice,
        "files": [(PurePosixPath(path).suffix[1:].upper(), relative(path, folder)) for path in exhibit["files"]],
        "alternative": " ".join(alternative.split()),
        "rows": rows,
        "records": [_record(path, attributes, folder) for path, attributes in exhibit["records"].items()],
    }


def _record(path, attributes, folder):
    """Where an artifact comes from, from its attributes."""
    return {
        "path": path,
        "href": relative(path, folder),
        "kind": attributes["artifact_schema"].partition("/")[0],
        "seed": attributes["seed_path"],
        # With blanks, at which lines may break.
        "parameters": json.dumps(json.loads(attributes["parameters_json"]), ensure_ascii=False),
        "content": attributes["content_sha256"],
        "source": attributes["source_sha256"],
        "inputs": json.loads(attributes["inputs_json"]),
    }


def _section(name, entry, items, rows):
    """A paper: its exhibits, and the claims whose figures are not there."""
    mine = [item for item in items if item["paper"] == name]
    present = {item["name"] for item in mine}
    absent = [row for row in rows if row["paper"] == name and row["figure"] not in present]
    return {"name": name, **entry, "exhibits": mine, "absent": absent}


def _counts(rows, papers):
    """How many verdicts of each sort every paper got."""
    said = {name: [row["verdict"] for row in rows if row["paper"] == name] for name in papers}
    return [
        (name, papers[name]["source"], [verdicts.count(verdict) for verdict in VERDICTS])
        for name, verdicts in said.items()
        if verdicts
    ]


def _listed(software):
    return ", ".join(f"{name} {version}" for name, version in sorted(json.loads(software).items()))


def _slug(verdict):
    return VERDICTS[verdict].replace(" ", "-")
