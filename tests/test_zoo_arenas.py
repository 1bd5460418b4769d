"""Figures of the arenas: rows and order of estimators, the best in equal time, and estimators that never win."""

import numpy as np
import pytest
from projects import catalogue_of
from test_zoo import BUDGETS, ESTIMATORS, NAMES, TRAINERS, joined, parts_of, seconds_of

from replication.papers.zoo import zoo_best, zoo_rows
from replication.papers.zoo.families import arenas_of, matrix_places


@pytest.fixture(scope="module")
def zoo():
    """Two arenas, in the second of which BAR is best; a model whose truth is not exact; one that is no arena."""
    return joined(
        parts_of("one", (784, 500), ESTIMATORS, {"known": 1.0}, seed=2),
        parts_of("two", (60, 10), {**ESTIMATORS, "bar": 0.001}, TRAINERS, seed=1),
        parts_of("vague", (784, 500), ESTIMATORS, {"known": 1.0}, std_error=0.1),
        parts_of("other", (784, 20), ESTIMATORS, TRAINERS),
    )


def test_arenas_are_the_known_models_and_named_families():
    config = catalogue_of().config
    assert arenas_of(config) == ["twins", "wide-narrow", "hopfield", "ising-torus", "planar-glass", "toy-modes"]


def test_arenas_are_shown_with_the_newer_estimators_apart(zoo):
    chosen = {"arenas": ["one", "two", "vague"], "of_papers": ["bar", "ais", "ts"]}
    figure = zoo_rows.draw_arenas({"zoo": zoo}, names=NAMES, **chosen)
    titles = ["all, geometric mean", "one\n784 × 500, 1 model", "two\n60 × 10, 6 models"]
    assert [axis.get_title() for axis in figure.axes] == titles
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    # The geometric mean of BAR is 0.03, of TS 0.1, of AIS 0.3; RTS is in no paper here.
    assert labels == ["BAR", "TS", "AIS", "RTS"]
    for axis, family in zip(figure.axes[1:], ("one", "two"), strict=True):
        part = zoo.isel(model=np.flatnonzero(zoo["family"].values == family)).sel(budget=BUDGETS[-1])
        rmse = np.exp(0.5 * np.log(((part["log_z"] - part["truth"]) ** 2).mean("replicate")).mean("model"))
        drawn = {line.get_label()[1:]: line.get_xdata()[0] for line in axis.get_lines()}
        for name in ESTIMATORS:
            assert drawn[name] == pytest.approx(float(rmse.sel(estimator=name)))
    some = zoo.assign(converged=zoo["converged"].where(zoo["family"] != "two", 0))
    axes = zoo_rows.draw_arenas({"zoo": some}, arenas=["one", "two"], of_papers=["ais"], names=NAMES).axes
    hollow = [{line.get_markerfacecolor() == "white" for line in axis.get_lines()[1:-1:2]} for axis in axes]
    assert hollow == [{True}, {False}, {True}]
    # Shaded: RTS and TS in the first, BAR in the second.
    assert [len(axis.patches) for axis in figure.axes[1:]] == [2, 1]
    whole = {line.get_label()[1:]: line.get_xdata()[0] for line in figure.axes[0].get_lines()}
    parts = [{line.get_label()[1:]: line.get_xdata()[0] for line in axis.get_lines()} for axis in figure.axes[1:]]
    assert whole["ais"] == pytest.approx(np.sqrt(parts[0]["ais"] * parts[1]["ais"]))


def test_every_scale_has_a_budget_that_all_arenas_have():
    for more in ([], ["config/decisive.yaml"], ["config/paper.yaml"]):
        config = catalogue_of(*more).config
        families = arenas_of(config)
        models = [model for model, place in matrix_places(config).items() if place["family"] in families]
        assert set.intersection(*(set(config["models"][model]["budgets"]) for model in models))


def test_what_fits_in_the_time_is_between_budgets():
    logs = np.log([[[4.0, 2.0, 1.0]] * 4])
    seconds = np.array([[1.0, 4.0, 16.0], [0.1, 0.4, 1.6], [4.0, 16.0, 64.0], [9.0, 36.0, 144.0]])
    result = np.exp(zoo_best.within(logs, seconds, 8.0)[0])
    # In order: interpolated halfway; beyond the largest budget; halfway between the first budgets; too slow.
    np.testing.assert_allclose(result, [2.0**0.5, 1.0, 8.0**0.5, np.nan])


def test_winners_are_named_by_sweeps_and_by_seconds_and_losers_too(zoo):
    # RTS takes so long that TS alone is left, BAR so long that its estimates of 400 sweeps fit.
    timings = dict.fromkeys(("one", "two", "vague", "other"), seconds_of([1e-4, 2e-2, 1e-4, 4e-4], start=1e-9))
    exact = zoo.isel(model=np.flatnonzero(zoo["truth_std_error"].values == 0.0))
    table = zoo_best.winner_rows({"zoo": exact, "timings": timings}, names=NAMES)
    one, two = (table.isel(row=row) for row in (0, 1))
    assert {one["best"].item(), one["tied"].item()} == {"RTS", "TS"}
    assert (one["best_in_time"].item(), one["tied_in_time"].item()) == ("TS", "-")
    assert two["best"].item() == two["best_in_time"].item() == "BAR"
    assert float(two["rmse_in_time"]) > 1.2 * float(two["rmse"])
    assert float(one["seconds"]) == pytest.approx(1600 * 2.5e-4, rel=1e-3)
    often, never = (table.isel(row=row) for row in (-2, -1))
    assert often["row"].item() == "among the best, of 3 families" and "TS 2" in often["best_in_time"].item()
    assert never["best"].item() == "AIS" and never["best_in_time"].item() == "AIS, RTS"
