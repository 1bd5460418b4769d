"""Broken and hostile files end in one line or a correct read; `tests/drills/fuzz.py` does the same at length."""

import io
import re
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import hostile_files
import numpy as np
import pytest
import scipy.io
from hdf5_files import checkpoint_content, write_hdf5
from hypothesis import given, settings
from hypothesis import strategies as st
from projects import merged_configuration

from logzoo import RBM, train_rbm
from logzoo.cli.files import read_data, read_model
from logzoo.datasets.sources import fetch
from logzoo.io.checkpoints import Checkpoint
from logzoo.io.matlab import read_matrices
from logzoo.io.netcdf import read_artifact
from logzoo.io.seals import seal
from replication.configuration import checked

DRILL = Path(__file__).parent / "drills" / "fuzz.py"
ROOT = Path(__file__).parents[1]


def drill(*arguments):
    command = [sys.executable, DRILL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_few_broken_files_of_every_format():
    done = drill("--cases", 5 * len(hostile_files.FORMATS), "--seed", 3)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 lost" in done.stdout and " refused" in done.stdout


def test_the_drill_sees_planted_faults():
    done = drill("--cases", 6, "--format", "data-array", "--plant", "--seconds", 5)
    assert done.returncode == 1 and "6 cases, 6 lost" in done.stdout
    for seen in ("crash: SIGSEGV", "hang: SIGALRM", "memory: ", "written: ", "exception: KeyError", "message: "):
        assert seen in done.stdout


class Payload:
    """A pickle that makes a file when it is read."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


@pytest.mark.parametrize("name", ["model.npz", "data.npy", "model.mat", "model.h5"])
def test_no_pickle_is_run(tmp_path, name):
    marker, path = tmp_path / "marker", tmp_path / name
    payload = np.array([[Payload(marker)]], object)
    if name.endswith(".npy"):
        np.save(path, payload, allow_pickle=True)
    elif name.endswith(".npz"):
        np.savez(path, weights=payload, visible_bias=payload, hidden_bias=payload)
    else:
        pickled = io.BytesIO()
        np.save(pickled, payload, allow_pickle=True)
        path.write_bytes(pickled.getvalue())
    with pytest.raises(ValueError, match=name):
        read_data(path, "train") if name.endswith(".npy") else read_model(path)
    assert not marker.exists()
    if name.endswith(("npz", "npy")):
        np.load(path, allow_pickle=True)[... if name.endswith(".npy") else "weights"]
        assert marker.exists(), "the payload would do nothing anyway"


@pytest.mark.parametrize("at", [1, 300, 5_000, -200, -1])
def test_any_damage_to_an_artifact_is_seen_before_it_is_opened(tmp_path, monkeypatch, at):
    path = tmp_path / "model.nc"
    RBM(np.ones((20, 60)), np.zeros(20), np.zeros(60)).save(path)
    content = bytearray(path.read_bytes())
    content[at] ^= 16
    path.write_bytes(content)
    monkeypatch.setattr("logzoo.io.netcdf.load_raw", lambda _: pytest.fail("opened"))
    with pytest.raises(ValueError, match=r"model\.nc: ") as caught:
        RBM.load(path)
    assert "\n" not in str(caught.value)


def test_an_artifact_that_claims_more_than_it_can_hold(tmp_path):
    import netCDF4

    path = tmp_path / "claims.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("visible", 1_000_000)
        file.createDimension("hidden", 1_000_000)
        file.createVariable("weights", "f8", ("visible", "hidden"), chunksizes=(1000, 1000))
    seal(path)
    with pytest.raises(ValueError, match=r"claims\.nc: .* found 8,000,000,000,000 "):
        read_artifact(path)


def matrix_element(name, rows, columns, values, *, kind=9, flags=6):
    """The bytes of a MATLAB matrix."""

    def element(code, content):
        return struct.pack("<II", code, len(content)) + content + bytes(-len(content) % 8)

    parts = element(6, struct.pack("<II", flags, 0)) + element(5, struct.pack("<ii", rows, columns))
    return element(14, parts + element(1, name) + element(kind, values))


def matlab_file(*elements):
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H2s", 0x0100, b"IM") + b"".join(elements)


GOOD = np.arange(6.0).tobytes()
HOSTILE_MATLAB = {
    "more rows than values": matrix_element(b"vishid", 3_000_000, 2, GOOD),
    "sizes that overflow": matrix_element(b"vishid", 2**31 - 1, 2**31 - 1, GOOD),
    "negative sizes": matrix_element(b"vishid", -3, -2, GOOD),
    "text as numbers": matrix_element(b"vishid", 3, 2, GOOD, kind=16),
    "cells": matrix_element(b"vishid", 3, 2, GOOD, flags=1),
    "sparse": matrix_element(b"vishid", 3, 2, GOOD, flags=5),
    "complex": matrix_element(b"vishid", 3, 2, GOOD, flags=6 | 0x0800),
    "twice": 2 * matrix_element(b"vishid", 3, 2, GOOD),
    "a size beyond the file": struct.pack("<II", 14, 2**32 - 1),
    "a tag that is cut": b"\x0e\0\0",
    "no matrix": struct.pack("<II", 9, 8) + bytes(8),
    "packed packing": struct.pack("<II", 15, len(zlib.compress(b"x"))) + zlib.compress(b"x"),
    "a bomb": struct.pack("<II", 15, len(bomb := zlib.compress(struct.pack("<II", 14, 2**31) + bytes(2**22)))) + bomb,
}


@pytest.mark.parametrize("case", HOSTILE_MATLAB)
def test_hostile_matlab_files_are_refused(tmp_path, case):
    path = tmp_path / "hostile.mat"
    path.write_bytes(matlab_file(matrix_element(b"vishid", 3, 2, GOOD)))
    assert read_matrices(path, ["vishid"])["vishid"].tolist() == [[0, 3], [1, 4], [2, 5]]
    path.write_bytes(matlab_file(HOSTILE_MATLAB[case]))
    with pytest.raises(ValueError) as caught:
        RBM.from_mat(path)
    assert str(caught.value).startswith(f"{path}: expected ") and "\n" not in str(caught.value)


def test_a_packed_matrix_unpacks_to_no_more_than_it_claims(tmp_path):
    path = tmp_path / "bomb.mat"
    good = matrix_element(b"vishid", 3, 2, GOOD)
    packed = zlib.compress(good + bytes(1 << 26))
    path.write_bytes(matlab_file(struct.pack("<II", 15, len(packed)) + packed))
    tracemalloc.start()
    with pytest.raises(ValueError, match="a packed variable"):
        RBM.from_mat(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


TYPES = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    kind=st.sampled_from(TYPES),
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    compressed=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_matrices_are_those_that_scipy_reads(tmp_path_factory, kind, shape, compressed, seed):
    path = tmp_path_factory.mktemp("twin") / "twin.mat"
    values = np.random.default_rng(seed).integers(0, 100, shape).astype(kind)
    others = {"text": "words", "cells": np.array([1, "a"], object), "more": {"field": 1}}
    scipy.io.savemat(path, {**others, "wanted": values}, do_compression=compressed)
    found, twin = read_matrices(path, ["wanted"])["wanted"], scipy.io.loadmat(path)["wanted"]
    np.testing.assert_array_equal(found, twin, strict=True)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(content=st.binary(max_size=300), packed=st.booleans(), inner=st.binary(max_size=100))
def test_any_bytes_for_a_matlab_file(tmp_path_factory, content, packed, inner):
    path = tmp_path_factory.getbasetemp() / "any.mat"
    inner = zlib.compress(struct.pack("<II", 14, len(inner)) + inner)
    path.write_bytes(matlab_file(struct.pack("<II", 15, len(inner)) + inner if packed else b"", content))
    with pytest.raises(ValueError, match=r"any\.mat: ") as caught:
        RBM.from_mat(path)
    assert "\n" not in str(caught.value)


def test_many_matrices_are_not_all_held(tmp_path, monkeypatch):
    path = tmp_path / "many.mat"
    packed = zlib.compress(matrix_element(b"name", 1000, 1000, bytes(8_000_000)))
    # Each of another name, which is as long.
    elements = (zlib.compress(zlib.decompress(packed).replace(b"name", b"%04d" % count)) for count in range(12))
    path.write_bytes(matlab_file(*(struct.pack("<II", 15, len(element)) + element for element in elements)))
    assert len(read_matrices(path)) == 12
    monkeypatch.setattr("logzoo.io.sizes._MOST_BYTES", 1 << 25)
    tracemalloc.start()
    with pytest.raises(
        ValueError, match="expected numbers of at most 33,554,432 bytes in a file of its size, found 40,0"
    ):
        RBM.from_mat(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 26
    assert read_matrices(path, ["0003"])["0003"].shape == (1000, 1000)


def test_the_values_of_what_is_not_wanted_stay_packed(tmp_path):
    """A guess looks at headers alone: 24 arrays of 8 MB each lie beside the three that are wanted."""
    path = tmp_path / "beside.npz"
    wanted = {"W": np.ones((3, 2)), "a": np.zeros(3), "b": np.zeros(2)}
    np.savez_compressed(path, **wanted, **{f"data{n}": np.zeros((10, 100, 1000)) for n in range(24)})
    tracemalloc.start()
    assert read_model(path, tell=lambda note: None).visible == 3
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


def test_an_array_that_claims_more_than_it_has(tmp_path):
    path = tmp_path / "claims.npz"
    np.savez(path, W=np.ones((3, 2)), a=np.zeros(3), b=np.zeros(2))
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"(3, 2), }      ", b"(3, 2000000), }"))
    with pytest.raises(ValueError, match=r"claims\.npz: not a readable .npz file \(damaged: 'W'\)"):
        read_model(path, "W,a,b")


@pytest.fixture(scope="module")
def hdf5_contents(tmp_path_factory):
    path = tmp_path_factory.mktemp("hdf5") / "model.h5"
    write_hdf5(path, checkpoint_content(RBM(np.ones((4, 3)), np.zeros(4), np.zeros(3)), updates=range(1, 20)))
    return path.read_bytes()


def hdf5_refusal(path, names=None):
    with pytest.raises(ValueError) as caught:
        read_model(path, names)
    text = str(caught.value)
    assert text.startswith(f"{path}: expected ") and "\n" not in text and len(text) < 600
    return text


def test_a_truncated_checkpoint_is_refused(tmp_path, hdf5_contents):
    path = tmp_path / "cut.h5"
    for size in (0, 1, 7, 8, 40, 95, 96, 600, 2048, len(hdf5_contents) // 2, len(hdf5_contents) - 1):
        path.write_bytes(hdf5_contents[:size])
        assert "expected a whole HDF5 file, found a damaged or another one (NetCDF: " in hdf5_refusal(path)


def test_a_tree_that_holds_itself(tmp_path, hdf5_contents):
    path, at = tmp_path / "loop.h5", hdf5_contents.index(b"TREE")
    # The first child of a node lies behind two siblings and a key.
    path.write_bytes(hdf5_contents[: at + 32] + struct.pack("<Q", at) + hdf5_contents[at + 40 :])
    hdf5_refusal(path, "weights,vbias,hbias")


def test_an_object_that_goes_on_in_itself(tmp_path, hdf5_contents):
    path, contents = tmp_path / "loop.h5", bytearray(hdf5_contents)
    (root,) = struct.unpack_from("<Q", contents, 64)
    # The first message of the root becomes one that says where the next lie: where it lies itself.
    struct.pack_into("<HH", contents, root + 16, 0x10, 16)
    struct.pack_into("<QQ", contents, root + 24, root + 16, 24)
    path.write_bytes(contents)
    hdf5_refusal(path)


@pytest.mark.parametrize(
    ("ending", "complaint"),
    [
        ("kill -SEGV $$", r"\(the library crashes on it\)"),
        ("exec sleep 60", "takes more than 1 s to read"),
        ("printf 'one\\ntwo\\033[1m\\n' >&2; exit 1", r"\(two\\x1b\[1m\)"),
    ],
)
def test_whatever_ends_the_reader_of_hdf5_ends_in_one_line(tmp_path, monkeypatch, hdf5_contents, ending, complaint):
    path, program = tmp_path / "model.h5", tmp_path / "program"
    path.write_bytes(hdf5_contents)
    program.write_text(f"#!/bin/sh\n{ending}\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr("logzoo.io.hdf5._SECONDS", 1)
    assert re.search(complaint, hdf5_refusal(path))


def test_a_type_that_crashes_the_library(tmp_path):
    """Numbers of half precision where a text is looked for: some versions take them for addresses of texts."""
    write_hdf5(tmp_path / "half.h5", {"model_type": np.array(1.5, np.float16)})
    hdf5_refusal(tmp_path / "half.h5")


def test_hdf5_that_claims_more_than_is_read(tmp_path):
    import netCDF4

    path = tmp_path / "claims.h5"
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("a", 100_000), ("b", 100_001)):
            file.createDimension(name, size)
            file.createVariable(name, "f8", name)
        file.createVariable("W", "f8", ("a", "b"), chunksizes=(1000, 1000))
    assert path.stat().st_size < 1 << 22
    found = hdf5_refusal(path, "W,a,b")
    assert "expected numbers of at most 268,435,456 bytes in a file of its size, found 80,002,400,008" in found


def test_the_reader_of_hdf5_imports_nothing_from_the_current_folder(tmp_path, monkeypatch, hdf5_contents):
    (tmp_path / "model.h5").write_bytes(hdf5_contents)
    for name in ("netCDF4", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert read_model("model.h5").visible == 4


def test_names_of_foreign_arrays_stay_on_one_line(tmp_path):
    np.savez(tmp_path / "names.npz", **{"two\nlines": np.zeros(2)} | {f"more{n}": np.zeros(1) for n in range(500)})
    with pytest.raises(ValueError, match="names.npz: expected the arrays") as caught:
        read_model(tmp_path / "names.npz")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_a_checkpoint_without_its_parts_is_named(tmp_path, monkeypatch):
    path, data = tmp_path / "part.ckpt", hostile_files.examples()
    monkeypatch.setattr(Checkpoint, "save_if_due", Checkpoint.save)
    train_rbm(data, hidden=3, updates=4, batch=5, checkpoint=path)
    with np.load(path) as stored:
        arrays = dict(stored)
    for change in ({"step": np.zeros(3)}, {"values/weights": np.zeros((2, 2))}):
        with path.open("wb") as file:
            np.savez(file, **arrays | change)
        with pytest.raises(ValueError, match=r"part\.ckpt: expected a whole checkpoint, found a damaged one"):
            train_rbm(data, hidden=3, updates=4, batch=5, checkpoint=path)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("../outside", "inside"),
        ("..", "inside"),
        ("/etc/outside", "inside"),
        ("sub/outside", "inside"),
        ("inside", "../outside"),
        ("inside", "sub/../../outside"),
        ("inside", "/etc/passwd"),
    ],
)
def test_no_name_of_a_file_leads_out_of_its_folder(tmp_path, file, place):
    folder, mirror = tmp_path / "raw" / "source", tmp_path / "mirror"
    mirror.mkdir()
    for path in (tmp_path / "outside", mirror / "inside"):
        path.write_bytes(b"secret")
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
    with pytest.raises(ValueError, match=r"^source: expected (the name|a path)") as caught:
        fetch("source", {file: {"sha256": digest, "sources": [{"file": place}]}}, folder, mirrors=[mirror])
    assert "\n" not in str(caught.value) and not folder.exists()


@pytest.fixture(scope="module")
def configuration():
    config = merged_configuration()
    checked(config, ROOT / "config")
    return config


@pytest.mark.parametrize(
    "name", ["../../x", "/tmp/x", "..", ".x", "a/b", "a\\b", "x\n", "", "-x", "x y", "x|.*", "{x}"]
)
@pytest.mark.parametrize(
    "section", ["models", "estimators", "comparisons", "trainings", "grids", "figures", "sources", "datasets"]
)
def test_names_that_become_paths(configuration, section, name):
    entry = next(iter(configuration[section].values()))
    changed = {**configuration, section: {**configuration[section], name: entry}}
    with pytest.raises(ValueError, match="^configuration: ") as caught:
        checked(changed, ROOT / "config")
    assert "\n" not in str(caught.value) and section in str(caught.value)


def test_a_published_model_comes_from_a_file_of_its_source(configuration):
    name, entry = next((name, entry) for name, entry in configuration["models"].items() if "import" in entry)
    for file in ("../../x.mat", "/etc/passwd", "another.mat"):
        models = {**configuration["models"], name: {**entry, "import": {**entry["import"], "file": file}}}
        with pytest.raises(ValueError, match=f"models.{name}.import.file: unknown name"):
            checked({**configuration, "models": models}, ROOT / "config")


def test_the_scale_is_a_name(configuration):
    for scale in ("../x", "/tmp/x", "x\n"):
        with pytest.raises(ValueError, match="^configuration: scale: "):
            checked({**configuration, "scale": scale}, ROOT / "config")
