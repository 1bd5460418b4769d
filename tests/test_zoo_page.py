"""The page of the zoo: its numbers are those of the figures, sound HTML, nothing loaded; used in Chromium."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from pages import LOOK, Page, faults
from projects import ROOT, catalogue_of
from test_zoo import ESTIMATORS, NAMES, TRAINERS, joined, parts_of, seconds_of

from replication.layout import kind_of
from replication.papers.zoo import zoo_statistics as statistics
from replication.papers.zoo.zoo_page import opening_family, page, results, rounded
from replication.project import pages_of_estimators
from replication.reporting.statistics import seconds_of_budgets
from replication.reporting.style import LOOKS
from replication.reporting.web import look_on_page, marker_path

FOLDER, FIGURE, ARTIFACT = "figures/tiny", "figures/tiny/zoo/zoo-rmse.png", "data/tiny/zoo.nc"


@pytest.fixture(scope="module")
def artifacts():
    """Two families at different budgets; one has an uncertain truth and runs that did not converge."""
    zoo = joined(
        parts_of("dna-20", (180, 20), ESTIMATORS, TRAINERS),
        parts_of("one", (784, 500), {**ESTIMATORS, "rts": 0.01}, {"cd": 1.0}, std_error=0.05, budgets=[200, 400, 800]),
    )
    zoo["converged"].loc[{"model": "one-cd", "estimator": "bar", "replicate": slice(0, 9)}] = 0
    return {"zoo": zoo, "timings": {"dna-20": seconds_of(), "one": 10 * seconds_of()}}


def page_of(artifacts):
    pages = pages_of_estimators({name: {"method": name} for name in ESTIMATORS}, ROOT)
    links = {"pages": pages, "figures": {"RMSE of all <of them>": FIGURE}, "places": {"zoo": ARTIFACT}}
    return page(artifacts, names=NAMES, scale="tiny", folder=FOLDER, templates=ROOT / "workflow/templates", **links)


@pytest.fixture(scope="module")
def made(artifacts, tmp_path_factory):
    """(path of the page, its text) in a folder with all that it links to."""
    folder = tmp_path_factory.mktemp("zoo")
    (folder / "docs").symlink_to(ROOT / "docs")
    for linked in (FIGURE, ARTIFACT):
        (folder / linked).parent.mkdir(parents=True)
        (folder / linked).write_text("x")
    path = folder / FOLDER / "zoo.html"
    path.write_text(page_of(artifacts))
    return path, path.read_text()


def data_of(text):
    (found,) = [one for one in Page(text).all("script") if one.attributes.get("id") == "data"]
    return json.loads(found.text)


def test_its_numbers_are_those_of_the_functions_that_figures_draw(artifacts, made):
    numbers = data_of(made[1])["families"]
    assert numbers == results(artifacts["zoo"], artifacts["timings"])
    for by_family, (name, part) in zip(numbers, statistics.families(artifacts["zoo"]).items(), strict=True):
        assert by_family["name"] == name and by_family["budgets"] == list(part["budget"].values)
        every, converged = statistics.coverage(part), statistics.coverage(statistics.converged_only(part))
        expected = {"coverage": every[:2], "converged_coverage": converged[:2]}
        expected["rmse"] = map(np.exp, statistics.with_interval(part, statistics.log_rmse))
        expected["bias"] = statistics.with_interval(part, statistics.mean_bias)
        for key, (value, (low, high)) in expected.items():
            for end, values in (("value", value), ("low", low), ("high", high)):
                np.testing.assert_allclose(np.array(by_family[key][end], float), values, rtol=6e-4, err_msg=key)
        np.testing.assert_array_equal(by_family["coverage"]["runs"], every[2])
        assert by_family["best"] == statistics.among_the_best(part)
        for row, estimator in enumerate(ESTIMATORS):
            seconds = seconds_of_budgets(artifacts["timings"][name], estimator, by_family["budgets"])[0]
            np.testing.assert_allclose(by_family["seconds"][row], seconds, rtol=6e-4)
    assert by_family["unconverged"][3] == [0.25] * 3 and by_family["converged_coverage"]["runs"][3] == [30] * 3
    assert (by_family["truth_error"], by_family["mean_truth_error"]) == (0.05, 0.05)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_missing_and_exact_estimates_are_shown_as_such(artifacts):
    """An estimator is missing in a family, and another has no error."""
    zoo = artifacts["zoo"].copy(deep=True)
    zoo["log_z"].loc[{"model": "one-cd", "estimator": "ts"}] = np.nan
    exact = {"model": "one-cd", "estimator": "rts", "budget": [200, 400, 800]}
    zoo["log_z"].loc[exact] = zoo["truth"].sel(model="one-cd")
    zoo["truth_std_error"].loc[{"model": "one-cd"}] = 0.0
    assert rounded([1.23456, np.nan, -np.inf, 0.0]) == [1.235, None, None, 0.0]
    rmse = results(zoo, artifacts["timings"])[1]["rmse"]["value"]
    assert rmse[2] == [None] * 3 and rmse[1] == [0.0] * 3


def test_it_is_sound_and_the_same_contents_give_the_same_bytes_that_name_no_machine(artifacts, made):
    path, text = made
    assert faults(path) == [] and kind_of(f"{FOLDER}/zoo.html") == "page"
    assert page_of(artifacts) == text
    assert str(path.parents[2]) not in text and str(ROOT) not in text
    # The XML namespace of pictures is no address from which anything is loaded.
    assert not re.search(r"file://|https?://", text.replace("http://www.w3.org/2000/svg", ""))


def test_every_configured_estimator_has_a_page_in_the_docs():
    estimators = catalogue_of().config["estimators"]
    pages = pages_of_estimators(estimators, ROOT)
    assert list(pages) == list(estimators)
    assert all((ROOT / path).is_file() for path in pages.values())
    named = {name: Path(pages[name]).stem for name in ("ts", "ti-riemann", "ais-modes")}
    assert named == {"ts": "ts", "ti-riemann": "README", "ais-modes": "ais"}


def test_markers_are_those_of_the_figures():
    assert marker_path("x") == ("M-0.5 0.5L0.5 -0.5M-0.5 -0.5L0.5 0.5", False)
    assert marker_path("^") == ("M0 -0.5L-0.5 0.5L0.5 0.5Z", True)
    for name, (colour, marker, _) in LOOKS.items():
        look = look_on_page(name, 0)
        assert look["light"] == colour and look["path"] == marker_path(marker)[0]
    assert look_on_page("ais-modes", 0)["edged"] and look_on_page("ais-uniform", 0)["hollow"]


def texts(browser, selector):
    return browser.evaluate(f"Array.from(document.querySelectorAll('{selector}'), (one) => one.textContent)")


def labels(browser):
    return browser.evaluate("Array.from(document.querySelectorAll('.point'), (one) => one.getAttribute('aria-label'))")


def choose(browser, control, value):
    found = f"document.getElementById('{control}')"
    browser.evaluate(f"{found}.value = '{value}', {found}.dispatchEvent(new Event('change', {{ bubbles: true }}))")


def open_at(browser, path, fragment="", **settings):
    """Load the page again: a new fragment alone would not reload it."""
    browser.open("about:blank")
    browser.open(path.as_uri() + fragment, **settings)


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)])
def test_it_opens_in_a_browser_without_complaint(browser, made, width, dark):
    open_at(browser, made[0], width=width, dark=dark)
    for quantity in browser.evaluate("Array.from(document.getElementById('quantity').options, (one) => one.value)"):
        choose(browser, "quantity", quantity)
        assert len(labels(browser)) >= len(ESTIMATORS), quantity
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert not any(re.search("NaN|Infinity|undefined", one) for one in texts(browser, "#chooser"))
    assert browser.evaluate(LOOK) == []
    assert browser.complaints() == []
    assert [address.partition("#")[0] for address in browser.requests()] == [made[0].as_uri()]


def test_it_opens_on_a_family_with_a_winner_the_best_first_controls_closed(browser, made):
    open_at(browser, made[0])
    assert browser.evaluate("[order.value, document.getElementById('controls').open]") == ["best", False]
    best = data_of(made[1])["families"][0]["best"][-1][0]
    assert labels(browser)[0].startswith(list(NAMES.values())[best] + ":")
    assert opening_family([{"best": [[0], [0, 1]]}, {"best": [[0, 1], [2]]}, {"best": [[2]]}]) == 1


def test_what_is_chosen_is_drawn_and_said(browser, made):
    open_at(browser, made[0])
    data = data_of(made[1])
    choose(browser, "family", "dna-20")
    choose(browser, "order", "listed")
    before = browser.evaluate("document.querySelector('#plot svg').outerHTML")
    choose(browser, "family", "one")
    assert browser.evaluate("document.querySelector('#plot svg').outerHTML") != before
    assert "one: 784 × 500" in texts(browser, "#shown")[0] and "800 sweeps" in texts(browser, "#shown")[0]
    assert texts(browser, "#budget option") == ["200 sweeps", "400 sweeps", "800 sweeps"]
    assert len(texts(browser, ".truth")) == 1
    choose(browser, "budget", "200")
    (ais, *_) = labels(browser)
    value, low, high = (float(f"{data['families'][1]['rmse'][end][0][0]:.2g}") for end in ("value", "low", "high"))
    assert ais.startswith(f"AIS: {value:g} nat ({low:g} to {high:g}), 200 sweeps")
    assert "25% of runs not converged" in labels(browser)[3]
    hollow = "Array.from(document.querySelectorAll('.point'), (one) => Boolean(one.querySelector('.hollow')))"
    assert browser.evaluate(hollow) == [False, False, False, True]
    choose(browser, "order", "best")
    assert labels(browser)[0].startswith("RTS")
    browser.evaluate("document.getElementById('show-rts').click()")
    assert [label.partition(":")[0] for label in labels(browser)] == texts(browser, "#numbers tbody th")
    assert "RTS" not in texts(browser, "#numbers tbody th")
    choose(browser, "quantity", "coverage")
    assert "converged runs alone" in "".join(labels(browser))


def test_what_is_chosen_is_in_the_address(browser, made):
    open_at(browser, made[0])
    choose(browser, "family", "one")
    choose(browser, "quantity", "seconds")
    assert sorted(texts(browser, "#plot .end")) == sorted(NAMES.values())  # each line has its name
    browser.evaluate("document.querySelector('#choices button[value=none]').click()")
    assert labels(browser) == [] and texts(browser, "#numbers tbody th") == []
    assert "No estimator is chosen" in texts(browser, "#plot")[0]
    browser.evaluate("document.getElementById('show-bar').click()")
    fragment, drawn = browser.evaluate("location.hash"), labels(browser)
    assert fragment == "#family=one&quantity=seconds&budget=800&order=best&estimators=bar"
    open_at(browser, made[0], fragment)
    assert labels(browser) == drawn and len(drawn) == 3


def test_without_scripts_the_table_is_there(browser, made):
    open_at(browser, made[0], scripts=False)
    seen = "Array.from(document.querySelectorAll('select, input, .all'), (one) => one.offsetHeight > 0)"
    assert browser.evaluate(seen) == [False] * 8 + [True]
    data = data_of(made[1])["families"]
    rows = [one for one in Page(made[1]).all("tr") if one.inside("tbody")]
    assert len(rows) == len(ESTIMATORS)
    for row, line in enumerate(rows):
        for family in data:
            value, low, high = (float(f"{family['rmse'][end][row][-1]:.2g}") for end in ("value", "low", "high"))
            assert f"{value:g}" in line.text and f"{low:g} to {high:g}" in line.text
    assert "× 25%" in rows[3].text
