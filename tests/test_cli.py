"""The command line: what it prints, writes and returns."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.io
import xarray as xr
from twins import normal_rbm

import logzoo
from logzoo import RBM, estimate_log_z, exact_log_z, train_rbm
from logzoo.cli.main import main
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.estimators.result import REASONS
from logzoo.io.netcdf import read_artifact, write_artifact
from logzoo.io.provenance import PACKAGE_FOLDER, source_digest
from logzoo.paths import log_odds
from logzoo.training.trainers import TRAINERS

VISIBLE, HIDDEN = 12, 5
SHORT = ["--sweeps", "400", "--chains", "10"]
TRAINING = ["--hidden", "3", "--updates", "20", "--batch", "10"]


@pytest.fixture
def rbm():
    return normal_rbm(1, VISIBLE, HIDDEN, 0.5)


@pytest.fixture
def folder(tmp_path, monkeypatch, rbm):
    """The working folder, with an RBM in both formats and the same kind of data in both formats."""
    monkeypatch.chdir(tmp_path)
    rbm.save("model.nc")
    arrays = {"vishid": rbm.weights, "visbiases": rbm.visible_bias, "hidbiases": rbm.hidden_bias}
    scipy.io.savemat("model.mat", arrays)
    np.save("data.npy", examples(40))
    write_dataset("data.nc", examples(40))
    return tmp_path


def examples(count):
    return np.random.default_rng(2).integers(0, 2, (count, VISIBLE), dtype=np.uint8)


def write_dataset(path, data, **attributes):
    """Write a dataset artifact: the first half is for training, the rest for testing."""
    split = np.where(np.arange(len(data)) < len(data) // 2, 0, 2).astype(np.int8)
    labels = {"long_name": "test data", "units": "1", "value_scale": 1}
    variables = {"data": (("example", "visible"), data, labels), "split": ("example", split, labels)}
    dataset = xr.Dataset(variables, attrs={"title": "Toy", **attributes})
    write_artifact(dataset, path, kind="dataset", parameters={}, source="", inputs={}, seed_path="")


def run(capfd, *arguments):
    """Run a command that must succeed; returns its stdout and stderr."""
    assert main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr()


def run_json(capfd, *arguments):
    out, _ = run(capfd, *arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=pytest.fail)


def table(text):
    """The lines of a table as label -> value; the values start in one column."""
    rows = [line.split("  ", 1) for line in text.splitlines()]
    assert len({len(label) + len(value) - len(value.lstrip()) for label, value in rows}) == 1
    return {label: value.strip() for label, value in rows}


def report(text):
    """The output of `estimate`: the lines to read first, and the table of details."""
    head, details = text.split("\n\n")
    return head.splitlines(), table(details)


def process(*arguments, stdout=subprocess.PIPE):
    """Run Python in a separate process, which finds the package from any working folder."""
    options = {"stderr": subprocess.PIPE, "env": os.environ | {"PYTHONPATH": str(PACKAGE_FOLDER.parent)}}
    return subprocess.run([sys.executable, *arguments], stdout=stdout, text=True, timeout=60, **options)


def test_estimate_prints_what_the_library_returns(folder, rbm, capfd):
    found = run_json(capfd, "estimate", "model.nc", "--method", "rts", *SHORT, "--seed", 3)
    expected = estimate_log_z(rbm, "rts", sweeps=400, chains=10, seed=3)
    assert found.pop("seconds") > 0.0
    fields = {"method": "rts", "form": "marginal", "sweeps": 400, "chains": 10, "seed": 3, "converged": True}
    fields |= {"rests_on": [], "reasons": [], "assumes": "no mode was missed"}
    fields |= {name: getattr(expected, name) for name in ("log_z", "std_error", "diagnostics")}
    assert found == fields | {name: list(getattr(expected, name)) for name in ("interval", "bounds")}


def test_mean_log_likelihood_of_the_test_split(folder, rbm, capfd):
    found = run_json(capfd, "estimate", "model.nc", *SHORT, "--data", "data.nc")
    expected = rbm.log_likelihood(examples(40)[20:], found["log_z"]).mean()
    assert found["mean_log_likelihood"] == pytest.approx(expected, rel=1e-12) and found["examples"] == 20
    assert run_json(capfd, "estimate", "model.nc", *SHORT, "--data", "data.npy")["examples"] == 40
    head, shown = report(run(capfd, "estimate", "model.nc", *SHORT, "--data", "data.nc").out)
    low, high = found["mean_log_likelihood_interval"]
    interval = f"95% interval {low:.4f} to {high:.4f}"
    assert head[1:] == [f"mean log-likelihood = {found['mean_log_likelihood']:.4f} nat, {interval}"]
    assert shown["examples"].startswith("20; ") and found["mean_log_likelihood_std_error"] > 0.0
    assert high - low == pytest.approx(found["interval"][1] - found["interval"][0])


@pytest.mark.parametrize(
    ("method", "arguments", "options"),
    [
        ("ais", "--base matched", {"base": "matched"}),
        ("ais", "--base-data data.nc", {"base": log_odds(examples(40)[:20])}),
        (
            "rts",
            "--option rungs=3 --option ladder=[0,0.5,1] --option form=joint",
            {"rungs": 3, "ladder": [0, 0.5, 1], "form": "joint"},
        ),
    ],
)
def test_options_reach_the_estimator(folder, rbm, capfd, method, arguments, options):
    found = run_json(capfd, "estimate", "model.nc", "--method", method, *SHORT, *arguments.split())
    assert found["log_z"] == estimate_log_z(rbm, method, sweeps=400, chains=10, **options).log_z


def test_a_run_that_did_not_converge_warns(folder, rbm, capfd):
    RBM(20 * rbm.weights, rbm.visible_bias, rbm.hidden_bias).save("hard.nc")
    arguments = ["estimate", "hard.nc", "--method", "rts", "--sweeps", "60", "--chains", "2", "--base", "uniform"]
    out, err = run(capfd, *arguments)
    (first, *doubts), _ = report(out)
    assert "NOT CONVERGED" in first and err == ""
    out, err = run(capfd, *arguments, "--json")
    reasons = json.loads(out)["reasons"]
    assert reasons and doubts == [f"    {REASONS[name]} ({name})" for name in reasons]
    assert err.startswith("logzoo: warning: rts ") and err.endswith(f": {', '.join(reasons)}\n")


def test_a_bare_call_prints_help_and_words_have_any_case_and_numbers_exponents(folder, capfd):
    assert main([]) == 0
    assert "examples:" in capfd.readouterr().out
    plain = run_json(capfd, "estimate", "model.nc", "--method", "rts", "--sweeps", "100")
    other = run_json(capfd, "estimate", "model.nc", "--method", "RTS", "--sweeps", "1e2")
    assert plain["sweeps"] == 100 and all(plain[name] == other[name] for name in ("method", "sweeps", "log_z"))
    for wrong in ("1.5", "1e999", "nan"):
        assert main(["estimate", "model.nc", "--sweeps", wrong]) == 1
        err = capfd.readouterr().err
        assert "whole number" in err and "usage: logzoo estimate" in err and err.count("\n") == 1


def test_only_help_ends_in_success_when_code_calls_sys_exit(monkeypatch):
    monkeypatch.setattr("logzoo.cli.main._methods", lambda: sys.exit(3))
    assert main(["methods", "--help"]) == 0
    with pytest.raises(SystemExit, match="3"):
        main(["methods"])


def test_methods_prints_the_tables_of_the_library(capfd):
    estimators, trainers = logzoo.methods(), logzoo.trainers()
    assert [entry.name for entry in estimators] == [*ESTIMATORS, "auto"]
    assert [entry.name for entry in trainers] == list(TRAINERS)
    named = {entry.name: entry for entry in [*estimators, *trainers]}
    assert named["bar"] == ("bar", "BAR", ("burn_in", "ladder", "rungs"))
    assert "k" in named["cd"].options and not {"seed", "stream", "schedule"} & {*named["cd"].options}
    out, err = run(capfd, "methods")
    assert repr(estimators) in out and repr(trainers) in out and err == ""
    assert repr(trainers).splitlines()[2].split() == ["cd", "CD", *", ".join(named["cd"].options).split()]


def test_exact(folder, rbm, capfd):
    expected = exact_log_z(rbm)
    fields = {"method": "exact", "log_z": expected, "visible": VISIBLE, "hidden": HIDDEN}
    assert run_json(capfd, "exact", "model.mat") == fields
    out, err = run(capfd, "exact", "model.mat")
    rows = {"method": "exact", "log Z": f"{expected:.6f} nat", "enumerated": "2**5 states"}
    assert (table(out), err) == (rows, "")


def test_train_writes_the_model_of_the_library(folder, capfd):
    out, err = run(capfd, "train", "data.npy", *TRAINING, "--option", "k=2", "-o", "new.nc")
    expected = train_rbm(examples(40), hidden=3, updates=20, batch=10, k=2).rbm
    assert np.array_equal(RBM.load("new.nc").weights, expected.weights)
    rows = {"method": "pcd", "units": f"{VISIBLE} visible x 3 hidden", "written": "new.nc"}
    assert (table(out), err) == (rows | {"spent": "20 updates, 400 sweeps over all chains"}, "")
    assert sorted(path.name for path in folder.iterdir()) == ["data.nc", "data.npy", "model.mat", "model.nc", "new.nc"]


def test_train_writes_snapshots_and_says_what_was_tracked(folder, capfd):
    options = {"snapshots": 3, "tracker": "kalman", "particles": 5, "rungs": 4}
    given = [part for name, value in options.items() for part in ("--option", f"{name}={value}")]
    out, _ = run(capfd, "train", "data.npy", *TRAINING, "--method", "sml-pt", *given, "-o", "new.nc")
    expected = train_rbm(examples(40), "sml-pt", hidden=3, updates=20, batch=10, **options)
    assert f"tracked log Z  {float(expected.trace['log_z'][-1]):.4f} +- " in out and "new.snapshots.nc" in out
    # With patience, log Z and the number of updates are those of the model that is written.
    stopped = [*TRAINING[:2], "--updates", "20000", "--batch", "30", "--learning-rate", "0.3", "--method", "exact"]
    given = ["--option", f"validation={np.eye(5, VISIBLE, dtype=int).tolist()}", "--option", "patience=200"]
    out, _ = run(capfd, "train", "data.npy", *stopped, *given, "-o", "best.nc")
    log_z, updates = (float(table(out)[name].split()[0]) for name in ("tracked log Z", "spent"))
    assert log_z == pytest.approx(exact_log_z(RBM.load("best.nc")), abs=1e-3) and updates < 20000
    kept = ("--snapshots", "new.snapshots.nc", "--base-data", "data.npy", "--sweeps", 20)
    assert run_json(capfd, "estimate", "new.nc", "--method", "trajectory-ais", *kept)["log_z"]


def test_a_checkpoint_stays_until_the_snapshots_are_written(folder, capfd, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("logzoo.training.loop.TrainingRun.save_snapshots", full)
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    given = ("--option", "snapshots=3", "--checkpoint", "on.npz", "-o", "new.nc")
    assert main(["train", "data.npy", *TRAINING, *given]) == 1
    assert "No space left" in capfd.readouterr().err and (folder / "on.npz").exists()


def test_a_checkpoint_is_gone_when_the_model_is_there(folder, capfd, monkeypatch):
    monkeypatch.setattr("logzoo.io.checkpoints._SECONDS", 0.0)
    assert main(["train", "data.npy", *TRAINING, "--checkpoint", "going/on.npz", "-o", "trained.nc"]) == 0
    assert (folder / "trained.nc").exists() and not list((folder / "going").iterdir())
    assert main(["train", "data.npy", *TRAINING, "--checkpoint", str(folder), "-o", "trained.nc"]) != 0
    assert capfd.readouterr().err.strip().splitlines()[-1].count("checkpoint:") == 1


def test_a_trained_model_says_where_it_comes_from(folder, capfd):
    run(capfd, "train", "data.nc", *TRAINING, "--method", "cd", "--seed", 4, "-o", "new.nc")
    attributes = read_artifact("new.nc", "model").attrs
    assert json.loads(attributes["inputs_json"]) == {"data.nc": read_artifact("data.nc").attrs["content_sha256"]}
    settings = {"method": "cd", "hidden": 3, "updates": 20, "batch": 10, "learning_rate": 0.05, "seed": 4}
    assert json.loads(attributes["parameters_json"]) == settings
    assert attributes["seed_path"] == "4/train/cd"
    assert attributes["source_sha256"] == source_digest("logzoo.training.contrastive", "logzoo.training.trackers")
    first = Path("new.nc").read_bytes()
    run(capfd, "train", "data.nc", *TRAINING, "--method", "cd", "--seed", 4, "-o", "new.nc")
    assert Path("new.nc").read_bytes() == first


def test_info_of_a_model(folder, rbm, capfd):
    rows = table(run(capfd, "info", "model.nc").out)
    assert rows["kind"] == "model" and rows["dimensions"] == f"visible {VISIBLE}, hidden {HIDDEN}"
    assert rows["weights"].startswith(f"{rbm.weights.min():.4g} to {rbm.weights.max():.4g}, mean ")
    assert rows["content sha256"] == read_artifact("model.nc").attrs["content_sha256"]
    matlab = table(run(capfd, "info", "model.mat").out)
    assert matlab["kind"] == "model (MATLAB)"
    assert all(matlab[name] == rows[name] for name in ("units", "weights", "visible bias", "hidden bias"))
    assert main(["info", "model.nc", "--names", "w,a,b"]) == 1 and "'w'" in capfd.readouterr().err


def test_stand_in_data_is_named_and_remembered(folder, capfd):
    write_dataset("other.nc", examples(40), stand_in_for="mnist", stand_in_reason="no\nnetwork")
    out, err = run(capfd, "train", "other.nc", *TRAINING, "-o", "new.nc")
    assert err.startswith("logzoo: warning: other.nc: ") and "mnist" in err and err.count("\n") == 1
    for file in ("other.nc", "new.nc"):
        assert table(run(capfd, "info", file).out)["stand-in"] == "NOT mnist: no network"


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("logzoo.training.trainers", "train_rbm"),  # before anything is done
        ("logzoo.training.loop", "rate_at"),  # during the training
        ("logzoo.io.atomic", "os.replace"),  # with the file complete but not yet in place
    ],
)
def test_an_interrupt_leaves_nothing(folder, capfd, monkeypatch, module, name):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{module}.{name}", interrupt)
    before = sorted(folder.iterdir())
    assert main(["train", "data.npy", *TRAINING, "-o", "new.nc"]) == 130
    assert capfd.readouterr() == ("", "logzoo: interrupted\n")
    assert sorted(folder.iterdir()) == before


def test_a_broken_pipe_is_quiet(folder):
    read, write = os.pipe()
    os.close(read)
    done = process("-c", "from logzoo.cli.main import main; exit(main(['info', 'data.nc']))", stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_stdout_may_be_an_object_of_a_program(folder, monkeypatch):
    lines = []
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(write=lines.append, flush=lambda: None))
    assert main(["estimate", "model.nc"]) == 0
    assert "".join(lines).startswith("log Z = ")


def test_help_imports_nothing_heavy():
    heavy = "{'numpy', 'numba', 'scipy', 'xarray', 'tqdm'}"
    script = f"import sys; from logzoo.cli.main import main; main(['-h']); print('heavy', {heavy} & set(sys.modules))"
    printed = process("-c", script).stdout
    assert printed.startswith("usage: logzoo") and printed.endswith("heavy set()\n")
