"""Broken and hostile files end in one line or a correct read."""

import hashlib
import io
import os
import resource
import signal
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import h5py
import hostile_files
import netCDF4
import numpy as np
import pytest
import scipy.io
from projects import merged_configuration

from logzoo import RBM, train_rbm
from logzoo.cli.files import read_data
from logzoo.datasets.sources import fetch
from logzoo.io.checkpoints import Checkpoint
from logzoo.io.netcdf import read_artifact, seal
from replication.configuration import checked

ROOT = Path(__file__).parents[1]


def outcome_of(read, folder):
    """How reading a folder ends in a fork with 1 GiB more memory and 20 seconds; "" for a right or refused file."""
    down, up = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        try:
            with warnings.catch_warnings(action="error", category=RuntimeWarning):
                outcome = read(folder) or ""
        except ValueError as error:
            named = any(path.name in str(error) for path in folder.iterdir())
            outcome = "" if named and "\n" not in str(error) and len(str(error)) <= 1000 else repr(error)
        except BaseException as error:
            outcome = repr(error)
        os.write(up, outcome.encode()[:4000])
        os._exit(0)
    os.close(up)
    with os.fdopen(down, errors="replace") as pipe:
        outcome = pipe.read()
    _, status = os.waitpid(child, 0)
    return outcome if status == 0 else f"status {status}"


@pytest.mark.parametrize("name", hostile_files.FORMATS)
def test_broken_files_are_refused_or_read_right(tmp_path, name):
    folder = tmp_path / "good"
    folder.mkdir()
    good = hostile_files.FORMATS[name](folder)
    assert not good.read(folder)
    for number in range(4):
        case = tmp_path / f"case{number}"
        mutation = hostile_files.broken(good, case, np.random.default_rng([3, number]))
        before = {path: path.read_bytes() for path in case.iterdir()}
        assert outcome_of(good.read, case) == "", mutation
        assert {path: path.read_bytes() for path in case.iterdir()} == before


class Payload(str):
    """The name of a file that the pickle makes when it is read."""

    def __reduce__(self):
        return Path.touch, (Path(self),)


@pytest.mark.parametrize("name", ["model.npz", "data.npy", "model.mat", "model.h5"])
def test_no_pickle_is_run(tmp_path, name):
    marker, path = tmp_path / "marker", tmp_path / name
    payload = np.array([[Payload(marker)]], object)
    with path.open("wb") as file:
        if name.endswith(".npz"):
            np.savez(file, weights=payload, visible_bias=payload, hidden_bias=payload)
        else:
            np.save(file, payload, allow_pickle=True)
    with pytest.raises(ValueError, match=name):
        read_data(path, "train") if name.endswith(".npy") else RBM.load(path)
    assert not marker.exists()


@pytest.mark.parametrize(("at", "message"), [(1, ""), (5_000, "content differs from the seal"), (-1, "")])
def test_any_damage_to_an_artifact_is_seen_before_it_is_opened(tmp_path, monkeypatch, at, message):
    path = tmp_path / "model.nc"
    RBM(np.ones((20, 60)), np.zeros(20), np.zeros(60)).save(path)
    content = bytearray(path.read_bytes())
    content[at] ^= 16
    path.write_bytes(content)
    monkeypatch.setattr("logzoo.io.netcdf.load_raw", lambda _: pytest.fail("opened"))
    with pytest.raises(ValueError, match=rf"model\.nc: {message}") as caught:
        RBM.load(path)
    assert "\n" not in str(caught.value)


def test_an_artifact_that_claims_more_than_it_can_hold(tmp_path):
    path = tmp_path / "claims.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name in ("visible", "hidden"):
            file.createDimension(name, 1_000_000)
        file.createVariable("weights", "f8", ("visible", "hidden"), chunksizes=(1000, 1000))
    seal(path)
    with pytest.raises(ValueError, match=r"claims\.nc: reading it takes 8,000,000,000,000 bytes"):
        read_artifact(path)


def test_strings_count_with_their_memory(tmp_path):
    """Each empty string of a small file counts as an object of Python, 100 bytes."""
    path = tmp_path / "strings.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("i", 10_000_000)
        file.createVariable("names", str, ("i",), chunksizes=(1000,))
    seal(path)
    with pytest.raises(ValueError, match="reading it takes 1,000,000,000 bytes"):
        read_artifact(path)


def matlab_content(folder, **variables):
    """The bytes of a MATLAB file."""
    scipy.io.savemat(folder / "content.mat", variables, do_compression=True)
    return (folder / "content.mat").read_bytes()


def test_a_matlab_file_that_is_cut_or_has_a_variable_twice_is_refused(tmp_path):
    path, content = tmp_path / "bad.mat", matlab_content(tmp_path, vishid=np.random.default_rng(0).normal(size=(9, 7)))
    cut = dict.fromkeys((0, 127, 150, len(content) - 2), "a whole MATLAB file, found a damaged")
    for size, expected in {**cut, 2 * len(content): "variables of different names, found two of the same name"}.items():
        path.write_bytes((content + content[128:])[:size])
        with pytest.raises(ValueError, match=rf"bad\.mat: expected {expected}"):
            RBM.from_mat(path)


def test_a_matlab_file_is_read_as_far_as_it_is_wanted(tmp_path, monkeypatch):
    path = tmp_path / "beside.mat"
    model = {"W": np.ones((300, 200)), "a": np.zeros(300), "b": np.zeros(200)}
    data = np.random.default_rng(0).integers(0, 2, (1000, 1000)).astype(float)
    path.write_bytes(matlab_content(tmp_path, **model, **{f"data{n}": data[None] for n in range(4)}))
    tracemalloc.start()
    assert RBM.load(path, "W,a,b").visible == 300
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 24
    monkeypatch.setattr("logzoo.io.reading.most_unpacked", lambda _: 1 << 10)
    with pytest.raises(ValueError, match=r"beside\.mat: reading it takes .* bytes of memory; the limit .* 1,024"):
        RBM.from_mat(path, "W,a,b")


def test_an_array_that_claims_more_than_it_has(tmp_path):
    path = tmp_path / "claims.npz"
    np.savez(path, W=np.ones((3, 2)), a=np.zeros(3), b=np.zeros(2))
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"(3, 2), }      ", b"(3, 2000000), }"))
    with pytest.raises(ValueError, match=r"claims\.npz: not a readable .npz file \(damaged: 'W'\)"):
        RBM.load(path, "W,a,b")


def test_hdf5_that_claims_more_than_is_read(tmp_path):
    path = tmp_path / "claims.h5"
    with h5py.File(path, "w") as file:
        for name, shape in (("W", (100_000, 100_001)), ("a", 100_000), ("b", 100_001)):
            file.create_dataset(name, shape, "f8", chunks=True)
    assert path.stat().st_size < 1 << 22
    with pytest.raises(ValueError, match="80,002,400,008 .* 268,435,456") as caught:
        RBM.load(path, "W,a,b")
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_a_checkpoint_without_its_parts_is_named(tmp_path, monkeypatch):
    path, data = tmp_path / "part.ckpt", hostile_files.examples()
    monkeypatch.setattr(Checkpoint, "save_if_due", Checkpoint.save)
    train_rbm(data, hidden=3, updates=4, batch=5, checkpoint=path)
    arrays = dict(np.load(path))
    for change in ({"step": np.zeros(3)}, {"values/weights": np.zeros((2, 2))}):
        with path.open("wb") as file:
            np.savez(file, **arrays | change)
        with pytest.raises(ValueError, match=r"part\.ckpt: expected a whole checkpoint, found a damaged one"):
            train_rbm(data, hidden=3, updates=4, batch=5, checkpoint=path)


@pytest.mark.parametrize(
    ("file", "place"),
    [("../outside", "inside"), ("sub/outside", "inside"), ("inside", "../outside"), ("inside", "/etc/passwd")],
)
def test_no_name_of_a_file_leads_out_of_its_folder(tmp_path, file, place):
    folder, mirror = tmp_path / "raw" / "source", tmp_path / "mirror"
    mirror.mkdir()
    for path in (tmp_path / "outside", mirror / "inside"):
        path.write_bytes(b"secret")
    entry = {"sha256": hashlib.sha256(b"secret").hexdigest(), "sources": [{"file": place}]}
    with pytest.raises(ValueError, match=r"^source: expected (the name|a path)") as caught:
        fetch("source", {file: entry}, folder, mirrors=[mirror])
    assert "\n" not in str(caught.value) and not folder.exists()


@pytest.fixture(scope="module")
def configuration():
    config = merged_configuration()
    checked(config, ROOT / "config")
    return config


@pytest.mark.parametrize("section", ["models", "estimators", "trainings", "grids", "figures", "sources", "datasets"])
def test_names_that_become_paths(configuration, section):
    entries = configuration[section]
    for name in ("../../x", "x\n", "{x}"):
        changed = {**configuration, section: {**entries, name: next(iter(entries.values()))}}
        with pytest.raises(ValueError, match=rf"^configuration: {section}\..*: expected a name") as caught:
            checked(changed, ROOT / "config")
        assert "\n" not in str(caught.value)
