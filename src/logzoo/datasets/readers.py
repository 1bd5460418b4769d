"""Readers of raw files: read(paths, options) -> Splits, the uint8 examples and the labels of each split.

paths: {file name: path}. options: from config/datasets.yaml. Malformed input raises a one-line ValueError that names
the file and the expected form. The options of text formats state the source of the splits: `files` (the file name of
each split) or `own_split` (`file`, the sizes `validation` and `test`, and optionally `seed`). `own_split` splits one
file, in row order or after a shuffle by the seed.
"""

from __future__ import annotations

import gzip
import io
import math
import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.checks import shown
from logzoo.io.array_files import read_matrices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

SPLITS: tuple[str, ...] = ("train", "validation", "test")


class Splits(NamedTuple):
    """Examples and labels by split: uint8 (examples, visible), and integers (examples,) or None without labels."""

    data: dict[str, np.ndarray]
    labels: dict[str, np.ndarray | None]

    @classmethod
    def of(cls, parts: Iterable[tuple[np.ndarray, np.ndarray | None]]) -> Splits:
        """The Splits from the pairs (examples, labels) of train, validation and test."""
        return cls(*(dict(zip(SPLITS, arrays, strict=True)) for arrays in zip(*parts, strict=True)))


def cut_table(name: str, data: np.ndarray, labels: np.ndarray | None, validation: int, test: int) -> Splits:
    """Split a table by rows into train, validation and test; raises ValueError if no rows are left for train."""
    borders = [len(data) - test - validation, len(data) - test]
    if borders[0] < 1:
        raise ValueError(f"{name}: expected more than {validation + test} examples, found {len(data)} examples")
    labels_of_splits = [None] * len(SPLITS) if labels is None else np.split(labels, borders)
    return Splits.of(zip(np.split(data, borders), labels_of_splits, strict=True))


def one_hot(name: str, labels: np.ndarray | None, classes: int) -> np.ndarray:
    """Labels as rows with a single 1, (examples, classes) uint8; raises ValueError for labels outside [0, classes)."""
    if labels is None:
        raise ValueError(f"{name}: expected labels for {classes} label units, found none")
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise ValueError(f"{name}: expected labels from 0 to {classes - 1}, found {wrong[0]}")
    return (labels[:, None] == np.arange(classes)).astype(np.uint8)


def shuffled_order(rows: int, seed: int) -> np.ndarray:
    """Draw a permutation of range(rows)."""
    # NumPy guarantees the raw words of a bit generator for all versions, but not the draws of its Generator.
    return np.argsort(np.random.Philox(key=seed).random_raw(rows), kind="stable")


CHUNK_BYTES = 1 << 18
MAX_UNPACKED_BYTES = 1 << 30


def unpacked_chunks(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces, unpacked if it is gzip; raises ValueError if it is damaged or too large."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    size = 0
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                size += len(chunk)
                if size > MAX_UNPACKED_BYTES:
                    raise ValueError(f"expected at most {MAX_UNPACKED_BYTES} bytes after unpacking")
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError("expected a whole gzip file, found a damaged one") from error


def read_contents(path: Path) -> bytearray:
    """The unpacked content of a file; a ValueError names the file if it is empty, damaged or too large."""
    contents = bytearray()
    try:
        for chunk in unpacked_chunks(path):
            contents += chunk
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error
    if not contents:
        raise ValueError(f"{path.name}: expected data, found an empty file")
    return contents


IDX_IMAGES, IDX_LABELS = 2051, 2049  # magic numbers: unsigned bytes in three dimensions, and in one dimension


def read_idx(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Read MNIST-like idx files, gzipped or not; the last `validation` training images are for validation.

    options: `train` and `test` (file names of `images` and `labels`), `validation` (number of images), `threshold`.
    Grey levels of at least `threshold` become 1, and lower levels 0. Without `threshold` grey levels 0 to 255 stay.
    """
    images, labels, test_images, test_labels = (
        _idx_array(paths[options[split][kind]], magic)
        for split in ("train", "test")
        for kind, magic in (("images", IDX_IMAGES), ("labels", IDX_LABELS))
    )
    data, test_data = images.reshape(len(images), -1), test_images.reshape(len(test_images), -1)
    if "threshold" in options:
        data, test_data = ((grey >= options["threshold"]).astype(np.uint8) for grey in (data, test_data))
    border, name = len(data) - options["validation"], options["train"]["images"]
    if border < 1:
        raise ValueError(f"{name}: expected more than {options['validation']} images, found {len(data)}")
    return Splits.of([(data[:border], labels[:border]), (data[border:], labels[border:]), (test_data, test_labels)])


def read_matlab(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Read binary matrices (examples, visible) and their labels from one MATLAB 5 file.

    options: `file`; `train`, `validation` and `test` (variable names of `data` and `labels`); `column_major` ([height,
    width] of images that are stored column by column and returned row by row).
    """
    path = paths[options["file"]]
    names = [options[split][kind] for split in SPLITS for kind in ("data", "labels")]
    try:
        variables = read_matrices(path, names)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    height, width = options["column_major"]
    parts = []
    for split in SPLITS:
        images = _matlab_integers(path, variables, options[split]["data"])
        labels = _matlab_integers(path, variables, options[split]["labels"]).ravel()
        if images.min() < 0 or images.max() > 1:
            raise ValueError(f"{path.name}: expected values 0 or 1 in {options[split]['data']}")
        if images.shape[1] != height * width:
            raise ValueError(f"{path.name}: expected {height * width} pixels in each row, found {images.shape[1]}")
        upright = images.astype(np.uint8).reshape(-1, width, height).transpose(0, 2, 1)
        parts.append((upright.reshape(len(images), -1), labels))
    return Splits.of(parts)


def read_digits(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Read the 8 x 8 digits that scikit-learn includes, in their stored order: train, validation, test examples.

    options: `threshold`, `validation` and `test` (numbers of examples). Grey levels (0 to 16) of at least
    `threshold` become 1, and lower levels 0.
    """
    from sklearn.datasets import load_digits  # takes a second to import

    grey, labels = load_digits(return_X_y=True)
    data = (grey >= options["threshold"]).astype(np.uint8)
    return cut_table("digits", data, labels, options["validation"], options["test"])


def _idx_array(path, magic):
    contents = read_contents(path)
    if contents[:4] != magic.to_bytes(4, "big"):
        raise ValueError(
            f"{path.name}: expected the idx magic number {magic}, found {contents[:4].hex()} (hexadecimal)"
        )
    header = 4 + 4 * contents[3]
    shape = [int.from_bytes(contents[start : start + 4], "big") for start in range(4, header, 4)]
    size = header + math.prod(shape)
    if len(contents) != size or size == header:
        expected = f"{size} bytes, at least one example, for the sizes {shape} in its header"
        raise ValueError(f"{path.name}: expected {expected}, found {len(contents)}")
    return np.frombuffer(contents, np.uint8, offset=header).reshape(shape)


def _matlab_integers(path, variables, name):
    array = variables.get(name)
    if array is None or array.ndim != 2 or not array.size:
        raise ValueError(f"{path.name}: expected a non-empty real matrix {name}")
    return _integers(array, f"{path.name}: expected small whole numbers in {name}")


def _integers(array, message):
    """The array as int16; raises ValueError with this message for other numbers."""
    with np.errstate(invalid="ignore"):  # numbers outside int16 change and are refused below
        integers = array.astype(np.int16)
    if not np.array_equal(integers, array):
        raise ValueError(message)
    return integers


def read_text(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Read rows of single digits 0 and 1, gzipped or not; there are no labels.

    options: `files` or `own_split`, `separator` (one character), `sort` (splits whose rows are put in ascending
    order, for files that circulate in more than one order).
    """
    splits = _read_splits(paths, options, lambda path: (_parse_text(path, options["separator"]), None))
    for split in options.get("sort", []):
        data = splits.data[split]
        splits.data[split] = data[np.lexsort(np.packbits(data, axis=1).T[::-1])]
    return splits


def read_libsvm(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Read rows `label index:value ...` with ascending indices from 1, and values 0 or 1.

    options: `files` or `own_split`, and `features` (largest index).
    """
    return _read_splits(paths, options, lambda path: _parse_libsvm(path, options["features"]))


def _read_splits(paths, options, parse):
    """Return the Splits. parse(path) returns the examples of a file, and an array of labels or None."""
    if "files" in options:
        return Splits.of(parse(paths[options["files"][split]]) for split in SPLITS)
    own_split = options["own_split"]
    path = paths[own_split["file"]]
    data, labels = parse(path)
    if "seed" in own_split:
        order = shuffled_order(len(data), own_split["seed"])
        data, labels = data[order], None if labels is None else labels[order]
    return cut_table(path.name, data, labels, own_split["validation"], own_split["test"])


def _parse_text(path, separator):
    contents = read_contents(path).removesuffix(b"\n") + b"\n"
    columns = (contents.find(b"\n") + 1) // 2
    if columns < 1:
        raise ValueError(f"{path.name}: expected lines of values 0 or 1")
    rows = len(contents) // (2 * columns)
    table = np.frombuffer(contents, np.uint8, count=rows * 2 * columns).reshape(rows, columns, 2)
    data = table[:, :, 0] ^ ord("0")
    good = data <= 1
    good[:, :-1] &= table[:, :-1, 1] == ord(separator)
    good[:, -1] &= table[:, -1, 1] == ord("\n")
    if not good.all() or len(contents) != rows * 2 * columns:
        # All rows before the first bad byte have the right length, so the row of that byte is the bad line.
        line = 1 + (rows if good.all() else int(np.argmin(good.all(axis=1))))
        quoted = shown(contents.split(b"\n")[line - 1].decode("ascii", "replace"))
        raise ValueError(
            f"{path.name}: expected 0 or 1 separated by {separator!r}, as many in each line as in the first,"
            f" found {quoted} in line {line}"
        )
    return data


def _parse_libsvm(path, features):
    from sklearn.datasets import load_svmlight_file  # takes a second to import

    form = f"`label index:1 ...` with a small whole label, ascending indices from 1 to {features}, and values 0 or 1"
    contents = io.BytesIO(read_contents(path))
    try:
        rows, labels = load_svmlight_file(contents, n_features=features, zero_based=False)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{path.name}: expected {form} ({error})") from None
    if not np.isin(rows.data, (0, 1)).all():
        raise ValueError(f"{path.name}: expected {form}")
    return rows.astype(np.uint8).toarray(), _integers(labels, f"{path.name}: expected {form}")
