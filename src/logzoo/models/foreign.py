"""Parameters of other people's RBMs: files of MATLAB (.mat), NumPy (.npz), and HDF5 (.h5, .hdf5).

HDF5: checkpoints of the Python package rbms (github.com/DsysDML/rbms, `save_model`), or arrays at the root; MATLAB 7.3
files are HDF5, too. No pickle is read, and nothing of a file is run. Weights and biases are found by their names, known
or given, else by their shapes.
"""

import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logzoo.io.array_files import list_arrays, list_matrices, read_arrays, read_matrices
from logzoo.io.reading import Header, check_unpacked
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
    updates = [match for name in stored if (match := re.match(r"update_(\d{1,18})/(params/)?", name))]
    folder = ""
    if names is None and updates:
        folder = max(updates, key=lambda match: (int(match[1]), match.end()))[0]
    inside = {name.removeprefix(folder): array for name, array in stored.items() if name.startswith(folder)}
    arrays = {name: array for name, array in inside.items() if names or "/" not in name}
    return arrays, lambda roles: read_arrays(path, [folder + name for name in roles]), _SPINS.get(kind or "")


# How each suffix is read: arrays {name: has .shape and .dtype}, what loads some by name, and whether units are spins.
READERS = {".mat": _matlab, ".npz": _numpy, ".h5": _hdf5, ".hdf5": _hdf5}


# Names of weights, visible bias, hidden bias: ours, those of the MATLAB files, and those of the package rbms.
KNOWN = (
    ("weights", "visible_bias", "hidden_bias"),
    ("vishid", "visbiases", "hidbiases"),
    ("weight_matrix", "vbias", "hbias"),
)
# What is left of names of biases, by layer; and what two of them say where weights are (hidden, visible).
_LAYERS = {"visible": ("v", "bv", "vb", "vis", "visible"), "hidden": ("h", "bh", "hb", "hid", "hidden")}
_TURNED = {("hidden", "visible"), ("hidden", ""), ("", "visible")}
# Parts of the names of weights to label units, which an RBM of two layers lacks.
_LABELS = ("lab", "class")
ASK = "name all three: --names WEIGHTS,VISIBLE_BIAS,HIDDEN_BIAS"
_SHOWN, _LETTERS = 6, 32


def three_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """`names` (a text "W,a,b", or three) as a tuple: weights, visible bias, hidden bias. ValueError for any others."""
    split = tuple(names.split(",") if isinstance(names, str) else names)
    if len(split) != 3 or len(set(split)) != 3 or not all(isinstance(name, str) and name for name in split):
        expected = "three different names, of weights, visible bias and hidden bias"
        raise ValueError(f"names: expected {expected}, found {names!r:.200}")
    return split


def assigned(arrays: Mapping[str, Any], names: Sequence[str] | None = None) -> tuple[Sequence[str], bool, str]:
    """Names of weights, visible bias and hidden bias among `arrays` {name: has .shape and .dtype}; how they were told.

    names: those three, else the known ones, else by shape: one matrix and two vectors that fit its sides, rows being
    visible units. Returns (names, whether the weights are (hidden, visible), a note on what was guessed, or ""). A
    vector has at most one side above 1. Raises ValueError where names or shapes leave it open, and for what is no array
    of real numbers.
    """
    whole = [names] if names else [known for known in KNOWN if set(known) <= set(arrays)]
    if not whole:
        return _guessed(arrays)
    if len(whole) > 1:
        raise ValueError(f"expected one model, found {' and '.join(map(_quoted, whole))}; {ASK}")
    named = whole[0]
    missing = [name for name in named if name not in arrays]
    if missing:
        raise ValueError(f"expected the arrays {_quoted(named)}, missing {_quoted(missing)}, found {_listed(arrays)}")
    for name in named:
        if arrays[name].dtype.kind not in "biuf":
            raise ValueError(f"{_quoted([name])}: expected real numbers, found {arrays[name].dtype.name}")
    weights, *biases = (arrays[name].shape for name in named)
    for name, shape in zip(named[1:], biases, strict=True):
        if not _is_vector(shape):
            raise ValueError(f"{_quoted([name])}: expected a vector, found {_sides(shape)}")
    visible, hidden = map(math.prod, biases)
    transposed = visible != hidden and weights == (hidden, visible)
    notes = [f"{_described(named[0], arrays)} is taken as (hidden, visible): so the biases fit it"] * transposed
    left = [name for name in arrays if name not in named and any(part in name.lower() for part in _LABELS)]
    if left:
        notes.append(f"{_quoted(left)}: not read; label units are visible units: join what they have to those")
    return named, transposed, "; ".join(notes)


def _guessed(arrays):
    real = {name: array.shape for name, array in arrays.items() if array.dtype.kind in "biuf"}
    matrices = [name for name, shape in real.items() if len(shape) == 2 and min(shape) > 1]
    known = " or ".join(", ".join(names) for names in KNOWN)
    expected = f"expected the arrays {known}, or one matrix and two vectors that fit its sides"
    if len(matrices) != 1:
        raise ValueError(f"{expected}, found {_listed(arrays)}; {ASK}")
    rows, columns = real[matrices[0]]
    lengths = {name: math.prod(shape) for name, shape in real.items() if _is_vector(shape)}
    visible, hidden = ([name for name in lengths if lengths[name] == side] for side in (rows, columns))
    if rows == columns and len(visible) > 1:
        raise ValueError(f"{_described(matrices[0], arrays)} is square, which tells no bias from the other; {ASK}")
    if len(visible) != 1 or len(hidden) != 1 or rows == columns:
        raise ValueError(f"{expected}, found {_listed(arrays)}; {ASK}")
    # Rows are the visible units, unless the biases are named the other way round.
    turned = (_layer_of(visible[0]), _layer_of(hidden[0])) in _TURNED
    names = (matrices[0], *((hidden[0], visible[0]) if turned else (visible[0], hidden[0])))
    sides = "(hidden, visible)" if turned else "(visible, hidden)"
    roles = zip((f"weights {sides}", "visible bias", "hidden bias"), names, strict=True)
    note = ", ".join(f"{_described(name, arrays)} as the {role}" for role, name in roles)
    return names, turned, f"guessed from the shapes{' and names' * turned}: {note}; if wrong, {ASK}"


def _layer_of(bias):
    """The layer in the name of a bias, as in v_bias, hbias, bv and visbiases; "" if there is none."""
    word = re.sub("[^a-z]|bias(es)?", "", re.split("[/.]", bias.lower())[-1])
    return next((layer for layer, names in _LAYERS.items() if word in names), "")


def _is_vector(shape):
    return max(shape, default=1) == math.prod(shape)


def _described(name, arrays):
    return f"{_quoted([name])} ({_sides(arrays[name].shape)})"


def _listed(arrays):
    more = [f"{len(arrays) - _SHOWN} more"] if len(arrays) > _SHOWN else []
    return ", ".join([_described(name, arrays) for name in list(arrays)[:_SHOWN]] + more) or "none"


def _quoted(names):
    return ", ".join(repr(name if len(name) <= _LETTERS else f"{name[:_LETTERS]}...") for name in names)


def _sides(shape):
    return " x ".join(map(str, shape)) or "a single number"
