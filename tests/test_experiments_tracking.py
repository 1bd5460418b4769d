"""Checks of a tracked training at its snapshots, and the best model of several, against exact values."""

import numpy as np
import pytest
from nulls_tracking import dataset_of
from test_trackers import patterns

from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.tracking.trk_runs import ais_numbers, best, best_likelihoods, best_of, check_snapshots

DATA = {"train": patterns(100), "validation": patterns(150)[100:], "test": patterns(200)[150:]}
SETTINGS = {"base": log_odds(DATA["train"]), "sweeps": 400, "chains": 50, "stream": root_stream(1)}


def trained(learning_rate):
    settings = {"hidden": 6, "updates": 200, "batch": 20, "particles": 50, "snapshots": 4, "patience": 1000}
    validation = {"validation": DATA["validation"], "tracker": "kalman"}
    return train_rbm(DATA["train"], "sml-pt", learning_rate=learning_rate, **settings, **validation)


@pytest.fixture(scope="module")
def run():
    return trained(0.05)


def test_snapshots_are_checked_exactly_and_by_ais(run):
    parts = run.snapshots, run.trace, DATA
    exact, ais = (check_snapshots(*parts, check=check, **SETTINGS) for check in ("exact", "ais"))
    updates = run.snapshots["update"].values
    np.testing.assert_array_equal(exact["update"], updates)
    for place, update in enumerate(updates):
        rbm = RBM.from_dataset(run.snapshots.sel(update=update))
        assert float(exact["log_z"][place]) == pytest.approx(exact_log_z(rbm))
        result = exact["mean_log_f"].sel(split="test")[place] - exact["log_z"][place]
        assert float(result) == pytest.approx(rbm.log_likelihood(DATA["test"], exact_log_z(rbm)).mean())
    assert np.all(np.abs(ais["log_z"] - exact["log_z"]) < 4 * ais["std_error"] + 1e-6)
    assert np.all(ais["log_z_low"] <= ais["log_z_high"])
    np.testing.assert_array_equal(exact["tracked_log_z"], run.trace["log_z"].sel(update=updates))
    assert (exact.attrs["check_method"], ais.attrs["check_method"]) == ("enumeration", "ais")
    # Enumeration has no budget, and its results do not depend on the budget of AIS.
    assert not {"sweeps", "chains"} & exact.attrs.keys() and ais.attrs["sweeps"] == SETTINGS["sweeps"]
    unbudgeted = {name: value for name, value in SETTINGS.items() if name not in ("sweeps", "chains")}
    assert check_snapshots(*parts, check="exact", **unbudgeted).identical(exact)


def test_the_best_model_is_the_one_of_the_highest_likelihood_by_ais(run):
    rbms = {"slow": trained(0.001).rbm, "fast": run.rbm}
    numbers = (*(SETTINGS[name] for name in ("base", "sweeps", "chains")), SETTINGS["stream"].child("only"))
    by_ais = {name: ais_numbers(rbm, *numbers) for name, rbm in rbms.items()}
    assert best_of(rbms, by_ais, DATA["validation"]) == "fast"
    # A log Z by AIS that is far too high makes the likelihood far too low, so another model is chosen.
    assert best_of(rbms, by_ais | {"fast": (1e3, 0.0, 0.0, 0.0)}, DATA["validation"]) == "slow"
    settings = {"base": SETTINGS["base"], "by_ais": by_ais["fast"], "chains": SETTINGS["chains"]}
    result = best_likelihoods(run.rbm, run.trace, DATA["test"], **settings)
    independent = RBM(np.zeros((SETTINGS["base"].size, 1)), SETTINGS["base"], np.zeros(1))
    expected = independent.log_likelihood(DATA["test"], exact_log_z(independent)).mean()
    assert float(result["test_log_likelihood_independent"]) == pytest.approx(expected)
    exact = run.rbm.log_likelihood(DATA["test"], exact_log_z(run.rbm)).mean()
    assert float(result["test_log_likelihood_ais"]) == pytest.approx(exact, abs=4 * float(result["ais_std_error"]))
    assert float(result["test_log_likelihood_tracked"]) == pytest.approx(exact, abs=0.1)
    assert float(result["ais_weight_spread"]) == pytest.approx(float(result["ais_std_error"]) * np.sqrt(50))
    assert result["ais_weight_spread"].attrs["units"] == "1" and result["ais_std_error"].attrs["units"] == "nat"
    assert float(result["ais_low"]) < float(result["test_log_likelihood_ais"]) < float(result["ais_high"])


def test_published_numbers_stand_beside_the_best_model_but_not_of_stand_ins(run):
    settings = {"published": {"ais": -1.0}, **{name: SETTINGS[name] for name in ("sweeps", "chains", "stream")}}
    settings["judge"] = {"sweeps": 200, "chains": 70}

    def best_model(long_sweeps=None, **attributes):
        models = {"only": run.rbm.to_dataset().assign_attrs(attributes)}
        artifacts = {"models": models, "traces": {"only": run.trace}, "dataset": dataset_of(DATA)}
        return best(artifacts, long_sweeps=long_sweeps, **settings)

    assert best_model().attrs.items() >= {"published_ais": -1.0, "model": "only", "title": "patterns"}.items()
    assert "published_ais" not in best_model(stand_in_for="dna").attrs
    # The best model is evaluated by separate draws, and again by a longer AIS, whose weights spread less.
    judged = best_model(long_sweeps=4000)
    assert (judged.attrs["sweeps"], judged.attrs["chains"]) == (200, 70)
    assert float(judged["ais_weight_spread"]) == pytest.approx(float(judged["ais_std_error"]) * np.sqrt(70))
    assert float(judged["ais_weight_spread_long"]) < 0.6 * float(judged["ais_weight_spread"])
