"""The scorecard: every claim of the papers with its verdict, from the verdicts of all figures and tables."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from logzoo.checks import shown
from replication.artifacts import stand_in_line, stand_ins
from replication.claim import EXPLORATORY, REDUCED
from replication.reporting import tables
from replication.reporting.statistics import holm, joined
from replication.reporting.verdicts import (
    BOUNDS,
    DECIDED,
    ESTIMATE,
    NOT_TESTED,
    NUMBERS,
    TEXTS,
    UNDECIDED,
    VERDICTS,
    bound_of,
    number_of,
    table_of_claims,
    why_of,
)
from replication.types import Dataset

_FALLS = "falls"
_TEXTS = {
    "paper": "paper that makes the claim",
    **{name: text for name, text in TEXTS.items() if name != "why"},
    "reason": "why it was not tested, or not reproduced",
    "holm": "whether the verdict holds when all claims with verdicts are tested together (Holm 1979, 5%)",
    "picture": "file of the figure, from the folder of the project",
    "artifacts": "files behind the verdict, name=path from the folder of the project, between spaces",
}


def scorecard(claims: Mapping[str, Any], verdicts: Mapping[str, Dataset], figures: Mapping[str, Any]) -> Dataset:
    """A Dataset of all claims, tested or not.

    claims: {id: entry}, as in `reporting.verdicts`; an entry has `not_tested` if the claim cannot be tested. verdicts:
    {figure: Dataset of `reporting.verdicts.verdicts`}. figures: {figure: entry} in the order of papers; an entry
    has `paper`, `picture` and `artifacts`, {name: path}. Attributes of the Dataset list replaced data sets and models.

    Raises ValueError for a claim with neither a verdict nor a reason why it was not tested. A verdict on a claim of
    other words or bounds also raises it.
    """
    papers = list(dict.fromkeys(figure["paper"] for figure in figures.values()))
    # The sort is stable, so the claims of a paper keep their order.
    names = sorted(claims, key=lambda name: papers.index(figures[claims[name]["figure"]]["paper"]))
    rows = {name: _row(name, claims[name], verdicts, figures[claims[name]["figure"]]) for name in names}
    family = {name: row["tail"] for name, row in rows.items() if row["verdict"] in (*DECIDED, UNDECIDED)}
    for name, holds in holm(family).items():
        if rows[name]["verdict"] in DECIDED:
            rows[name]["holm"] = "holds" if holds else _FALLS
    protocols = {table.attrs["protocol"] for table in verdicts.values() if "protocol" in table.attrs}
    attributes = {"protocol": protocols.pop()} if len(protocols) == 1 else {}
    return table_of_claims(rows, _TEXTS).assign_attrs(stand_ins(verdicts.values()) | attributes)


def _row(name, entry, verdicts, figure):
    row = {**dict.fromkeys(_TEXTS, ""), **dict.fromkeys(NUMBERS, np.nan), **entry}
    row |= {"paper": figure["paper"], "picture": figure["picture"]}
    if "not_tested" in entry:
        return {**row, "verdict": NOT_TESTED, "reason": entry["not_tested"]}
    table = verdicts.get(entry["figure"])
    if table is None or name not in table["id"].values:
        raise ValueError(f"claim {name}: expected a verdict, or the reason why it is not tested; found neither")
    judged = table.sel(id=name)
    stated = {key: judged[key].item() for key in ("claim", "published", *(bound for bound in BOUNDS if bound in entry))}
    other = {key: value for key, value in stated.items() if value != entry[key]}
    if other:
        raise ValueError(f"claim {name}: found a verdict on other words or bounds: {shown(other)}; regenerate it")
    row |= {key: judged[key].item() for key in ("statistic", "verdict", *NUMBERS)}
    row["reason"] = why_of(judged)
    if row["verdict"] == NOT_TESTED:
        row["reason"] = judged.attrs["untested"] or "no data for it at this scale"
    return {**row, "artifacts": " ".join(f"{key}={path}" for key, path in figure["artifacts"].items())}


def entries(card: Dataset) -> list[dict[str, Any]]:
    """The rows of a scorecard as dicts of texts.

    `number` has the value with its interval, and `found` also the definition of the statistic. `sentence` has the claim
    with the published value. `measured` has the measured value with the bounds, and the size if the level is reduced or
    exploratory; it is empty without a statistic. `artifacts` is a dict {name: path}.
    """
    rows = []
    # Results of earlier versions have fewer columns.
    columns = {key: card[key].values.tolist() for key in (*_TEXTS, *NUMBERS) if key in card}
    columns |= {key: [""] * card.sizes["id"] for key in _TEXTS if key not in card}
    for number, name in enumerate(card["id"].values):
        judged = {key: values[number] for key, values in columns.items()}
        row = {"id": str(name), **{key: judged[key] for key in _TEXTS}}
        row["number"] = number_of(judged) if row["statistic"] else "-"
        row["found"] = f"{row['statistic']}: {row['number']}" if row["statistic"] else "-"
        row["claimed"] = bound_of(judged)
        source = joined(row["where"], f"published: {row['published']}")
        row["sentence"] = f"{row['claim']} ({source})."
        needs = "" if row["claimed"] == "-" else f"; the claim needs {row['claimed']}"
        size = f" Size: {row['size']}." if row["level"] in (REDUCED, EXPLORATORY) else ""
        row["measured"] = f"{row['found']}{needs}.{size}" if row["statistic"] else ""
        row["artifacts"] = dict(pair.split("=", 1) for pair in row["artifacts"].split())
        rows.append(row)
    return rows


def summary(card: Dataset, scale: str) -> str:
    """Sentences with the numbers of all claims, of the decided claims, and of the claims with each verdict."""
    verdicts = list(card["verdict"].values)
    decided = sum(verdict in DECIDED for verdict in verdicts)
    numbers = {word: verdicts.count(verdict) for verdict, word in VERDICTS.items()}
    plural = {VERDICTS[ESTIMATE]: "estimates"}
    counts = [f"{count} {word if count == 1 else plural.get(word, word)}" for word, count in numbers.items() if count]
    falls = list(card["holm"].values).count(_FALLS) if "holm" in card else 0
    together = f"; {falls} decided claims are not significant when all claims are tested together" if falls else ""
    number = f"{len(verdicts)} claim{'s' * (len(verdicts) != 1)}"
    counted = f"{number}, {decided} of them decided at the scale {scale}: {', '.join(counts)}{together}."
    return " ".join(filter(None, (counted, card.attrs.get("standing", ""))))


def counts_by_paper(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Returns {paper: numbers of verdicts, in the order of VERDICTS}, from the rows of `entries`."""
    by_paper = {}
    for row in rows:
        by_paper.setdefault(row["paper"], []).append(row["verdict"])
    return {paper: [verdicts.count(verdict) for verdict in VERDICTS] for paper, verdicts in by_paper.items()}


def markdown(card: Dataset, folder: str) -> str:
    """A scorecard in Markdown; links are relative to `folder`, a path from the folder of the project."""
    rows = [
        {
            **{key: row[key] for key in ("claim", "published", "found", "claimed")},
            "verdict": row["verdict"]
            + (" \N{DAGGER}" if row["holm"] == _FALLS else "")
            + (f" ({row['reason']})" if row["reason"] else ""),
            "figure": link(row["figure"], row["picture"], folder) if row["picture"] else row["figure"],
            "judged from": ", ".join(link(key, path, folder) for key, path in row["artifacts"].items()) or "-",
        }
        for row in entries(card)
    ]
    notice = [f"{stand_in_line(card.attrs)}."] if "stand_in_for" in card.attrs else []
    title = "\n".join(["Verdicts on the published claims", "", summary(card, PurePosixPath(folder).name), *notice])
    return tables.markdown(pd.DataFrame(rows), title)


def without_links(text: str) -> str:
    """Markdown with each link replaced by its text, for printing."""
    return re.sub(r"\[([^]\n]*)\]\([^)\n]*\)", r"\1", text)


def csv(card: Dataset) -> str:
    """A scorecard as comma-separated values, at full precision."""
    return card.to_dataframe()[[*_TEXTS, *NUMBERS]].to_csv()


def link(text: str, path: str, folder: str) -> str:
    """A Markdown link from a folder to a path, both relative to the folder of the project."""
    return f"[{text}]({relative(path, folder)})"


def relative(path: str, folder: str) -> str:
    """A path as seen from a folder, both relative to the folder of the project."""
    return os.path.relpath(path, folder).replace(os.sep, "/")
