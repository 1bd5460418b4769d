"""The page of all figures, tables and verdicts: sound HTML, nothing loaded, the same bytes; looked at in Chromium."""

import base64
import contextlib
import io
import itertools
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import xarray as xr
from pages import LOOK, Page, faults
from PIL import Image
from projects import ROOT, catalogue_of

from logzoo.io.netcdf import read_provenance, write_artifact
from logzoo.io.schema import labelled
from replication.artifacts import PUBLISHED as published_path
from replication.papers.zoo.zoo_answer import Use
from replication.reporting.page import exhibit_of, page, scorecard_page
from replication.reporting.scorecard import csv as card_csv
from replication.reporting.scorecard import markdown, scorecard, summary
from replication.reporting.statistics import Statistic
from replication.reporting.style import few_colours, new_figure, save
from replication.reporting.tables import Column, table_of
from replication.reporting.verdicts import VERDICTS, verdicts
from replication.reporting.web import LARGE, SMALL, embedded

CATALOGUE = catalogue_of({"scale": "tiny"})
PICTURES = sum(not shown.is_table for shown in CATALOGUE.shown.values())
ANSWERS = CATALOGUE.config["papers"]["zoo"]["answers"]
COMPANION = f"{CATALOGUE.folder}/other.html"
PAGES = ("index.html", "scorecard.html")
SLUGS = {verdict: word.replace(" ", "-") for verdict, word in VERDICTS.items()}
USES = [Use("small <model>", 'estimate_log_z(rbm, "ais")', "AIS: 0.1 nat")]
PUBLISHED = [["rts", "reproduced", 4], ["rts", "not reproduced", 1], ["tracking", "undecided at this scale", 2]]
STAND_IN = {"stand_in_for": "dna", "stand_in_reason": "nothing <was> to be had"}
# Offsets (value, low, high) from a bound: above, below, around it, and missing, so that all verdicts occur.
OFFSETS = ((1.0, 0.5, 2.0), (-1.0, -2.0, -0.5), (0.1, -1.0, 1.0), (np.nan, np.nan, np.nan))


def artifact(path, dataset, kind, **attributes):
    """Write a small artifact with its provenance."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    provenance = {"source": "5" * 64, "inputs": {"model": "1" * 64}, "seed_path": f"2016/{Path(path).stem}"}
    parameters = {"sweeps": 10, "note": "<b>no markup</b> & none"}
    write_artifact(dataset.assign_attrs(attributes), path, kind=kind, parameters=parameters, **provenance)


def statistics_of(claims):
    """A made-up number for every claim: all verdicts in turn."""
    statistics = {}
    for (name, entry), offsets in zip(claims.items(), itertools.cycle(OFFSETS), strict=False):
        bound = entry.get("at_least", entry.get("at_most", 0.0))
        statistics[name] = Statistic(*(bound + offset for offset in offsets), note=f"size of {name} <nat>")
    return statistics


def some_card(papers):
    """A scorecard of all claims of some papers, each with a made-up number."""
    tested, reasons = {name: shown.tested for name, shown in CATALOGUE.shown.items()}, {"rts-f5": "stand-in data"}
    judged = {name: (one, statistics_of(one), reasons.get(name)) for name, one in tested.items() if one}
    verdict = {name: verdicts(one, statistics, reason=reason) for name, (one, statistics, reason) in judged.items()}
    claims = {name: one for name, one in CATALOGUE.claims.items() if CATALOGUE.shown[one["figure"]].paper in papers}
    return scorecard(claims, verdict, CATALOGUE.claimed)


def write_files(exhibits):
    """The files that the page shows and links to."""
    figure = new_figure(8.0, 2.0)
    figure.subplots().plot([0, 1])
    save(figure, "one.png", "one.pdf")
    table = table_of({"dna": {"ais": -1.0}, "web": {}}, "data set", {"ais": Column("AIS", "nat")})
    data = xr.Dataset({"x": labelled("point", np.arange(3.0), "x", "1")})
    published = "results/decisive/figures/decisive/scorecard.html"
    for path in map(Path, [COMPANION, published, *filter(None, (place["verdict"] for place in exhibits.values()))]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
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
    """Two estimators on three models of two families, with one estimate missing and every second not converged."""
    cells, log_z = ("model", "estimator", "budget"), np.zeros((3, 2, 4))
    log_z[2, 1, 3] = np.nan
    content = {"log_z": (cells, log_z), "converged": (cells, np.arange(24).reshape(log_z.shape) % 2)}
    return xr.Dataset(content, {"family": ("model", ["a", "b", "b"])})


def write_pages(papers=CATALOGUE.config["papers"], **more):
    """Write the final files of a run of some papers to the current folder: (text of the page, scorecard)."""
    exhibits = {name: place for name, place in CATALOGUE.exhibits.items() if place["paper"] in papers}
    write_files(exhibits)
    records = {path: read_provenance(path) for place in exhibits.values() for path in place["artifacts"]}
    card = some_card(papers)
    settings = {"scale": "tiny", "folder": CATALOGUE.folder, "templates": ROOT / "workflow/templates"}
    forms = {"md": markdown(card, CATALOGUE.folder), "html": scorecard_page(card, **settings), "csv": card_csv(card)}
    for form, text in forms.items():
        Path(f"{CATALOGUE.folder}/scorecard.{form}").write_text(text)
    shown = {name: exhibit_of(place, records) for name, place in exhibits.items()}
    text = page(card, shown, zoo=some_zoo(), papers=papers, **settings, uses=USES, findings=["One finding."], **more)
    Path(f"{CATALOGUE.folder}/index.html").write_text(text)
    return text, card


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(path of the page, its text, the scorecard) in a folder with all that it links to."""
    folder = tmp_path_factory.mktemp("page")
    with contextlib.chdir(folder):
        text, card = write_pages(companion=COMPANION, published=PUBLISHED)
    return folder / "figures/tiny/index.html", text, card


@pytest.fixture(scope="module")
def parsed(made):
    return Page(made[1])


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_are_sound(made, name):
    assert faults(made[0].with_name(name)) == []


def test_the_same_contents_give_the_same_bytes_that_name_no_machine(made, tmp_path):
    path, text, _ = made
    with contextlib.chdir(tmp_path):
        assert write_pages(companion=COMPANION, published=PUBLISHED)[0] == text
    assert text.count(f'href="{Path(COMPANION).name}"') == 1
    assert str(path.parents[2]) not in text and str(ROOT) not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d|file://|https?://", text)


def test_every_figure_table_and_claim_is_on_the_page(made, parsed):
    _, text, card = made
    shown = {one.attributes["id"]: one.text for one in parsed.all("article") if "id" in one.attributes}
    assert set(shown) == set(CATALOGUE.shown) and len(parsed.all("img")) == 2 * PICTURES
    (table,) = [one for one in parsed.all("table") if one.attributes.get("id") == "scorecard-table"]
    for entry in CATALOGUE.claims.values():
        assert entry["claim"] in table.text
        if entry["figure"] in shown:
            assert entry["claim"] in shown[entry["figure"]] and entry.get("not_tested", "") in shown[entry["figure"]]
    assert summary(card, "tiny") in text and all(word in table.text for word in set(card["verdict"].values))
    rows = [one for one in parsed.all("tr") if one.inside("tbody") and one.inside("table") is table]
    assert len(rows) == len(CATALOGUE.claims)


def test_the_page_opens_with_findings_a_table_and_the_answer(made, parsed):
    sentences = [one.text for one in parsed.all("li") if one.inside("ul").attributes.get("class") == "done"]
    assert len(sentences) == 4 and sentences[3] == "One finding."
    assert "reproduced 4 of its 5 decided claims (Carlson et al. (2016) 4 of 5, " in sentences[2]
    assert f"The published run, scale {published_path.split('/')[1]}, " in sentences[2]
    links = [one.attributes["href"] for one in parsed.all("a") if one.inside("header")]
    assert links[:2] == ["scorecard.html", "../../results/decisive/figures/decisive/scorecard.html"]
    first = parsed.all("section")[0]
    assert CATALOGUE.config["papers"]["zoo"]["question"] in first.text and "small <model>" in first.text
    opening = [one.attributes["id"] for one in parsed.all("article") if one.inside("section") is first]
    assert opening == ANSWERS and not CATALOGUE.shown[opening[0]].is_table


def test_every_figure_and_table_has_a_tile_with_the_marks_of_its_verdicts(made, parsed):
    card = made[2]
    faces = [one for one in parsed.all("summary") if one.parent.attributes.get("class") == "tile"]
    inside = {one.inside("details"): one.attributes["id"] for one in parsed.all("article") if "id" in one.attributes}
    tiles = {inside[one.parent]: one for one in faces}
    tiles |= {one.attributes["href"][1:]: one for one in parsed.all("a") if one.attributes.get("class") == "tile"}
    assert set(tiles) == set(CATALOGUE.shown) and len(faces) == len(tiles) - len(ANSWERS)
    for name, tile in tiles.items():
        said = list(card["verdict"].values[card["figure"].values == name])
        assert CATALOGUE.shown[name].title in tile.text
        for word in VERDICTS:
            assert (f"{said.count(word)} {word}" in tile.text) == (word in said)


def test_the_page_of_a_paper_alone_without_a_companion_is_sound(tmp_path):
    papers = {name: entry for name, entry in CATALOGUE.config["papers"].items() if name == "rts"}
    with contextlib.chdir(tmp_path):
        text, _ = write_pages(papers)
        assert faults(f"{CATALOGUE.folder}/index.html") == []
    assert Page(text).all("section")[0].attributes["id"] == "rts"
    assert "of 1 paper" in text and "other.html" not in text and "The published run" not in text


def test_each_picture_has_its_provenance(made, parsed):
    path, text, _ = made
    name = "data/tiny/runs/mnist-spectral-100.rts.nc"
    for figure, found in (("rts-f3", 1), ("rts-f4", 0)):
        (article,) = [one for one in parsed.all("article") if one.attributes.get("id") == figure]
        links = [one.attributes["href"] for one in parsed.all("a") if one.inside("article") is article]
        assert links.count(f"#{name}") == links.count(f"../../{name}") == found
    assert "../../data/tiny/verdicts/rts-f3.nc" in text
    records = {one.attributes["id"]: one.text for one in parsed.all("dl")}
    record = read_provenance(path.parents[2] / name)
    expected = ['{"note": "<b>no markup</b> & none", "sweeps": 10}', "1" * 12]
    expected += [record[key] for key in ("content_sha256", "source_sha256", "seed_path")]
    assert text.count(f'<dl id="{name}">') == 1 and all(words in records[name] for words in expected)


def test_stand_in_data_are_said_at_the_top_and_beside_the_figure(parsed):
    first, second = [one for one in parsed.all("p") if one.attributes.get("class") == "notice"]
    assert first.inside("header") and second.inside("article").attributes["id"] == "rts-f5"
    assert all("replaced data sets or models: dna." in one.text for one in (first, second))
    (why,) = [one for one in parsed.all("details") if one.inside("header")]
    assert "nothing <was> to be had" in why.text


def test_pictures_are_small_and_keep_their_rare_colours():
    figure, target = new_figure(9.0, 6.0), io.BytesIO()
    axes = figure.subplots()
    axes.imshow(np.add.outer(np.arange(400.0), np.arange(300.0)), aspect="auto", cmap="magma")
    axes.axhline(200.0, color="#56B4E9")
    figure.savefig(target, format="png", dpi=150)
    (one,), (small,) = (embedded(target.getvalue(), size) for size in (LARGE, SMALL))
    assert (one.width, one.height, small.width, small.height) == (LARGE, 527, SMALL, 133)
    assert len(small.uri) < len(one.uri) < target.tell()
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(one.uri.partition(",")[2]))).convert("RGB"))
    assert np.abs(pixels.astype(int) - (0x56, 0xB4, 0xE9)).max(axis=-1).min() < 12
    assert (pixels[0, 0] == 255).all()
    with pytest.raises(ValueError, match="expected the bytes of a PNG"):
        embedded(b"no picture", LARGE)
    # Large areas keep their colour beside many others.
    pixels = np.full((200, 200, 3), 227, np.uint8)
    pixels[:20] = np.random.default_rng(0).integers(0, 256, (20, 200, 3))
    assert few_colours(Image.fromarray(pixels), 128).convert("RGB").getpixel((100, 150)) == (227, 227, 227)


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)])
@pytest.mark.parametrize("name", PAGES)
def test_it_opens_in_a_browser_without_complaint(browser, made, name, width, dark):
    path = made[0].with_name(name)
    browser.open(path.as_uri(), width=width, dark=dark)
    assert browser.evaluate("innerWidth") == width and browser.evaluate(LOOK) == []
    assert browser.complaints() == []
    assert browser.requests() == [path.as_uri()]
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    images = browser.evaluate("Array.from(document.images, (one) => one.naturalWidth)")
    assert len(images) == (2 * PICTURES if name == "index.html" else 0) and all(images)
    links = browser.evaluate("Array.from(document.links, (one) => one.href)")
    assert len(links) > 50
    assert all(Path(unquote(urlsplit(one).path)).is_file() for one in links)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_scorecard_is_filtered_by_verdict_with_and_without_scripts(browser, made, scripts):
    path, _, card = made
    browser.open(path.as_uri(), scripts=scripts)
    assert bool(browser.evaluate("document.querySelectorAll('th button').length")) == scripts
    said = list(card["verdict"].values)
    shown = "Array.from(document.querySelectorAll('.scorecard tbody tr')).filter((one) => one.offsetHeight).length"
    assert browser.evaluate(shown) == len(said)
    for verdict, slug in SLUGS.items():
        browser.evaluate(f"document.getElementById('show-{slug}').click()")
        assert browser.evaluate(shown) == said.count(verdict)
        status = browser.evaluate("document.getElementById('scorecard-status').textContent")
        assert status == (f"{said.count(verdict)} of {len(said)} rows shown" if scripts else "")


def test_the_scorecard_is_sorted_by_its_headings(browser, made):
    path, _, card = made
    browser.open(path.as_uri())
    column = "Array.from(document.querySelectorAll('.scorecard tbody tr'), (one) => one.classList[0])"
    slugs = list(SLUGS.values())
    before = [slugs.index(one) for one in browser.evaluate(column)]
    assert before == [list(VERDICTS).index(one) for one in card["verdict"].values] != sorted(before)
    for order in ("ascending", "descending"):
        browser.evaluate("document.querySelectorAll('th button')[1].click()")
        after = [slugs.index(one) for one in browser.evaluate(column)]
        assert after == sorted(before, reverse=order == "descending")
        assert browser.evaluate("document.querySelectorAll('th[aria-sort]').length") == 1
        assert browser.evaluate("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == order
