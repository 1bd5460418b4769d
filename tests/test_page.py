"""The page of all figures, tables and verdicts: sound HTML, nothing loaded, the same bytes; looked at in Chromium."""

import base64
import contextlib
import io
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import xarray as xr
from browser import Browser, find_chromium
from pages import Page, faults
from PIL import Image
from projects import ROOT, catalogue_of

from logzoo.artifacts.labels import labelled
from logzoo.artifacts.netcdf import read_provenance, write_artifact
from logzoo.reporting.page import exhibit_of, page, scorecard_page
from logzoo.reporting.pictures import embedded
from logzoo.reporting.scorecard import VERDICTS, markdown, scorecard, summary
from logzoo.reporting.scorecard import csv as card_csv
from logzoo.reporting.statistics import Statistic
from logzoo.reporting.style import new_figure, save
from logzoo.reporting.tables import Column, table_of
from logzoo.reporting.verdicts import verdicts

TEMPLATES = ROOT / "workflow/templates"
CATALOGUE = catalogue_of({"scale": "tiny"})
PICTURES = sum(not shown.is_table for shown in CATALOGUE.shown.values())
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


def some_card():
    """A scorecard of all claims, each with a made-up number."""
    verdict = {
        name: verdicts(
            shown.tested, statistics_of(shown.tested), untested="stand-in data" if name == "rts-f5" else None
        )
        for name, shown in CATALOGUE.shown.items()
        if shown.tested
    }
    return scorecard(CATALOGUE.claims, verdict, CATALOGUE.claimed)


def write_files(exhibits):
    """The files that the page shows and links to."""
    figure = new_figure(8.0, 2.0)
    figure.subplots().plot([0, 1])
    save(figure, "one.png", "one.pdf")
    table = table_of({"dna": {"ais": -1.0}, "web": {}}, "data set", {"ais": Column("AIS", "nat")})
    data = xr.Dataset({"x": labelled("point", np.arange(3.0), "x", "1")})
    for name, place in exhibits.items():
        stand_in = STAND_IN if name == "rts-f5" else {}
        for path in [*place["artifacts"], *CATALOGUE.claimed.get(name, {"artifacts": {}})["artifacts"].values()]:
            is_table = "/tables/" in path
            if not Path(path).exists() or stand_in:
                artifact(path, table if is_table else data, "table" if is_table else "trace", **stand_in)
        for path in map(Path, place["files"]):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(Path("one.png").read_bytes() if path.suffix == ".png" else b"x")


def write_pages():
    """Everything that a run ends in, in the current folder: (text of the page, scorecard)."""
    exhibits = CATALOGUE.exhibits
    write_files(exhibits)
    records = {path: read_provenance(path) for place in exhibits.values() for path in place["artifacts"]}
    card = some_card()
    settings = {"scale": "tiny", "folder": CATALOGUE.folder, "templates": TEMPLATES}
    for form, text in (
        ("md", markdown(card, CATALOGUE.folder)),
        ("html", scorecard_page(card, **settings)),
        ("csv", card_csv(card)),
    ):
        Path(f"{CATALOGUE.folder}/scorecard.{form}").write_text(text)
    Path(f"{CATALOGUE.folder}/zoo.html").write_text("x")
    shown = {name: exhibit_of(place, records) for name, place in exhibits.items()}
    text = page(card, shown, papers=CATALOGUE.config["papers"], **settings)
    Path(f"{CATALOGUE.folder}/index.html").write_text(text)
    return text, card


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(path of the page, its text, the scorecard) in a folder with all that it links to."""
    folder = tmp_path_factory.mktemp("page")
    with contextlib.chdir(folder):
        text, card = write_pages()
    return folder / "figures/tiny/index.html", text, card


def test_the_pages_are_sound(made):
    path, _, _ = made
    assert faults(path) == []
    assert faults(path.with_name("scorecard.html")) == []


@pytest.mark.parametrize(
    ("pattern", "replacement", "complaint"),
    [
        (r' alt="[^"]+"', ' alt=""', "no alternative text"),
        (r'src="data:', 'src="https://example.test/', "loaded from https"),
        (r"base64,.{40}", "base64,", "does not decode"),
        (r'<img src="([^"]*)" width="\d+"', r'<img src="\1" width="7"', "another size"),
        (r'href="rts/rts-f1.pdf"', 'href="rts/rts-f0.pdf"', "rts-f0.pdf, which is not there"),
        (r'href="#rts"', 'href="#rst"', "#rst, which is not there"),
        (r'href="#rts"', 'href="https://example.test"', "a link to 'https"),
        (r'id="rts-f2"', 'id="rts-f1"', "id rts-f1 twice"),
        (r"<h2 ", "<h2></h2><h1>x</h1><h4 ", "left out"),
        (r"<caption>.*?</caption>", "", "no caption"),
        (r'<th scope="row">', "<th>", "no header cells"),
        (r"</section>", "", "where section is open"),
        (r'lang="en"', "", "no language"),
        (r'<label for="show-all">', '<label for="show-none">', "has no label"),
        (r"</style>", '</style><link rel="x">', "<link>"),
        (r"</footer>", '</footer><script src="x.js"></script>', "loads x.js"),
    ],
)
def test_a_planted_fault_is_found(made, pattern, replacement, complaint):
    path, text, _ = made
    broken = re.sub(pattern, replacement, text, count=1, flags=re.DOTALL)
    assert broken != text
    target = path.with_name("broken.html")
    target.write_text(broken)
    assert complaint in "\n".join(faults(target))
    target.unlink()


def test_the_same_contents_give_the_same_bytes_that_name_no_machine(made, tmp_path):
    path, text, _ = made
    with contextlib.chdir(tmp_path):
        assert write_pages()[0] == text
    assert str(path.parents[2]) not in text and str(ROOT) not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d|file://|https?://", text)


def test_every_figure_table_and_claim_is_on_the_page(made):
    _, text, card = made
    parsed, claims = Page(text), CATALOGUE.claims
    shown = {one.attributes["id"]: one for one in parsed.all("article") if "id" in one.attributes}
    assert set(shown) == set(CATALOGUE.shown)
    assert len(parsed.all("img")) == PICTURES
    (table,) = [one for one in parsed.all("table") if one.attributes.get("id") == "scorecard-table"]
    for entry in claims.values():
        assert entry["claim"] in table.text
        if entry["figure"] in shown:
            assert entry["claim"] in shown[entry["figure"]].text
    assert summary(card, "tiny") in text and all(word in table.text for word in VERDICTS)
    assert all(one["not_tested"] in table.text for one in claims.values() if "not_tested" in one)
    rows = [one for one in parsed.all("tr") if one.inside("tbody") and one.inside("table") is table]
    assert len(rows) == len(claims)


def test_a_figure_says_its_verdicts_to_those_who_cannot_see_it(made):
    _, text, card = made
    described = {one.inside("article").attributes["id"]: one.attributes["alt"] for one in Page(text).all("img")}
    for name in card["id"].values:
        one = card.sel(id=name)
        if one["figure"].item() in described:
            alternative = described[one["figure"].item()]
            assert f"{one['claim'].item()}: {one['verdict'].item()}" in alternative
    assert "95% bootstrap intervals" in described["rts-f3"]
    assert described["zoo-rmse"].endswith("No claim is tested on it.")


def test_each_picture_has_its_provenance(made):
    path, text, _ = made
    figures = {one.attributes["id"]: one for one in Page(text).all("article") if "id" in one.attributes}
    record = read_provenance(path.parents[2] / "data/tiny/estimates/mnist-100/rts.nc")
    for key in ("content_sha256", "source_sha256", "seed_path"):
        assert record[key] in figures["rts-f3"].text
    assert '{"note": "<b>no markup</b> & none", "sweeps": 10}' in figures["rts-f3"].text
    assert "1" * 64 in figures["rts-f3"].text
    assert record["content_sha256"] not in figures["rts-f4"].text


def test_stand_in_data_are_said_at_the_top_and_beside_the_figure(made):
    _, text, _ = made
    notices = [one for one in Page(text).all("p") if one.attributes.get("class") == "notice"]
    assert len(notices) == 2
    assert notices[0].inside("header") and notices[1].inside("article").attributes["id"] == "rts-f5"
    assert all("digits of scikit-learn replace dna." in one.text for one in notices)
    (why,) = [one for one in Page(text).all("details") if one.inside("header")]
    assert "nothing <was> to be had" in why.text


def test_pictures_are_small_and_keep_their_rare_colours():
    figure = new_figure(9.0, 6.0)
    axes = figure.subplots()
    axes.imshow(np.add.outer(np.arange(400.0), np.arange(300.0)), aspect="auto", cmap="magma")
    axes.axhline(200.0, color="#56B4E9")
    target = io.BytesIO()
    figure.savefig(target, format="png")
    one = embedded(target.getvalue())
    assert (one.width, one.height) == (1200, 800)
    assert len(one.uri) < target.tell()
    assert one == embedded(target.getvalue())
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(one.uri.partition(",")[2]))).convert("RGB"))
    assert np.abs(pixels.astype(int) - (0x56, 0xB4, 0xE9)).max(axis=-1).min() < 12
    with pytest.raises(ValueError, match="expected the bytes of a PNG"):
        embedded(b"no picture")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine")
    with Browser(program, tmp_path_factory.mktemp("profile")) as one:
        yield one


PAGES = ("index.html", "scorecard.html")
# JavaScript that lists texts which do not stand out from what is behind them.
LOOK = Path(__file__).with_name("look.js").read_text()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 1280])
def test_it_opens_in_a_browser_without_complaint(browser, made, name, width):
    path = made[0].with_name(name)
    browser.open(path.as_uri(), width=width)
    assert browser.evaluate("innerWidth") == width
    assert browser.complaints() == []
    assert browser.requests() == [path.as_uri()]
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    images = browser.evaluate("Array.from(document.images, (one) => one.naturalWidth)")
    assert len(images) == (PICTURES if name == "index.html" else 0) and all(images)
    links = browser.evaluate("Array.from(document.links, (one) => one.href)")
    assert len(links) > 50
    assert all(Path(unquote(urlsplit(one).path)).is_file() for one in links)


def test_faults_in_a_browser_are_found(browser, made):
    path, text, _ = made
    target = path.with_name("broken.html")
    planted = {
        "<script>throw new Error('x')</script>": lambda: browser.complaints(),
        "<script>console.error('x')</script>": lambda: browser.complaints(),
        "<img src='https://example.test/x.png' alt='x'>": lambda: browser.complaints(),
        "<div style='width: 900px'>x</div>": lambda: browser.evaluate("document.documentElement.scrollWidth > 360"),
        "<p style='color: #999; background: #eee'>x</p>": lambda: browser.evaluate(LOOK),
    }
    for fault, found in planted.items():
        target.write_text(text.replace("</main>", f"{fault}</main>"))
        browser.open(target.as_uri(), width=360)
        assert found(), fault
    without_policy = re.sub(r"<meta http-equiv[^>]*>", "", text)
    target.write_text(without_policy.replace("</main>", "<img src='http://example.test/x.png' alt='x'></main>"))
    browser.open(target.as_uri())
    assert "http://example.test/x.png" in browser.requests()
    target.unlink()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("dark", [False, True])
def test_all_texts_stand_out_from_what_is_behind_them(browser, made, name, dark):
    browser.open(made[0].with_name(name).as_uri(), dark=dark)
    background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") != dark
    assert browser.evaluate(LOOK) == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_scorecard_is_filtered_by_verdict_with_and_without_scripts(browser, made, scripts):
    path, _, card = made
    browser.open(path.as_uri(), scripts=scripts)
    assert bool(browser.evaluate("document.querySelectorAll('th button').length")) == scripts
    said = list(card["verdict"].values)
    shown = "Array.from(document.querySelectorAll('.scorecard tbody tr')).filter((one) => one.offsetHeight).length"
    assert browser.evaluate(shown) == len(said)
    for slug, verdict in zip(("reproduced", "not-reproduced", "undecided", "not-tested"), VERDICTS, strict=True):
        browser.evaluate(f"document.getElementById('show-{slug}').click()")
        assert browser.evaluate(shown) == said.count(verdict) > 0
        status = browser.evaluate("document.getElementById('scorecard-status').textContent")
        assert status == (f"{said.count(verdict)} of {len(said)} rows shown" if scripts else "")


def test_the_scorecard_is_sorted_by_its_headings(browser, made):
    path, _, card = made
    browser.open(path.as_uri())
    column = "Array.from(document.querySelectorAll('.scorecard tbody tr'), (one) => one.classList[0])"
    slugs = {"reproduced": 0, "not-reproduced": 1, "undecided": 2, "not-tested": 3}
    before = [slugs[one] for one in browser.evaluate(column)]
    assert before == [list(VERDICTS).index(one) for one in card["verdict"].values] != sorted(before)
    for order in ("ascending", "descending"):
        browser.evaluate("document.querySelectorAll('th button')[1].click()")
        after = [slugs[one] for one in browser.evaluate(column)]
        assert after == sorted(before, reverse=order == "descending")
        assert browser.evaluate("document.querySelectorAll('th[aria-sort]').length") == 1
        assert browser.evaluate("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == order


def test_the_keyboard_reaches_the_contents(browser, made):
    browser.open(made[0].as_uri())
    for kind in ("rawKeyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
    first = "document.activeElement.getBoundingClientRect()"
    assert browser.evaluate("document.activeElement.getAttribute('href')") == "#main"
    assert browser.evaluate(f"{first}.left >= 0 && {first}.width > 50")
    assert browser.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2")
    regions = "Array.from(document.querySelectorAll('.scroll'), (one) => one.tabIndex)"
    assert set(browser.evaluate(regions)) == {0}
