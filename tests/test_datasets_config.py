"""config/datasets.yaml is valid and consistent, and describes the files at hand correctly."""

import copy
import gzip
import shutil
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import yaml
from pydantic import ValidationError

from logzoo.datasets.build import READERS, build_dataset, label_units, visible_matrix
from logzoo.datasets.sources import fetch
from replication.settings.datasets import Dataset, Source
from replication.settings.fields import Name, Section

ROOT = Path(__file__).parents[1]
MIRROR = ROOT.parent / "shared" / "datasets"
CONFIGURATION = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))

needs_files = pytest.mark.skipif(not MIRROR.is_dir(), reason="no ../shared/datasets beside the repository")


def dataset_entry(name: str) -> dict:
    entry = CONFIGURATION["datasets"][name]
    return CONFIGURATION["sources"][entry["source"]] | entry


class Data(Section):
    """The sections of config/datasets.yaml."""

    sources: dict[Name, Source]
    datasets: dict[Name, Dataset]


def local_files(source: str) -> dict:
    """The files of a source without their public addresses."""
    files = copy.deepcopy(CONFIGURATION["sources"][source]["files"])
    for entry in files.values():
        entry["sources"] = [address for address in entry["sources"] if "file" in address]
    return files


def local_sources() -> list[str]:
    files = {source: local_files(source) for source in CONFIGURATION["sources"]}
    return [source for source in files if files[source] and all(entry["sources"] for entry in files[source].values())]


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    yield folder
    shutil.rmtree(folder)  # about 150 MB


def build(name: str, raw: Path):
    entry = dataset_entry(name)
    fetch(entry["source"], local_files(entry["source"]), raw / entry["source"], mirrors=[MIRROR])
    return build_dataset(name, entry, raw / entry["source"])


def dna(configuration):
    return configuration["sources"]["dna"]["files"]["dna.scale.t"]


MISTAKES = {
    "top": lambda c: c.update(source={}),
    "source key": lambda c: c["sources"]["mnist"].update(license="x"),
    "file key": lambda c: dna(c).update(sha="0" * 64),
    "idx option": lambda c: c["datasets"]["mnist-binary"]["options"].update(treshold=3),
    "neither files nor own split": lambda c: c["datasets"]["nips"]["options"].pop("files"),
    "negative seed": lambda c: c["datasets"]["web-own-split"]["options"]["own_split"].update(seed=-1),
    "sorted own split": lambda c: c["datasets"]["rcv1-own-split"]["options"].update(sort=["test"]),
    "toy samples of one split": lambda c: c["datasets"]["toy-4-4"]["options"]["samples"].pop("test"),
    "toy that always flips": lambda c: c["datasets"]["toy-4-4"]["options"].update(flip=1.0),
    "one label unit": lambda c: c["datasets"]["mnist-labelled"].update(label_units=1),
    "two addresses in one": lambda c: dna(c)["sources"][0].update(url="https://example.org/x", file="dna"),
    "absolute path": lambda c: dna(c)["sources"][0].update(file="/dna.scale.t"),
    "path upwards": lambda c: dna(c)["sources"][0].update(file="dna/../secret"),
    "no checksum": lambda c: dna(c).pop("sha256"),
    "unverified gzip": lambda c: dna(c)["sources"][0].pop("sha256"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_configuration_are_found(mistake):
    configuration = copy.deepcopy(CONFIGURATION)
    Data.model_validate(configuration)
    MISTAKES[mistake](configuration)
    with pytest.raises(ValidationError, match="^1 validation error for Data\n"):
        Data.model_validate(configuration)


def test_settings_name_exactly_the_readers():
    classes = get_args(get_args(Dataset)[0])
    assert [get_args(each.model_fields["reader"].annotation)[0] for each in classes] == list(READERS)


def named_files(options) -> set[str]:
    """All strings below `files`, `images`, `labels` and `file` of reader options."""
    if not isinstance(options, dict):
        return set()
    keys = [*(("images", "labels") if "images" in options else ()), *(("file",) if "file" in options else ())]
    named = {*options.get("files", {}).values(), *(options[key] for key in keys)}
    return named.union(*map(named_files, options.values()))


def test_datasets_use_exactly_the_files_of_their_sources():
    for name in CONFIGURATION["datasets"]:
        entry = dataset_entry(name)
        assert named_files(entry["options"]) == set(entry["files"]), name
        assert ("array_sha256" in entry) == (name != "rcv1")  # no source of its arrays works


@needs_files
@pytest.mark.parametrize("name", local_sources())
def test_local_files_have_the_configured_checksums(name, raw):
    files = local_files(name)
    manifest = fetch(name, files, raw / name, mirrors=[MIRROR])
    assert manifest["files"].keys() == files.keys()
    for file, record in manifest["files"].items():
        assert record["sha256"] == files[file]["sha256"] and (raw / name / file).stat().st_size == record["bytes"]


@needs_files
@pytest.mark.parametrize("name", ["adult", "nips", "ocr-letters", "mnist-grey"])
def test_dataset_builds_with_its_array_checksum(name, raw):
    assert build(name, raw).sizes["visible"] == CONFIGURATION["datasets"][name]["visible"]


@needs_files
def test_mnist_binary(raw):
    dataset = build("mnist-binary", raw)
    test = dataset["label"].values[dataset["split"].values == 2]
    assert np.bincount(test).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    with gzip.open(MIRROR / "mnist" / "train-images-idx3-ubyte.gz") as stream:
        stream.seek(16 + 55_000 * 784)
        grey = np.frombuffer(stream.read(784), np.uint8)
    np.testing.assert_array_equal(visible_matrix(dataset, "validation")[0], grey / 255 >= 0.5)


@pytest.mark.parametrize("name", ["toy-4-4", "toy-16"])
def test_toys_build_anywhere(name, tmp_path):
    # `build_dataset` compares the data with `array_sha256`.
    dataset = build_dataset(name, dataset_entry(name), tmp_path)
    modes = label_units(dataset)
    assert modes == CONFIGURATION["datasets"][name]["options"]["modes"]
    np.testing.assert_array_equal(dataset["data"].values[:, -modes:].argmax(axis=1), dataset["label"])


KNOWN = dict.fromkeys(("twins", "wide-narrow", "hopfield"), (12_000, 784))
# These take longer than all others; test_known_draws.py draws small lattices.
LATTICES = {"ising-torus": (5000, 200), "ising-torus-40": (5000, 800), "planar-glass": (12_000, 360)}


@pytest.mark.parametrize(
    ("name", "shape"), [*KNOWN.items(), *(pytest.param(*item, marks=pytest.mark.nightly) for item in LATTICES.items())]
)
def test_draws_of_known_models_build_anywhere(name, shape, tmp_path):
    # `build_dataset` compares the draws with `array_sha256`.
    dataset = build_dataset(name, dataset_entry(name), tmp_path)
    assert dataset["data"].shape == shape and "label" not in dataset


@needs_files
def test_dna_is_the_dna_of_the_nade_benchmark(raw):
    dataset = build("dna", raw)
    assert np.bincount(dataset["label"][:1400]).tolist() == [0, 331, 329, 740]
    parts = {"train": "train", "validation": "valid", "test": "test"}
    paths = {part: MIRROR / "nade_binary" / f"dna.{part}.data.gz" for part in parts.values()}
    other = READERS["text"](paths, {"files": parts, "separator": ","})
    for split in parts:
        np.testing.assert_array_equal(visible_matrix(dataset, split), other.data[split])


@needs_files
def test_caltech_is_upright_with_the_stored_polarity(raw):
    dataset = build("caltech", raw)
    means = [round(float(visible_matrix(dataset, split).mean()), 3) for split in ("train", "validation", "test")]
    assert means == [0.551, 0.536, 0.539]
    assert (dataset["label"].min(), dataset["label"].max()) == (1, 101)
    # Airplanes seen from the side (class 1) are long and low: the rows of their mean differ far more than its columns.
    planes = 1.0 - dataset["data"].values[dataset["label"].values == 1].reshape(-1, 28, 28).mean(axis=0)
    assert planes.mean(axis=1).var() > 3 * planes.mean(axis=0).var()
