"""Readers and the datasets built from them, on small fabricated files, good and malformed."""

import gzip
import hashlib
import struct

import numpy as np
import pytest
from hostile_files import SPLITS, idx
from scipy.io import savemat

from logzoo.datasets.build import READERS, build_dataset, label_units, stand_in, visible_matrix
from logzoo.datasets.readers import one_hot, shuffled_order

IDX_OPTIONS = {split: {"images": f"{split}-images", "labels": f"{split}-labels"} for split in ("train", "test")}
IDX_OPTIONS["validation"] = 2
VARIABLES = {"train": "train", "validation": "val", "test": "test"}
MATLAB_OPTIONS = {"file": "images.mat", "column_major": [2, 3]}
MATLAB_OPTIONS |= {split: {"data": f"{name}_data", "labels": f"{name}_labels"} for split, name in VARIABLES.items()}
SPLIT_FILES = {split: split for split in SPLITS}


def images(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, 2, 3), dtype=np.uint8)


def idx_files() -> dict[str, bytes]:
    return {
        "train-images": idx(images(5)),
        "train-labels": idx(np.arange(5)),
        "test-images": gzip.compress(idx(images(3)), mtime=0),
        "test-labels": gzip.compress(idx(np.arange(3) + 7), mtime=0),
    }


def matlab_variables() -> dict[str, np.ndarray]:
    variables = {}
    for count, part in ((4, "train"), (2, "val"), (3, "test")):
        upright = images(count) > 127
        variables[f"{part}_data"] = upright.transpose(0, 2, 1).reshape(count, 6).astype(np.uint8)
        variables[f"{part}_labels"] = np.arange(1, count + 1, dtype=np.uint8)[:, None]
    return variables


def write_all(folder, contents: dict[str, bytes]) -> dict:
    paths = {name: folder / name for name in contents}
    for name, path in paths.items():
        path.write_bytes(contents[name])
    return paths


def read_split_files(folder, reader: str, options: dict, **contents: bytes):
    return READERS[reader](write_all(folder, contents), {"files": SPLIT_FILES, **options})


def assert_refused(file: str, match: str, read, *arguments, **contents: bytes) -> None:
    with pytest.raises(ValueError, match=match or None) as error:
        read(*arguments, **contents)
    assert str(error.value).startswith(f"{file}: expected ") and "\n" not in str(error.value)


def test_idx_keeps_grey_levels_and_takes_validation_from_the_end(tmp_path):
    splits = READERS["idx"](write_all(tmp_path, idx_files()), IDX_OPTIONS)
    many, few = images(5).reshape(5, 6), images(3).reshape(3, 6)
    expected = {"train": (many[:3], [0, 1, 2]), "validation": (many[3:], [3, 4]), "test": (few, [7, 8, 9])}
    for split, (data, labels) in expected.items():
        np.testing.assert_array_equal(splits.data[split], data)
        assert splits.labels[split].tolist() == labels


def test_idx_threshold_is_one_at_and_above(tmp_path):
    train = {"train-images": idx(np.array([0, 127, 128, 255]).reshape(4, 1, 1)), "train-labels": idx(np.arange(4))}
    splits = READERS["idx"](write_all(tmp_path, idx_files() | train), {**IDX_OPTIONS, "threshold": 128})
    assert splits.data["train"].tolist() == [[0], [0]] and splits.data["validation"].tolist() == [[1], [1]]
    assert splits.data["train"].dtype == np.uint8


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("train-images", b""),
        ("train-images", idx(images(5))[:-1]),
        ("train-images", struct.pack(">IIII", 2051, 2**32 - 1, 2**32 - 1, 2**32 - 1)),
        ("test-images", gzip.compress(idx(images(3)), mtime=0)[:-12]),
    ],
)
def test_malformed_idx_is_refused(tmp_path, file, content):
    assert_refused(file, "", READERS["idx"], write_all(tmp_path, {**idx_files(), file: content}), IDX_OPTIONS)


def test_text_reads_rows_plain_and_gzipped(tmp_path):
    draw, contents = np.random.default_rng(7), {}
    rows = {split: draw.integers(0, 2, (count, 9)) for split, count in zip(SPLITS, (6, 1, 3), strict=True)}
    for split, table in rows.items():
        contents[split] = "".join(" ".join(map(str, row)) + "\n" for row in table).encode()
    contents["test"] = gzip.compress(contents["test"], mtime=0)
    splits = read_split_files(tmp_path, "text", {"separator": " "}, **contents)
    for split in SPLITS:
        np.testing.assert_array_equal(splits.data[split], rows[split])
        assert splits.data[split].dtype == np.uint8 and splits.labels[split] is None


def test_text_sorts_the_rows_of_the_named_splits_only(tmp_path):
    content = b"1,0,0\n0,1,1\n1,0,0\n0,0,1"  # without a last newline
    options = {"separator": ",", "sort": ["test"]}
    splits = read_split_files(tmp_path, "text", options, train=content, validation=content, test=content)
    assert splits.data["test"].tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert splits.data["train"].tolist() == [[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("content", [b"0,1,0\n0,2,0\n", b"0,1,0\n0,1\n0,1,0\n"])
def test_malformed_text_is_refused_with_its_line(tmp_path, content):
    contents = {"train": b"0,1,0\n", "validation": b"0,1,0\n", "test": content}
    assert_refused("test", "in line 2$", read_split_files, tmp_path, "text", {"separator": ","}, **contents)


def test_libsvm_counts_indices_from_one(tmp_path):
    contents = {"train": b"2 1:1 4:1 \n-1 2:0 3:1\n+1\n", "validation": b"3 4:1\r\n", "test": b"1 1:1"}
    splits = read_split_files(tmp_path, "libsvm", {"features": 4}, **contents)
    assert splits.data["train"].tolist() == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert splits.labels["train"].tolist() == [2, -1, 1]
    assert splits.data["validation"].tolist() == [[0, 0, 0, 1]] and splits.data["test"].tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("content", [b"", b"1 0:1\n", b"1 5:1\n", b"1 2:1 1:1\n", b"1 2:2\n", b"1 1:1\xff\n"])
def test_malformed_libsvm_is_refused(tmp_path, content):
    contents = {"train": b"1 1:1\n", "validation": content, "test": b"1\n"}
    assert_refused("validation", "", read_split_files, tmp_path, "libsvm", {"features": 4}, **contents)


def test_own_split_with_a_seed_keeps_every_row_and_its_label(tmp_path):
    rows = 40
    lines = [f"{row} " + " ".join(f"{bit + 1}:{row >> bit & 1}" for bit in range(6)) for row in range(rows)]
    paths = write_all(tmp_path, {"pooled": "\n".join(lines).encode()})
    options = {"own_split": {"file": "pooled", "validation": 10, "test": 25, "seed": 3}, "features": 6}
    splits = READERS["libsvm"](paths, options)
    assert [len(splits.data[split]) for split in SPLITS] == [5, 10, 25]
    labels, data = (np.concatenate([part[split] for split in SPLITS]) for part in (splits.labels, splits.data))
    assert sorted(labels) == list(range(rows)) and sorted(labels) != labels.tolist()
    np.testing.assert_array_equal(data @ (1 << np.arange(6)), labels)


def test_shuffled_order_is_a_permutation_that_never_changes():
    assert shuffled_order(8, 0).tolist() == [0, 2, 1, 5, 4, 3, 6, 7]
    assert shuffled_order(8, 1).tolist() == [3, 5, 2, 7, 0, 6, 1, 4]
    assert sorted(shuffled_order(1000, 0)) == list(range(1000))
    moved = np.corrcoef(shuffled_order(10_000, 0), np.arange(10_000))[0, 1]
    assert abs(moved) < 4 / np.sqrt(10_000)  # of two independent orders: mean 0, standard deviation 1 / sqrt(rows)


def test_own_split_needs_some_training_rows(tmp_path):
    paths = write_all(tmp_path, {"pooled": b"0,1\n1,0\n1,1\n"})
    options = {"own_split": {"file": "pooled", "validation": 1, "test": 2}, "separator": ","}
    assert_refused("pooled", "expected more than 3 examples, found 3", READERS["text"], paths, options)


def test_matlab_images_come_out_row_by_row(tmp_path):
    savemat(tmp_path / "images.mat", matlab_variables(), do_compression=True)
    splits = READERS["matlab"]({"images.mat": tmp_path / "images.mat"}, MATLAB_OPTIONS)
    for split, count in (("train", 4), ("validation", 2), ("test", 3)):
        np.testing.assert_array_equal(splits.data[split].reshape(count, 2, 3), images(count) > 127)
        assert splits.labels[split].tolist() == list(range(1, count + 1))


@pytest.mark.parametrize(
    "changes",
    [
        {"train_data": np.full((4, 6), 2)},
        {"train_data": np.zeros((4, 6), complex)},
        {"train_data": np.zeros((4, 5))},
        {"val_labels": np.full((2, 1), 1e9)},
    ],
)
def test_unexpected_matlab_variables_are_refused(tmp_path, changes):
    path = tmp_path / "images.mat"
    savemat(path, {**matlab_variables(), **changes})
    assert_refused("images.mat", "", READERS["matlab"], {"images.mat": path}, MATLAB_OPTIONS)


def test_digits_are_the_stored_ones_in_order():
    splits = READERS["digits"]({}, {"threshold": 8, "validation": 250, "test": 250})
    assert [len(splits.data[split]) for split in SPLITS] == [1297, 250, 250]
    assert splits.labels["train"][:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    zero = splits.data["train"][0].reshape(8, 8)
    assert zero[1].tolist() == [0, 0, 1, 1, 1, 1, 0, 0] and zero[4, 3:5].tolist() == [0, 0]
    with pytest.raises(ValueError, match="1797 examples"):
        READERS["digits"]({}, {"threshold": 8, "validation": 1000, "test": 797})


def entry_of(title: str, reader: str, options: dict, files, counts, visible: int) -> dict:
    """The configuration of a data set of zeros and ones with so many examples in its splits."""
    entry = {"title": title, "licence": "CC0", "citation": "Nobody (2000)", "values": "binary", "visible": visible}
    splits = dict(zip(SPLITS, counts, strict=True))
    return entry | {"files": dict.fromkeys(files), "reader": reader, "options": options, "splits": splits}


@pytest.fixture
def toy(tmp_path):
    """A text dataset of 3 + 1 + 2 examples with its entry."""
    write_all(tmp_path, {"train": b"0,1\n1,1\n0,0\n", "validation": b"1,0\n", "test": b"1,1\n0,1\n"})
    array = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [1, 1], [0, 1]], np.uint8)
    entry = entry_of("Toy", "text", {"files": SPLIT_FILES, "separator": ","}, SPLITS, (3, 1, 2), 2)
    return entry | {"comment": "Made up", "array_sha256": hashlib.sha256(array.tobytes()).hexdigest()}, tmp_path, array


def test_build_dataset_gives_labelled_arrays(toy):
    entry, folder, array = toy
    dataset = build_dataset("toy", entry, folder)
    np.testing.assert_array_equal(dataset["data"], array)
    assert dataset["data"].dims == ("example", "visible") and dataset["data"].dtype == np.uint8
    assert dataset["split"].values.tolist() == [0, 0, 0, 1, 2, 2] and dataset["split"].dtype == np.int8
    assert dataset["split"].attrs["flag_values"].tolist() == [0, 1, 2]
    assert dataset["split"].attrs["flag_meanings"] == "train validation test"
    assert "label" not in dataset
    assert all(v.attrs["units"] == "1" and v.attrs["long_name"] for v in dataset.variables.values())
    attributes = {"title": "Toy", "licence": "CC0", "source_citation": "Nobody (2000)", "comment": "Made up"}
    assert dataset.attrs == attributes | {"dataset": "toy", "values": "binary"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"splits": {"train": 2, "validation": 1, "test": 2}}, "toy: expected 2 train examples"),
        ({"visible": 3}, "of 3 values"),
        ({"array_sha256": "0" * 64}, "toy: expected an array with sha256 0000"),
        ({"files": {"train": None, "elsewhere": None}}, "toy: raw files are missing: elsewhere"),
    ],
)
def test_build_dataset_refuses_what_does_not_fit(toy, changes, message):
    entry, folder, _ = toy
    with pytest.raises(ValueError, match=message) as error:
        build_dataset("toy", {**entry, **changes}, folder)
    assert "\n" not in str(error.value)


GREY = entry_of("Grey", "idx", IDX_OPTIONS, idx_files(), (3, 2, 3), 6) | {"values": "grey"}


def test_every_example_has_one_label(tmp_path):
    write_all(tmp_path, {**idx_files(), "test-labels": idx(np.arange(4))})
    with pytest.raises(ValueError, match="^grey: expected 3 labels of test examples, found"):
        build_dataset("grey", GREY, tmp_path)


def test_grey_levels_become_fractions_and_labels_survive(tmp_path):
    write_all(tmp_path, idx_files())
    dataset = build_dataset("grey", GREY, tmp_path)
    assert dataset["data"].attrs["value_scale"] == 255 and dataset["data"].dtype == np.uint8
    assert dataset["label"].values.tolist() == [0, 1, 2, 3, 4, 7, 8, 9] and dataset["label"].dtype == np.int16
    matrix = visible_matrix(dataset, "test")
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix, images(3).reshape(3, 6) / 255, rtol=1e-6)
    with pytest.raises(ValueError, match="expected values 0 or 1 in train"):
        build_dataset("grey", {**GREY, "values": "binary"}, tmp_path)


def test_label_units_are_the_last_visible_units(tmp_path):
    write_all(tmp_path, idx_files())
    plain = build_dataset("grey", GREY, tmp_path)
    dataset = build_dataset("grey", {**GREY, "visible": 16, "label_units": 10}, tmp_path)
    assert label_units(dataset) == 10
    np.testing.assert_array_equal(visible_matrix(dataset)[:, :6], visible_matrix(plain))
    np.testing.assert_array_equal(visible_matrix(dataset)[:, 6:], np.eye(10)[[0, 1, 2, 3, 4, 7, 8, 9]])
    assert dataset["label"].equals(plain["label"])
    with pytest.raises(ValueError, match="^grey: .*label"):
        label_units(plain)


def test_label_units_need_labels_that_fit(tmp_path, toy):
    write_all(tmp_path, idx_files())
    with pytest.raises(ValueError, match="^grey: expected labels from 0 to 6, found 7$"):
        build_dataset("grey", {**GREY, "visible": 13, "label_units": 7}, tmp_path)
    with pytest.raises(ValueError, match="grey: expected 3 train examples .* of 4 values, found"):
        build_dataset("grey", {**GREY, "label_units": 2}, tmp_path)
    with pytest.raises(ValueError, match="^libsvm: expected labels from 0 to 1, found -1$"):
        one_hot("libsvm", np.array([1, -1, 0]), 2)
    entry, folder, _ = toy
    with pytest.raises(ValueError, match="^toy: .*label.* 2 label units, found none$"):
        build_dataset("toy", {**entry, "visible": 4, "label_units": 2}, folder)


def test_visible_matrix_selects_splits(toy):
    entry, folder, array = toy
    dataset = build_dataset("toy", entry, folder)
    np.testing.assert_array_equal(visible_matrix(dataset), array)
    np.testing.assert_array_equal(visible_matrix(dataset, "test"), array[4:])
    assert visible_matrix(dataset).dtype == np.uint8
    with pytest.raises(ValueError, match="unknown split 'valid'; choose one of train, validation, test"):
        visible_matrix(dataset, "valid")
    with pytest.raises(ValueError, match="toy: no examples in split validation"):
        visible_matrix(dataset.isel(example=slice(0, 3)), "validation")


def test_stand_in_says_what_it_is(caplog):
    options = {"threshold": 8, "validation": 250, "test": 250}
    entry = entry_of("Digits", "digits", options, (), (1297, 250, 250), 64)
    labelled = stand_in("mnist-labelled", {**entry, "visible": 74, "label_units": 10}, "no source worked")
    assert label_units(labelled) == 10 and labelled.attrs["stand_in_for"] == "mnist-labelled"
    dataset = stand_in("mnist-grey", entry, "no source worked")
    stated = {"stand_in_for": "mnist-grey", "stand_in_reason": "no source worked"}
    assert dataset.attrs.items() >= (stated | {"title": "Stand-in for mnist-grey: Digits"}).items()
    assert visible_matrix(dataset, "train").shape == (1297, 64)
    assert "mnist-grey" in caplog.text and "no source worked" in caplog.text
