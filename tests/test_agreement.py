"""All estimators on one model: which ones run, their combined result, and the output of the command line."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from twins import normal_rbm

from logzoo import estimate_log_z, exact_log_z
from logzoo.cli.agreement import Attempt, agreement_of, headline, try_all
from logzoo.cli.main import main
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.estimators.result import REACH, REASONS, Estimate


def estimate(method, log_z, std_error, *, converged=1):
    settings = {"method": method, "sweeps": 10, "chains": 4, "reasons": () if converged else ("drift",)}
    interval = (log_z - REACH * std_error, log_z + REACH * std_error)
    return Estimate(log_z=log_z, std_error=std_error, interval=interval, **settings)


def attempts(*estimates):
    return [Attempt(one.method, one, 0.1, "") for one in estimates]


NUMBER = re.compile(r"[\d.]*\d")
SMALL = normal_rbm(1, 6, 4, 0.5)
DATA = np.random.default_rng(2).integers(0, 2, (30, 6)).astype(np.uint8)


def test_all_estimators_on_a_small_model_agree():
    result = try_all(SMALL, data=DATA, sweeps=400, chains=20, seed=1)
    assert [one.method for one in result] == list(ESTIMATORS)
    truth = exact_log_z(SMALL)
    for one in result:
        assert one.estimate.log_z == pytest.approx(truth, abs=max(5 * one.estimate.std_error, 0.05))
        assert one.seconds > 0
    (rts,) = (attempt.estimate for attempt in result if attempt.method == "rts")
    assert rts.log_z == estimate_log_z(SMALL, "rts", data=DATA, sweeps=400, chains=20, seed=1).log_z
    together = agreement_of(result)
    assert together.lower < truth < together.upper and not together.disagree


@pytest.mark.parametrize("impossible", [{"sweeps": 0}, {"chains": 1}])
def test_impossible_settings_are_refused_before_any_method_runs(impossible, monkeypatch):
    monkeypatch.delattr("logzoo.cli.agreement.gather")
    with pytest.raises(ValueError, match=f"^{next(iter(impossible))}: "):
        try_all(SMALL, **{"data": DATA, "sweeps": 400, "chains": 20, **impossible})


def test_two_that_are_too_far_apart_are_named():
    together = agreement_of(attempts(estimate("ais", 5.0, 0.1), estimate("rts", 5.1, 0.1), estimate("bar", 7.0, 0.3)))
    assert together.apart == ("ais", "bar") and together.disagree
    assert together.sigmas == pytest.approx(2.0 / np.hypot(0.1, 0.3))
    assert (together.lower, together.upper != together.upper) == (pytest.approx(4.8), True)


def test_intervals_of_few_chains_are_wider_than_their_standard_errors_say():
    narrow = estimate("ais", 5.0, 0.1), estimate("rts", 6.0, 0.1)
    wide = attempts(*(replace(one, interval=(one.log_z - 1.0, one.log_z + 1.0)) for one in narrow))
    assert agreement_of(attempts(*narrow)).disagree and not agreement_of(wide).disagree


@pytest.mark.parametrize("odd", [estimate("bar", 7.0, 0.3, converged=0), estimate("raise", 9.0, 0.1)])
def test_one_that_has_not_converged_or_only_bounds_does_not_disagree(odd):
    together = agreement_of(attempts(estimate("ais", 5.0, 0.1), estimate("rts", 5.1, 0.1), odd))
    assert together.apart == ("ais", "rts") and not together.disagree


def test_the_command_line_compares_them_all(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez("model.npz", weights=SMALL.weights, visible_bias=SMALL.visible_bias, hidden_bias=SMALL.hidden_bias)
    np.save("data.npy", DATA)
    budget = ["--sweeps", "100", "--chains", "10"]
    assert main(["estimate", "model.npz", "--method", "all", *budget, "--data", "data.npy"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("log Z from ") and f" of {len(ESTIMATORS)} methods converged, " in lines[0]
    assert lines[1] == "" and lines[2].split()[:2] == ["method", "log"]
    rows = [line.split() for line in lines[3 : 3 + len(ESTIMATORS)]]
    assert {row[0] for row in rows} == set(ESTIMATORS) and lines[3 + len(ESTIMATORS)] == ""
    states = [row[-1] == "yes" for row in rows]
    assert states == sorted(states, reverse=True) and states[0]
    assert any(line.startswith("upper bound") and line.endswith("nat") for line in lines)
    assert "mean log-likelihood" in lines[2]
    mean = float(SMALL.log_f(DATA).mean())
    assert all(abs(float(row[1]) + float(row[6]) - mean) < 2e-4 for row in rows)
    assert main(["estimate", "model.npz", "--method", "all", *budget, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert {one["method"] for one in content["estimates"]} == set(ESTIMATORS)
    assert content["upper_bound"] is None
    refused = {one["method"]: one["reason"] for one in content["estimates"] if one["reason"]}
    assert "basins" not in refused and "data: expected a 0/1 matrix" in refused["raise"]
    assert not any("mean_log_likelihood" in one for one in content["estimates"])
    assert all({"reasons", "bounds"} <= one.keys() for one in content["estimates"] if one["method"] not in refused)
    ais = next(one for one in content["estimates"] if one["method"] == "ais")
    assert content["lower_bound"] == pytest.approx(ais["log_z"] - 2 * ais["std_error"])
    assert main(["estimate", "model.npz", "--method", "all", "--option", "rungs=5"]) == 1
    assert "--option: expected none with --method all" in capsys.readouterr().err


def test_a_disagreement_is_a_warning(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    SMALL.save("model.nc")
    apart = attempts(estimate("ais", 5.0, 0.1), estimate("bar", 7.0, 0.1), estimate("ts", 6.0, 0.1, converged=0))
    monkeypatch.setattr("logzoo.cli.agreement.try_all", lambda *_, **__: apart)
    assert main(["estimate", "model.nc", "--method", "all"]) == 0
    out, err = capsys.readouterr()
    head, _, *lines = out.splitlines()
    assert NUMBER.findall(head) == ["5.0000", "7.0000", "2", "3", "14.1"] and "ais and bar" in head and err == ""
    assert [line.split()[0] for line in lines[:4]] == ["method", "ais", "bar", "ts"]
    assert lines[3].endswith("no: drift") and lines[5] == f"drift  {REASONS['drift']}"
    assert main(["estimate", "model.nc", "--method", "all", "--json"]) == 0
    errors = capsys.readouterr().err.splitlines()
    assert "ais and bar" in errors[0] and errors[1].endswith(": ts") and len(errors) == 2


def test_bounds_count_as_converged_and_are_no_ends_of_the_range():
    bounds = estimate("raise", 9.0, 0.1), estimate("trajectory-raise", 9.0, 0.1)
    apart = attempts(estimate("ais", 5.0, 0.1), estimate("bar", 5.1, 0.1), *bounds)
    assert NUMBER.findall(headline(apart, agreement_of(apart))) == ["5.0000", "5.1000", "4", "4", "4"]
