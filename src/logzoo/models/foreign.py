"""Parameters of other people's RBMs: files of MATLAB (.mat), NumPy (.npz), and HDF5 (.h5, .hdf5).

HDF5: checkpoints of the Python package rbms (github.com/DsysDML/rbms, `save_model`), or arrays at the root; MATLAB 7.3
files are HDF5, too. No pickle is read, and nothing of a file is run.
"""

from __future__ import annotations

import math
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.io.array_files import list_arrays, list_matrices, read_arrays, read_matrices
from logzoo.io.reading import Header, check_unpacked
from logzoo.models.roles import assigned, three_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logzoo.types import FilePath

_NO_NUMBERS = np.dtype(object)
# Types of models of the package rbms: whether their units are -1 and +1.
_SPINS = {"BBRBM": False, "IIRBM": True}


class Parameters(NamedTuple):
    """What a file says of an RBM."""

    weights: np.ndarray  # (visible, hidden)
    visible_bias: np.ndarray
    hidden_bias: np.ndarray
    spins: bool | None  # whether its units are -1 and +1; None where the file does not say
    note: str  # what was guessed, or ""


def read_foreign(path: FilePath, names: str | Sequence[str] | None = None, *, suffix: str | None = None) -> Parameters:
    """Parameters in a file that is not ours. Raises ValueError, one line that names the file.

    names: of weights, visible bias and hidden bias; None: known ones, or a guess by shape. suffix: the format, where it
    is not that of the path. Weights are turned to (visible, hidden) where the biases fit only so; biases may be rows or
    columns. Of the checkpoints of rbms the last is read, or that whose arrays are named: "update_7/params/vbias".
    """
    path, names = Path(path), None if names is None else three_names(names)
    suffix = suffix or path.suffix.lower()
    if not path.is_file():
        raise ValueError(f"{path}: no such file (expected a {suffix} file)")
    try:
        arrays, load, spins = READERS[suffix](path, names)
        roles, transposed, note = assigned(arrays, names)
        # Numbers of every type become float64.
        check_unpacked(path, sum(8 * math.prod(arrays[name].shape) for name in roles))
        weights, *biases = load(roles)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Parameters(
        weights.T if transposed else weights, *map(np.ravel, biases), spins=spins, note=note and f"{path}: {note}"
    )


def _matlab(path, names):
    with path.open("rb") as file:
        newer = file.read(128)[124:] == b"\0\2IM"
    if newer:  # version 7.3 is HDF5, which stores the columns of MATLAB as rows
        arrays, load, spins = _hdf5(path, names)
        turned = {name: array._replace(shape=array.shape[::-1]) for name, array in arrays.items()}
        return turned, lambda roles: [array.T for array in load(roles)], spins
    return list_matrices(path), lambda roles: read_matrices(path, roles).values(), None


def _numpy(path, _names):
    def load(name):
        try:
            with np.load(path, allow_pickle=False) as stored:
                return stored[name]
        except Exception:  # numpy raises whatever a damaged file happens to break
            raise ValueError(f"not a readable .npz file (damaged: {name!r:.40})") from None

    try:
        with np.load(path, allow_pickle=False) as stored:
            twice = len(set(stored.files)) < len(stored.files)
            arrays = {} if twice else {name: _header(stored.zip, name) for name in stored.files}
    except Exception:
        raise ValueError("not a readable .npz file (expected arrays of numbers)") from None
    if twice:
        raise ValueError("expected one array of each name, found some twice")
    return arrays, lambda roles: map(load, roles), None


def _header(archive, name):
    """Shape and type of an array in a .npz file; its values, which may be many, stay where they are."""
    member = archive.NameToInfo.get(f"{name}.npy") or archive.NameToInfo[name]
    # What NumPy writes; others may ask for any memory to unpack a byte.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("packed in another way")
    with archive.open(member) as file:
        if not file.peek(6).startswith(np.lib.format.MAGIC_PREFIX):
            return Header((), _NO_NUMBERS)
        version = np.lib.format.read_magic(file)
        # The third version differs in the names of fields alone, and numbers have none.
        read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}.get(version[0])
        if read is None:
            return Header((), _NO_NUMBERS)
        shape, _, dtype = read(file)
        return Header(shape, dtype)


def _hdf5(path, names):
    stored, kind = list_arrays(path, "model_type")
    if kind not in {None, *_SPINS}:
        raise ValueError(f"expected a model of type {' or '.join(_SPINS)}, units of two values, found {kind!r:.40}")
    updates = [found for name in stored if (found := re.match(r"update_(\d{1,18})/(params/)?", name))]
    folder = ""
    if names is None and updates:
        folder = max(updates, key=lambda found: (int(found[1]), found.end()))[0]
    inside = {name.removeprefix(folder): array for name, array in stored.items() if name.startswith(folder)}
    arrays = {name: array for name, array in inside.items() if names or "/" not in name}
    return arrays, lambda roles: read_arrays(path, [folder + name for name in roles]), _SPINS.get(kind or "")


# How each suffix is read: arrays {name: has .shape and .dtype}, what loads some by name, and whether units are spins.
READERS = {".mat": _matlab, ".npz": _numpy, ".h5": _hdf5, ".hdf5": _hdf5}
