"""Build datasets in memory: read or draw examples, check them, and add CF attributes."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from logzoo.datasets.readers import SPLITS, one_hot, read_digits, read_idx, read_libsvm, read_matlab, read_text
from logzoo.datasets.toy import read_toy
from logzoo.io.schema import labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from logzoo.types import FilePath

LOG = logging.getLogger(__name__)
VALUE_SCALES = {"binary": 1, "grey": 255}


READERS = {
    "idx": read_idx,
    "text": read_text,
    "libsvm": read_libsvm,
    "matlab": read_matlab,
    "digits": read_digits,
    "toy": read_toy,
    # The module is imported by name, so that the code digests of other data sets do not cover models.
    "known": lambda paths, options: resolve_name("logzoo.datasets.known:read_known")(paths, options),
}


def build_dataset(name: str, entry: Mapping[str, Any], folder: FilePath) -> xr.Dataset:
    """Read one dataset from its raw files in `folder`, or draw it, and check it against its entry.

    Returns `data` (example, visible) uint8, `split` (example) int8 and, if there are labels, `label` (example) int16,
    in the order train, validation, test. If the entry has `label_units`, the last `label_units` visible units are a
    one-hot label. Raises a one-line ValueError for missing files, data that do not fit the entry, and an unknown
    reader.
    """
    paths = {file: Path(folder) / file for file in entry["files"]}
    missing = [file for file, path in paths.items() if not path.is_file()]
    if missing:
        remedy = f"remove {Path(folder, 'manifest.json')} to fetch them again"
        raise ValueError(f"{name}: raw files are missing: {', '.join(missing)}; {remedy}")
    parts = READERS[entry["reader"]](paths, entry["options"])
    units = entry.get("label_units", 0)
    for split in SPLITS:
        _check(name, entry, units, split, parts.data[split], parts.labels[split])
    data = np.concatenate([parts.data[split] for split in SPLITS])
    if units:
        labels = np.concatenate([one_hot(name, parts.labels[split], units) for split in SPLITS])
        data = np.hstack([data, labels * np.uint8(VALUE_SCALES[entry["values"]])])
    checksum = hashlib.sha256(data.data).hexdigest()
    if entry.get("array_sha256", checksum) != checksum:
        raise ValueError(f"{name}: expected an array with sha256 {entry['array_sha256']}, found {checksum}")
    return _labelled(name, entry, data, parts)


def stand_in(name: str, entry_of_digits: Mapping[str, Any], reason: str) -> xr.Dataset:
    """The 8 x 8 digits, built from their entry and marked as a stand-in for a dataset that is not available."""
    LOG.warning("%s: the 8 x 8 digits stand in for it: %s", name, reason)
    dataset = build_dataset("digits", entry_of_digits, Path())
    title = f"Stand-in for {name}: {dataset.attrs['title']}"
    return dataset.assign_attrs(title=title, stand_in_for=name, stand_in_reason=reason)


def visible_matrix(dataset: xr.Dataset, split: str | None = None) -> np.ndarray:
    """The examples (examples, visible) of one split or of all splits: uint8 0/1, or float32 in [0, 1] for grey levels.

    Raises ValueError for an unknown or empty split.
    """
    data = dataset["data"].values
    if split is not None:
        if split not in SPLITS:
            raise ValueError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
        data = data[dataset["split"].values == SPLITS.index(split)]
    if not len(data):
        raise ValueError(f"{dataset.attrs.get('dataset', 'dataset')}: no examples in split {split or 'all'}")
    scale = int(dataset["data"].attrs.get("value_scale", 1))
    return data if scale == 1 else data.astype(np.float32) / np.float32(scale)


def label_units(dataset: xr.Dataset) -> int:
    """Number of visible units at the end that hold the one-hot label. Raises ValueError if there is no label."""
    if "label_units" not in dataset.attrs:
        name = dataset.attrs.get("dataset", "dataset")
        raise ValueError(f"{name}: expected a data set whose last visible units are the label, found no label_units")
    return int(dataset.attrs["label_units"])


def _check(name, entry, units, split, data, labels):
    rows, inputs = entry["splits"][split], entry["visible"] - units
    if data.shape != (rows, inputs) or not data.size:
        expected = f"{rows} {split} examples (at least one) of {inputs} values"
        raise ValueError(f"{name}: expected {expected}, found an array of shape {data.shape}")
    if labels is not None and len(labels) != len(data):
        raise ValueError(f"{name}: expected {len(data)} labels of {split} examples, found {len(labels)}")
    if entry["values"] == "binary" and data.max() > 1:
        raise ValueError(f"{name}: expected values 0 or 1 in {split}, found {data.max()}")


def _labelled(name, entry, data, parts):
    numbers = np.arange(len(SPLITS), dtype=np.int8)
    split = np.repeat(numbers, [len(parts.data[part]) for part in SPLITS])
    variables = {
        "data": labelled(("example", "visible"), data, "visible units of each example", "1"),
        "split": labelled("example", split, "split that the example belongs to", "1"),
    }
    dataset = xr.Dataset(variables).assign_attrs(title=entry["title"], licence=entry["licence"])
    dataset.attrs |= {"source_citation": entry["citation"], "dataset": name, "values": entry["values"]}
    dataset.attrs |= {key: entry[key] for key in ("comment", "label_units") if key in entry}
    dataset["data"].attrs["value_scale"] = VALUE_SCALES[entry["values"]]
    dataset["split"].attrs.update(flag_values=numbers, flag_meanings=" ".join(SPLITS))
    labels = [parts.labels[part] for part in SPLITS]
    if all(part is not None for part in labels):
        classes = np.concatenate(labels).astype(np.int16)
        dataset["label"] = labelled("example", classes, "class of the example", "1")
    return dataset
