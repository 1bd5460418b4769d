"""Checks of a tracked training at its snapshots, and the best model of several, against exact values."""

import numpy as np
import pytest
import xarray as xr
from test_trackers import patterns

from logzoo.datasets.readers import SPLITS
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.papers.tracking.trk_runs import ais_numbers, best_likelihoods, best_of, check_snapshots
from replication.papers.tracking.trk_runs import best as best_model

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
    exact, ais = (
        check_snapshots(run.snapshots, run.trace, DATA, check=check, **SETTINGS) for check in ("exact", "ais")
    )
    updates = run.snapshots["update"].values
    np.testing.assert_array_equal(exact["update"], updates)
    for place, update in enumerate(updates):
        rbm = RBM.from_dataset(run.snapshots.sel(update=update))
        assert float(exact["log_z"][place]) == pytest.approx(exact_log_z(rbm))
        result = exact["mean_log_f"].sel(split="test")[place] - exact["log_z"][place]
        assert float(result) == pytest.approx(rbm.log_likelihood(DATA["test"], exact_log_z(rbm)).mean())
    error = ais["log_z"] - exact["log_z"]
    assert np.all(np.abs(error) < 4 * ais["std_error"] + 1e-6)
    assert np.all(ais["log_z_low"] <= ais["log_z_high"])
    np.testing.assert_array_equal(exact["tracked_log_z"], run.trace["log_z"].sel(update=updates))
    assert (exact.attrs["check_method"], ais.attrs["check_method"]) == ("enumeration", "ais")
    # Enumeration has no budget, and what it finds does not change with that of AIS.
    assert not {"sweeps", "chains"} & exact.attrs.keys() and ais.attrs["sweeps"] == SETTINGS["sweeps"]
    unbudgeted = {name: value for name, value in SETTINGS.items() if name not in ("sweeps", "chains")}
    assert check_snapshots(run.snapshots, run.trace, DATA, check="exact", **unbudgeted).identical(exact)
    with pytest.raises(ValueError, match="check: unknown value 'guess'"):
        check_snapshots(run.snapshots, run.trace, DATA, check="guess", **SETTINGS)


def numbers_by_ais(rbm):
    return ais_numbers(rbm, SETTINGS["base"], SETTINGS["sweeps"], SETTINGS["chains"], SETTINGS["stream"].child("only"))


def test_the_best_model_is_the_one_of_the_highest_likelihood_by_ais(run):
    rbms = {"slow": trained(0.001).rbm, "fast": run.rbm}
    by_ais = {name: numbers_by_ais(rbm) for name, rbm in rbms.items()}
    assert best_of(rbms, by_ais, DATA["validation"]) == "fast"
    # For any tracked log Z: if log Z by AIS is far too high, the likelihood is far too low.
    assert best_of(rbms, by_ais | {"fast": (1e3, 0.0, 0.0, 0.0)}, DATA["validation"]) == "slow"
    settings = {"base": SETTINGS["base"], "by_ais": by_ais["fast"], "chains": SETTINGS["chains"]}
    result = best_likelihoods(run.rbm, run.trace, DATA["test"], **settings)
    log_odds = SETTINGS["base"]
    independent = RBM(np.zeros((log_odds.size, 1)), log_odds, np.zeros(1))
    expected = independent.log_likelihood(DATA["test"], exact_log_z(independent)).mean()
    assert float(result["test_log_likelihood_independent"]) == pytest.approx(expected)
    exact = run.rbm.log_likelihood(DATA["test"], exact_log_z(run.rbm)).mean()
    assert float(result["test_log_likelihood_ais"]) == pytest.approx(exact, abs=4 * float(result["ais_std_error"]))
    assert float(result["test_log_likelihood_tracked"]) == pytest.approx(exact, abs=0.5)
    assert float(result["ais_weight_spread"]) == pytest.approx(float(result["ais_std_error"]) * np.sqrt(50))
    assert float(result["ais_low"]) < float(result["test_log_likelihood_ais"]) < float(result["ais_high"])


def test_published_numbers_stand_beside_the_best_model_but_not_of_stand_ins(run):
    splits = [DATA[split] for split in SPLITS]
    split = np.repeat(range(3), [len(examples) for examples in splits])
    content = {"data": (("example", "visible"), np.concatenate(splits)), "split": ("example", split)}
    dataset = xr.Dataset(content, attrs={"title": "patterns"})
    settings = {"published": {"ais": -1.0}, **{name: SETTINGS[name] for name in ("sweeps", "chains", "stream")}}
    settings["judge"] = {"sweeps": 200, "chains": 70}

    def best(long_sweeps=None, **attributes):
        models = {"only": run.rbm.to_dataset().assign_attrs(attributes)}
        artifacts = {"models": models, "traces": {"only": run.trace}, "dataset": dataset}
        return best_model(artifacts, long_sweeps=long_sweeps, **settings)

    assert (best().attrs["published_ais"], best().attrs["model"], best().attrs["title"]) == (-1.0, "only", "patterns")
    assert "published_ais" not in best(stand_in_for="dna").attrs
    # The best model is evaluated by separate draws, and again by a longer AIS, whose weights spread less.
    judged = best(long_sweeps=4000)
    assert (judged.attrs["sweeps"], judged.attrs["chains"]) == (200, 70)
    assert float(judged["ais_weight_spread"]) == pytest.approx(float(judged["ais_std_error"]) * np.sqrt(70))
    assert float(judged["ais_weight_spread_long"]) < 0.6 * float(judged["ais_weight_spread"])
