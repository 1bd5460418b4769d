"""Tables of log-likelihoods: the right numbers in the right rows, in every form."""

import io

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from replication.papers.tracking.trk_grids import grid_models, grid_settings
from replication.papers.tracking.trk_text import rows
from replication.reporting.tables import csv, frame_of, html, markdown, text_of


def best(tracked, ais, **attributes):
    numbers = {"test_log_likelihood_tracked": tracked, "tracked_std_dev": 0.2, "test_log_likelihood_ais": ais}
    numbers |= {"ais_std_error": 0.1, "ais_weight_spread": 1.0}
    return xr.Dataset(numbers, attrs={"hidden": 100, "updates": 900, **attributes})


@pytest.fixture
def table():
    published = {"published_kalman": -88.0, "published_ais": -88.5}
    return rows({"best": {"dna": best(-90.0, -91.0, **published), "web-own-split": best(-30.0, -30.5)}})


def test_best_models_stand_beside_what_was_published(table):
    assert list(table["row"].values) == ["dna", "web (own split)"]
    np.testing.assert_allclose(table["kalman"], [-90.0, -30.0])
    np.testing.assert_allclose(table["ais_three_sigma"], [0.3, 0.3])
    np.testing.assert_allclose(table["ais_weight_three_sigma"], [3.0, 3.0])
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
