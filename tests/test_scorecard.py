"""The scorecard: every claim, figure and table of the papers, each with its verdict or why there is none."""

import io
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from replication.papers.tracking.trk_grids import grid_models, grid_settings
from replication.papers.tracking.trk_text import rows
from replication.reporting import scorecard as cards
from replication.reporting.statistics import Statistic
from replication.reporting.tables import csv, frame_of, html, markdown, text_of
from replication.reporting.verdicts import verdicts

CLAIMS = {
    "trk-f1": {"figure": "trk-f1", "claim": "A drawing", "published": "-", "not_tested": "nothing to measure"},
    "rts-f9-small": {"figure": "rts-f9", "claim": "It is |small|", "at_most": 1.0, "published": "small"},
    "rts-f9-large": {"figure": "rts-f9", "claim": "It is large", "at_least": 1.0, "published": "-"},
    "rts-f9-any": {"figure": "rts-f9", "claim": "It is there", "at_least": 0.0, "published": "-"},
}
STATISTICS = {
    "rts-f9-small": Statistic(0.5, 0.4, 0.9, "|size|"),
    "rts-f9-large": Statistic(1.0, 0.5, 1.5, "size"),
    "rts-f9-any": Statistic(np.nan, np.nan, np.nan, "presence"),
}
MADE_FROM = {"truth": "data/quick/truths/one.nc", "rts": "data/quick/estimates/one/rts.nc"}
PLACES = {
    "rts-f9": {"paper": "rts", "picture": "figures/quick/rts/rts-f9.png", "artifacts": MADE_FROM},
    "trk-f1": {"paper": "trk", "picture": "", "artifacts": {}},
}


def tables_of_verdicts(**options):
    tested = {name: entry for name, entry in CLAIMS.items() if name in STATISTICS}
    return {"rts-f9": verdicts(tested, STATISTICS, **options)}


@pytest.fixture
def card():
    return cards.scorecard(CLAIMS, tables_of_verdicts(), PLACES)


def test_every_claim_has_its_verdict_and_papers_their_order(card):
    assert list(card["id"].values) == ["rts-f9-small", "rts-f9-large", "rts-f9-any", "trk-f1"]
    assert list(card["verdict"].values) == ["reproduced", "undecided at this scale", "not tested", "not tested"]
    assert list(card["reason"].values) == ["", "", "no data for it at this scale", "nothing to measure"]
    assert re.findall(r"\d+", cards.summary(card, "quick")) == ["4", "1", "1", "1", "2", "1"]
    # Numbers keep their precision in CSV.
    read = pd.read_csv(io.StringIO(cards.csv(card)), index_col=0, keep_default_na=False)
    assert list(read.index) == list(card["id"].values)
    assert read.loc["rts-f9-small", "high"] == "0.9" and read.loc["trk-f1", "value"] == ""


def test_links_lead_to_the_figure_and_to_what_it_was_judged_from(card):
    text = cards.markdown(card, "figures/quick")
    assert (
        "| It is \\|small\\| | small | \\|size\\|: 0.5 [0.4, 0.9] | at most 1 | reproduced \N{DAGGER} "
        "| [rts-f9](rts/rts-f9.png) "
        "| [truth](../../data/quick/truths/one.nc), [rts](../../data/quick/estimates/one/rts.nc) |"
    ) in text
    assert "| A drawing | - | - | - | not tested (nothing to measure) | trk-f1 | - |" in text
    assert "0.5 [0.4, 0.9] | at most 1 | reproduced \N{DAGGER} | rts-f9 | truth, rts |" in cards.without_links(text)


def test_stand_in_data_leave_claims_untested_and_are_named():
    tables = tables_of_verdicts(reason="stand-in data")
    tables["rts-f9"].attrs |= {"stand_in_for": "mnist", "stand_in_reason": "no way out"}
    card = cards.scorecard(CLAIMS, tables, PLACES)
    assert set(card["verdict"].values) == {"not tested"}
    assert "not tested (stand-in data)" in cards.markdown(card, "figures/quick")
    assert "replaced data sets or models: mnist." in cards.markdown(card, "figures/quick")
    both = cards.stand_ins([card, {"stand_in_for": "dna", "stand_in_reason": "lost"}, {}])
    assert both == {"stand_in_for": "dna, mnist", "stand_in_reason": "lost\nno way out"}
    assert cards.stand_ins([both, {"stand_in_for": "dna", "stand_in_reason": "lost"}]) == both
    assert cards.stand_in_line({}) == "" and cards.stand_ins([{}]) == {}


def test_a_claim_that_is_not_reproduced_says_why_and_no_other_does():
    tested = {name: {**entry, "why": "of a fault"} for name, entry in CLAIMS.items() if name in STATISTICS}
    statistics = {**STATISTICS, "rts-f9-large": Statistic(0.2, 0.1, 0.3, "size")}
    card = cards.scorecard(CLAIMS, {"rts-f9": verdicts(tested, statistics)}, PLACES)
    reasons = {row["id"]: row["reason"] for row in cards.entries(card)}
    assert reasons["rts-f9-large"] == "of a fault" and reasons["rts-f9-small"] == ""
    with pytest.raises(ValueError, match="rts-f9-small: expected a verdict"):
        cards.scorecard(CLAIMS, {}, PLACES)


def best(tracked, ais, **attributes):
    numbers = {"test_log_likelihood_tracked": tracked, "tracked_std_dev": 0.2, "test_log_likelihood_ais": ais}
    numbers |= {"ais_std_error": 0.1, "ais_weight_spread": 1.0}
    return xr.Dataset(numbers, attrs={"hidden": 100, "updates": 900, "chains": 100, **attributes})


@pytest.fixture
def table():
    published = {"published_kalman": -88.0, "published_ais": -88.5}
    return rows({"best": {"dna": best(-90.0, -91.0, **published), "web-own-split": best(-30.0, -30.5)}})


def test_best_models_stand_beside_what_was_published(table):
    assert list(table["row"].values) == ["dna", "web (own split)"]
    np.testing.assert_allclose(table["kalman"], [-90.0, -30.0])
    np.testing.assert_allclose(table["ais_three_sigma"], [0.3, 0.3])
    np.testing.assert_allclose(table["ais_weight_three_sigma"], table["ais_three_sigma"] * table["ais_chains"] ** 0.5)
    np.testing.assert_allclose(table["published_ais"], [-88.5, np.nan])
    assert "published_nade" not in table
    assert all({"long_name", "units"} <= set(variable.attrs) for variable in table.variables.values())
    assert "STAND-IN" in rows({"best": {"dna": best(-90.0, -91.0, stand_in_for="dna")}})["row"].values[0]


def test_every_form_holds_the_same_rows(table):
    text = markdown(frame_of(table), "Test log-likelihoods")
    assert text.startswith("Test log-likelihoods\n\n| data set |")
    assert "| dna | 100 | 900 | -90.00 |" in text and "AIS [nat]" in text
    assert text.splitlines()[-1].endswith("| - | - |")
    assert "<td>-90.00</td>" in html(frame_of(table), "Test log-likelihoods")
    noted = table.assign_attrs(title="A & <B>", notes="published: 5\n< 6")
    page, text = text_of(noted, "html"), text_of(noted, "md")
    assert "<h1>A &amp; <B></h1>" not in page and page.count("A &amp; &lt;B&gt;") == 2
    assert page.endswith("<p>published: 5</p>\n<p>&lt; 6</p></body></html>\n")
    assert text.startswith("A & <B>\n") and text.endswith("\n\npublished: 5\n< 6\n")
    read = pd.read_csv(io.StringIO(csv(table)), index_col=0)
    np.testing.assert_array_equal(read["ais"], table["ais"])
    assert read.index.name == "data set"


def test_a_grid_is_the_product_of_its_lists_on_every_data_set():
    train = {"method": "sml-pt", "hidden": [10, 20], "learning_rate": 0.1, "options": {"rungs": [5, 6], "k": 1}}
    grid = {"title": "Grid", "train": train, "datasets": {"dna": {"published": {}}}}
    settings = grid_settings(grid)
    assert [(one["hidden"], one["options"]["rungs"]) for one in settings] == [(10, 5), (10, 6), (20, 5), (20, 6)]
    assert all(one["method"] == "sml-pt" and one["options"]["k"] == 1 for one in settings)
    models = grid_models({"t1": grid})
    assert list(models) == ["t1-dna-0", "t1-dna-1", "t1-dna-2", "t1-dna-3"]
    assert models["t1-dna-3"]["train"] == settings[3] and models["t1-dna-3"]["dataset"] == "dna"
