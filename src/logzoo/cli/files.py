"""Read RBMs and 0/1 data from files that a user passes to the command line, and describe any artifact.

A function that cannot use a file raises a one-line ValueError that names the file.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from logzoo.checks import binary_matrix
from logzoo.datasets.build import visible_matrix
from logzoo.io.atomic import resolved_output
from logzoo.io.file_kinds import file_kind
from logzoo.io.netcdf import read_artifact
from logzoo.io.reading import sha256_of
from logzoo.models.foreign import made_of, read_as, read_parameters
from logzoo.models.rbm import RBM, snapshots_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from logzoo.types import Bits, FilePath

_PROVENANCE = ("content_sha256", "source_sha256", "inputs_json", "parameters_json", "seed_path", "software_json")


def read_either(
    path: FilePath,
    names: str | Sequence[str] | None = None,
    spins: bool = False,
    transposed: bool | None = None,
    *,
    tell: Callable[[str], object] = warnings.warn,
) -> tuple[RBM, float]:
    """(RBM, constant in nats) of a file: log Z of the model in the file is log Z of the RBM plus the constant."""
    if spins:
        return read_as(RBM.from_spins, path, names, transposed, spins=True, tell=tell)
    return read_as(RBM, path, names, transposed, tell=tell), 0.0


def read_data(
    path: FilePath, split: str, *, visible: int | None = None, tell: Callable[[str], object] | None = None
) -> tuple[Bits, dict[str, Any]]:
    """A 0/1 matrix (examples, visible) and the attributes of its file.

    The rows are one split of a dataset artifact (.nc), or all rows of a matrix (.npy). A matrix has only the attribute
    `content_sha256`. tell: function that gets a line of text if the data are a stand-in for other data.
    """
    path = Path(path)
    if path.exists():
        file_kind(path)  # refuses folders and files that cannot be read
    if path.suffix.lower() == ".npy":
        matrix, attributes = _read_array(path)
    elif path.suffix.lower() == ".nc":
        dataset = read_artifact(path, "dataset")
        attributes = dataset.attrs
        try:
            if not np.array_equal(dataset["data"].attrs.get("value_scale", 1), 1):
                raise ValueError("expected zeros and ones only; binarise the data first")
            matrix = visible_matrix(dataset, split)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    else:
        raise ValueError(f"{path}: expected data in a .nc (artifact of kind dataset) or .npy (0/1 matrix) file")
    if tell is not None and "stand_in_for" in attributes:
        tell(f"{path}: a stand-in for {attributes['stand_in_for']}; logzoo info {path} prints the reason")
    return binary_matrix(str(path), matrix, visible=visible), attributes


def read_snapshots(paths: Iterable[FilePath], **settings: Any) -> list[RBM]:
    """A list of the RBMs in files, in order. A file is a snapshots artifact, or holds one RBM.

    settings: other arguments of `read_either`, for files with one RBM.
    """
    rbms = []
    for path in map(Path, paths):
        artifact = read_artifact(path) if path.suffix.lower() == ".nc" else None
        if artifact is not None and artifact.attrs["artifact_schema"].startswith("snapshots/"):
            rbms += snapshots_of(artifact)
        else:
            rbms.append(read_either(path, **settings)[0])
    return rbms


def file_label(path: FilePath) -> str:
    """The name of a file as an artifact stores it: UTF-8, with "_" for slashes, backslashes and colons."""
    return re.sub(r"[\\/:]", "_", os.fsencode(Path(path).name).decode("utf-8", "replace"))


def writable_model_file(path: FilePath, data: FilePath) -> Path:
    """`path` as a Path with links resolved; ValueError if a model trained on `data` cannot be written there."""
    path = Path(path)
    if path.suffix.lower() != ".nc":
        raise ValueError(f"{path}: expected the name of a .nc file to write the model to")
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"cannot write {path}: expected a path in UTF-8, which the NetCDF library needs") from None
    target = resolved_output(path)
    if _same(target, data):
        raise ValueError(f"cannot write {path}: it is the file of the training data; choose another name")
    return target


def check_checkpoint(path: FilePath | None, **others: FilePath | None) -> None:
    """Raise ValueError if the checkpoint is one of the other files {role: path}. An unset path is None."""
    for what, other in others.items():
        if path is not None and other is not None and _same(path, other):
            raise ValueError(f"--checkpoint: {path}: expected a file other than the {what.replace('_', ' ')}")


def _same(path, other):
    """Whether two paths lead to the same file, which may not exist yet."""
    both_exist = os.path.exists(path) and os.path.exists(other)
    return os.path.samefile(path, other) if both_exist else os.path.realpath(path) == os.path.realpath(other)


def description(
    path: FilePath, names: str | Sequence[str] | None = None, transposed: bool | None = None
) -> list[tuple[str, Any]]:
    """Pairs (label, text) on the content and origin of a file: any artifact, or an RBM in another format."""
    kind = file_kind(path)
    if kind != "NetCDF":
        parameters = read_parameters(path, names, transposed=transposed)
        rows = [("kind", f"model ({kind})")]
        rows += [("note", parameters.note)] if parameters.note else []
        rows += [("values of units", "-1 and +1")] if parameters.spins else []
        return rows + _model_rows(made_of(path, parameters, RBM))
    artifact = read_artifact(path)
    attributes = artifact.attrs
    kind = attributes["artifact_schema"].partition("/")[0]
    rows = [("kind", kind), ("title", attributes.get("title", "none"))]
    if "stand_in_for" in attributes:
        reason = attributes.get("stand_in_reason", "no reason given")
        rows.append(("stand-in", f"NOT {attributes['stand_in_for']}: {reason}"))
    rows.append(("dimensions", ", ".join(f"{name} {size}" for name, size in artifact.sizes.items()) or "none"))
    del artifact  # so that a large model is not in memory twice
    rows += _model_rows(read_either(path, names, transposed=transposed)[0]) if kind == "model" else []
    return rows + [
        (name.removesuffix("_json").replace("_", " "), attributes.get(name) or "none") for name in _PROVENANCE
    ]


def _model_rows(rbm):
    arrays = {"weights": rbm.weights, "visible bias": rbm.visible_bias, "hidden bias": rbm.hidden_bias}
    ranges = {name: f"{a.min():.4g} to {a.max():.4g}, mean {a.mean():.4g}" for name, a in arrays.items()}
    return [("units", f"{rbm.visible} visible x {rbm.hidden} hidden"), *ranges.items()]


def _read_array(path):
    if not path.is_file():
        raise ValueError(f"{path}: no such file (expected a .npy file)")
    try:
        array = np.load(path, allow_pickle=False)
    except Exception:  # numpy raises errors of many types for damaged files
        array = None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path}: not a readable .npy file (expected a matrix of numbers)")
    return array, {"content_sha256": sha256_of(path)}
