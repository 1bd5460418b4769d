"""Values that are no real number, no model or no seed are refused in one line by every function."""

import re
import zipfile

import numpy as np
import pytest
import xarray as xr

from logzoo import RBM, checks, estimate_log_z, exact_log_z, lower_bound, mean_log_likelihood, sample_gibbs, train_rbm
from logzoo.cli.main import main
from logzoo.io import reading
from logzoo.io.netcdf import read_artifact, write_artifact
from logzoo.streams import root_stream
from replication.artifacts import read_stamp, stamped_text

VISIBLE, HIDDEN = 6, 3
GENERATOR = np.random.default_rng(0)
SHAPES = {"weights": (VISIBLE, HIDDEN), "visible_bias": VISIBLE, "hidden_bias": HIDDEN}
ARRAYS = {name: GENERATOR.normal(size=shape) for name, shape in SHAPES.items()}
MODEL = RBM(**ARRAYS)
DATA = GENERATOR.integers(0, 2, (30, VISIBLE)).astype(np.uint8)


def refused(call, match):
    with pytest.raises(ValueError, match=match) as caught:
        call()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def stored(dataset, path, kind="model", source=""):
    """An artifact of that kind in a file."""
    write_artifact(dataset, path, kind=kind, parameters={}, source=source, inputs={}, seed_path="")


ONES = np.ones(VISIBLE)
NO_NUMBERS = {
    "complex": ONES + 1j,
    "digits": np.array(["1"] * VISIBLE),
    "objects": ONES.astype(object),
    "large whole numbers": [10**400] * VISIBLE,
    "masked": np.ma.array(ONES, mask=ONES == 1),
    "masked entry": [np.ma.masked, *ONES[1:]],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_only_real_numbers_are_numbers(kind):
    odd = NO_NUMBERS[kind]
    matrix = np.ma.array(np.ones((8, VISIBLE)), mask=True) if "masked" in kind else [odd] * 8
    for call in (
        lambda: RBM(ARRAYS["weights"], odd, ARRAYS["hidden_bias"]),
        lambda: checks.finite_array("x", odd, dimensions=1),
        lambda: checks.binary_matrix("x", matrix),
        lambda: checks.grey_matrix("x", matrix),
        lambda: MODEL.log_f(matrix),
        lambda: estimate_log_z(MODEL, "ais", sweeps=20, chains=4, base=odd),
        lambda: train_rbm(matrix, hidden=2, updates=2, batch=2),
    ):
        refused(call, match="expected (real )?numbers, found ")


@pytest.mark.parametrize("kind", ["?", "f2", ">f4"])
def test_all_real_types_are_numbers(kind):
    values = np.arange(VISIBLE).astype(kind)
    found = checks.finite_array("x", np.ma.array(values), dimensions=1)
    assert found.dtype == np.float64 and np.array_equal(found, values) and not np.shares_memory(found, values)


def test_an_array_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "twice.npz"
    np.savez(path, **ARRAYS)
    with zipfile.ZipFile(path, "a") as archive, pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        archive.writestr("weights.npy", archive.read("weights.npy"))
    refused(lambda: RBM.load(path), match=r"twice\.npz: expected arrays of different names")


def test_artifacts_hold_numbers_as_they_are(tmp_path):
    dataset = MODEL.to_dataset()
    dataset["weights"].attrs["scale_factor"] = 2.0
    refused(lambda: stored(dataset, tmp_path / "odd.nc"), match="'weights' needs .*scale_factor")


def test_what_packs_too_well_is_written_unpacked(tmp_path, monkeypatch):
    """Zeros that would unpack to too many times their size are written unpacked, and come back."""
    monkeypatch.setattr(reading, "_MOST_UNPACKED", 1 << 19)
    zeros = RBM(np.zeros((300, 300)), np.zeros(300), np.zeros(300))
    zeros.save(tmp_path / "zeros.nc")
    assert (tmp_path / "zeros.nc").stat().st_size > zeros.weights.nbytes
    assert np.array_equal(RBM.load(tmp_path / "zeros.nc").weights, zeros.weights)


def test_sizes_are_checked_before_an_artifact_is_opened(tmp_path, monkeypatch):
    """Sizes of coordinates are checked as well, because xarray reads coordinates when it opens a file."""
    labels = {"long_name": "x", "units": "1"}
    dataset = xr.Dataset({"x": ("i", np.ones(200_000), labels)}, {"i": ("i", np.arange(200_000), labels)})
    stored(dataset, tmp_path / "large.nc", "table")
    monkeypatch.setattr(reading, "_MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(reading, "_MOST_TIMES", 1)
    monkeypatch.setattr("xarray.open_dataset", lambda *_, **__: pytest.fail("opened"))
    refused(lambda: read_artifact(tmp_path / "large.nc"), match="limit .* 1,048,576")


@pytest.mark.parametrize("value", [None, "1", True, np.array([1, 2]), np.nan])
def test_what_is_no_number(value):
    for check in (checks.whole_number, checks.positive_number, checks.share):
        refused(lambda check=check: check("x", value), match="^x: expected a ")
    refused(lambda: checks.one_of("x", value, ("a", "b")), match="^x: unknown value .*; expected one of a, b")
    refused(lambda: checks.one_of("x", value, ()), match="^x: unknown value .*; expected none$")
    assert np.isnan(checks.as_float(value))


ODD = {
    "units": (lambda: exact_log_z(RBM(np.zeros((1024, 1500)), np.zeros(1024), np.zeros(1500))), "about 1e294 years"),
    "tracker": (lambda: train("sml-pt", tracker=[1]), r"tracker: unknown value \[1\]; expected one of kalman, rts"),
    "epsilon": (lambda: train("rmsprop", epsilon=10**400), "epsilon: expected a finite number above 0"),
    "k": (lambda: train(k=10**24), "k: expected a whole number of at most"),
    "mixed": (lambda: estimate("rts", mixed="yes"), "mixed: expected true or false, found 'yes'"),
    "prior": (lambda: estimate("rts", prior=10**400), "prior: expected 10+ positive weights"),
    "base": (lambda: estimate("ais", base=""), "base: unknown value ''; expected one of matched, modes, uniform"),
    "log Z": (lambda: mean_log_likelihood(MODEL, DATA, True), "estimate: expected a finite number, found True"),
    "states": (lambda: MODEL.log_f(np.full((1, VISIBLE), 255)), "v: expected numbers from 0 to 1 only"),
    "no weights": (lambda: RBM(np.zeros((0, 2)), [], [0, 0]), "weights: expected a non-empty array"),
    "no folder": (lambda: MODEL.save("absent/new.nc"), "cannot write absent/new.nc"),
    "grey data": (lambda: estimate("ais", data=0.5 * DATA), "data: expected zeros and ones"),
    "name of a parameter": (lambda: train(name=5), "pcd: unknown option 'name'"),
    "thread": (lambda: estimate("ais", thread=2), "did you mean 'threads'. expected one of base, ladder"),
    "step": (lambda: train(step=5), "pcd: unknown option 'step'; expected one of alpha"),
    "NaN": (lambda: estimate("ais", data=np.nan * DATA), "data: expected numbers, found NaN"),
    "large beta": (lambda: sample_gibbs(MODEL, 2, 2, beta=1e300), "weights: .* by inf nats"),
    "huge beta": (lambda: sample_gibbs(MODEL, 2, 2, beta=1.7e308), "weights: expected finite numbers"),
    "stream": (lambda: train(stream=5), "pcd: unknown option 'stream'"),
    "large start": (lambda: train(start=RBM(np.full((6, 2), -1e9), np.zeros(6), [0, 0])), "start: expected parameters"),
    "one particle": (lambda: train("sml-pt", batch=1, tracker="kalman"), "particles: expected .* at least 2"),
    "one log Z": (lambda: MODEL.log_likelihood(DATA, [1.0, 2.0]), "log_z: expected a finite number"),
}


def train(method="pcd", **settings):
    return train_rbm(DATA, method, **{"hidden": 2, "updates": 2, "batch": 5, **settings})


def estimate(method, **options):
    return estimate_log_z(MODEL, method, sweeps=50, chains=4, **{"check": False, **options})


@pytest.mark.parametrize("case", ODD)
def test_odd_options_end_in_one_line(case):
    refused(*ODD[case])


@pytest.mark.parametrize("value", [None, "model.nc", RBM])
def test_what_is_no_rbm(value):
    for call in (estimate_log_z, exact_log_z, lower_bound, lambda given: sample_gibbs(given, 2, 2)):
        refused(lambda call=call: call(value), match="^rbm: expected an object of type RBM, found ")
    refused(lambda: mean_log_likelihood(value, DATA, 3.0), match="^rbm: expected an object of type RBM")


def test_seeds_are_whole_numbers_or_texts():
    for seed in (0, -1, 2**64, np.int8(3), np.uint64(2**63), "a/b", "", "été"):
        assert root_stream(seed).path == (str(seed),)
    assert root_stream(1) == root_stream("1") == root_stream(np.int64(1))
    for seed in (1.0, True, np.True_, None, [1], object(), b"1", 1j, np.float32(1), "\udcff", 10**5000, 2**128):
        refused(lambda seed=seed: root_stream(seed), match="^seed: expected a whole number or a text, found ")
        refused(lambda seed=seed: estimate("ais", seed=seed), match="^seed: ")
        refused(lambda seed=seed: train(seed=seed), match="^seed: ")


def test_no_control_characters_reach_a_terminal(tmp_path, capfd):
    path, title = tmp_path / "a.nc", "\x1b[2Jx"
    stored(MODEL.to_dataset().assign_attrs(title=f"T{title}"), path, source="x" + title[:1])
    assert main(["info", str(path)]) == 0
    assert main(["info", f"{path}{title}"]) == 1
    text = "".join(capfd.readouterr())
    assert "title" in text and all(letter.isprintable() or letter == "\n" for letter in text)
    assert re.search(r"^title +T(\\x|\\u|a\\x)", text, re.MULTILINE)


def test_two_models_in_a_file_are_refused(tmp_path):
    path = tmp_path / "two.npz"
    np.savez(path, **ARRAYS, **dict(zip(("vishid", "visbiases", "hidbiases"), ARRAYS.values(), strict=True)))
    refused(lambda: RBM.load(path), match="expected one model, found 'weights', .* and 'vishid', .*; name all three")
    assert np.array_equal(RBM.load(path, ["vishid", "visbiases", "hidbiases"]).weights, ARRAYS["weights"])


@pytest.mark.parametrize("stamp", ["[" * 100_000, "3", '{"inputs": {}, "parameters": 1, "source": ""}'])
def test_stamps_that_are_none(stamp):
    text = stamped_text("", {"inputs": {"a": "b"}, "parameters": "", "source": ""})
    assert read_stamp("x.md", text.encode())["inputs"] == {"a": "b"}
    refused(lambda: read_stamp("x.md", f"<!-- logzoo {stamp} -->\n".encode()), match="^no readable stamp of logzoo$")


@pytest.mark.parametrize("arguments", [["--data=--"], ["y" * 5000], ["--method", "q" * 5000]])
def test_odd_arguments_are_one_short_line(tmp_path, monkeypatch, arguments, capfd):
    monkeypatch.chdir(tmp_path)
    MODEL.save("m.nc")
    assert main(["estimate", "m.nc", *arguments]) == 1
    error = capfd.readouterr().err
    assert error.startswith("logzoo: error: ") and error.count("\n") == 1 and len(error) < 900
