"""Pages of all figures, tables and claims, made from small artifacts in the current folder."""

from pathlib import Path

import numpy as np
import xarray as xr
from projects import ROOT, catalogue_of

from logzoo.io.netcdf import read_provenance, write_artifact
from logzoo.io.schema import labelled
from replication.reporting.page import exhibit_of, page, scorecard_page
from replication.reporting.scorecard import csv as card_csv
from replication.reporting.scorecard import markdown, scorecard
from replication.reporting.statistics import Statistic
from replication.reporting.style import new_figure, save
from replication.reporting.tables import Column, table_of
from replication.reporting.verdicts import verdicts

TEMPLATES = ROOT / "workflow/templates"
CATALOGUE = catalogue_of({"scale": "tiny"})
PICTURES = sum(not shown.is_table for shown in CATALOGUE.shown.values())
ANSWERS = CATALOGUE.config["papers"]["zoo"]["answers"]
COMPANION = f"{CATALOGUE.folder}/other.html"
TESTED = CATALOGUE.shown["rts-f3"].tested
STAND_IN = {"stand_in_for": "dna", "stand_in_reason": "nothing <was> to be had"}
# On and on either side of every bound, so that all verdicts occur.
OFFSETS = ((1.0, 0.5, 2.0), (-1.0, -2.0, -0.5), (0.1, -1.0, 1.0), (np.nan, np.nan, np.nan))


def artifact(path, dataset, kind, **attributes):
    """Write a small artifact with its provenance."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_artifact(
        dataset.assign_attrs(attributes),
        path,
        kind=kind,
        parameters={"sweeps": 10, "note": "<b>no markup</b> & none"},
        source="5" * 64,
        inputs={"model": "1" * 64},
        seed_path="2016/" + Path(path).stem,
    )


def statistics_of(claims):
    """A made-up number for every claim: all verdicts in turn."""
    found = {}
    for number, (name, entry) in enumerate(claims.items()):
        offsets = OFFSETS[number % len(OFFSETS)]
        bound = entry.get("at_least", entry.get("at_most"))
        found[name] = Statistic(*(bound + offset for offset in offsets), of=f"size of {name} <nat>")
    return found


def some_card(papers):
    """A scorecard of all claims of some papers, each with a made-up number."""
    verdict = {
        name: verdicts(shown.tested, statistics_of(shown.tested), reason="stand-in data" if name == "rts-f5" else None)
        for name, shown in CATALOGUE.shown.items()
        if shown.tested
    }
    claims = {name: one for name, one in CATALOGUE.claims.items() if CATALOGUE.shown[one["figure"]].paper in papers}
    return scorecard(claims, verdict, CATALOGUE.claimed)


def write_files(exhibits):
    """The files that the page shows and links to."""
    figure = new_figure(8.0, 2.0)
    figure.subplots().plot([0, 1])
    save(figure, "one.png", "one.pdf")
    table = table_of({"dna": {"ais": -1.0}, "web": {}}, "data set", {"ais": Column("AIS", "nat")})
    data = xr.Dataset({"x": labelled("point", np.arange(3.0), "x", "1")})
    for path in [COMPANION, *(place["verdict"] for place in exhibits.values() if place["verdict"])]:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()
    for name, place in exhibits.items():
        stand_in = STAND_IN if name == "rts-f5" else {}
        for path in [*place["artifacts"], *CATALOGUE.claimed.get(name, {"artifacts": {}})["artifacts"].values()]:
            is_table = "/tables/" in path
            if not Path(path).exists() or stand_in:
                artifact(path, table if is_table else data, "table" if is_table else "trace", **stand_in)
        for path in map(Path, place["files"]):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(Path("one.png").read_bytes() if path.suffix == ".png" else b"x")


def some_zoo():
    """Two estimators on three models of two families, an estimate missing, half of the others not converged."""
    cells, log_z = ("model", "estimator", "budget"), np.zeros((3, 2, 4))
    log_z[2, 1, 3] = np.nan
    converged = np.arange(24).reshape(log_z.shape) % 2
    return xr.Dataset(
        {"log_z": (cells, log_z), "converged": (cells, converged)}, {"family": ("model", ["a", "b", "b"])}
    )


def write_pages(papers=CATALOGUE.config["papers"], **more):
    """Everything that a run ends in, of some papers, in the current folder: (text of the page, scorecard)."""
    exhibits = {name: place for name, place in CATALOGUE.exhibits.items() if place["paper"] in papers}
    write_files(exhibits)
    records = {path: read_provenance(path) for place in exhibits.values() for path in place["artifacts"]}
    card = some_card(papers)
    settings = {"scale": "tiny", "folder": CATALOGUE.folder, "templates": TEMPLATES}
    for form, text in (
        ("md", markdown(card, CATALOGUE.folder)),
        ("html", scorecard_page(card, **settings)),
        ("csv", card_csv(card)),
    ):
        Path(f"{CATALOGUE.folder}/scorecard.{form}").write_text(text)
    shown = {name: exhibit_of(place, records) for name, place in exhibits.items()}
    text = page(card, shown, zoo=some_zoo(), papers=papers, **settings, **more)
    Path(f"{CATALOGUE.folder}/index.html").write_text(text)
    return text, card
