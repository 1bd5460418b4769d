"""Parameters of RBMs in files of any known format, and in dicts of arrays such as state dicts of PyTorch.

The first bytes or the suffix of a file select the reader (`logzoo.io.file_kinds`). No pickle is run: from a PyTorch
file only tensors are loaded. HDF5 files may be checkpoints of the package rbms (github.com/DsysDML/rbms, `save_model`).
"""

import contextlib
import math
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from logzoo.checks import without_torch
from logzoo.io.array_files import check_compressed, list_arrays, list_matrices, load_by, read_arrays, read_matrices
from logzoo.io.checkpoints import is_checkpoint
from logzoo.io.file_kinds import ADVICE, file_kind
from logzoo.io.reading import Header, check_unpacked
from logzoo.models.roles import assigned, three_names
from logzoo.types import Array, FilePath

Model = TypeVar("Model")

_NO_NUMBERS = np.dtype(object)
# Model types of the package rbms: {type: whether its units are -1 and +1}.
_SPINS = {"BBRBM": False, "IIRBM": True}


class Parameters(NamedTuple):
    """The parameters of the RBM in a file, and the assumptions of the reader."""

    weights: np.ndarray  # (visible, hidden)
    visible_bias: np.ndarray
    hidden_bias: np.ndarray
    spins: bool | None  # whether the units are -1 and +1; None if the file does not state it
    note: str  # the assumptions, or ""


def read_parameters(
    path: FilePath, names: str | Sequence[str] | None = None, *, transposed: bool | None = None
) -> Parameters:
    """Parameters in a file of any known format. Raises a one-line ValueError with the path for other files.

    names, transposed: as in `logzoo.models.roles.assigned`; biases may be rows or columns. Arrays in groups, structs
    and dicts are named by paths. The last checkpoint in a file of rbms is read; names such as "update_7/params/vbias"
    select another checkpoint.
    """
    path, names = Path(path), None if names is None else three_names(names)
    kind = file_kind(path)
    try:
        if kind not in READERS:
            raise ValueError(ADVICE[kind].format(path=path.name))
        if names is None and is_checkpoint(path):
            raise ValueError(
                "found a checkpoint of unfinished work, which the same command continues; "
                "to read its parameters as they are, name them (--names, in Python names=)"
            )
        arrays, load, spins = READERS[kind](path, names)
        if kind == "NetCDF" and transposed:
            raise ValueError("the weights of an artifact are (visible, hidden): leave --transposed out")
        roles, turned, note = assigned(arrays, names, False if kind == "NetCDF" else transposed)
        # All numbers become float64, which takes 8 bytes each.
        check_unpacked(path, sum(8 * math.prod(arrays[name].shape) for name in roles))
        weights, *biases = load(roles)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Parameters(
        weights.T if turned else weights, *map(np.ravel, biases), spins=spins, note=note and f"{path}: {note}"
    )


def read_as(
    make: Callable[[Array, Array, Array], Model],
    path: FilePath,
    names: str | Sequence[str] | None = None,
    transposed: bool | None = None,
    *,
    spins: bool = False,
    tell: Callable[[str], object],
) -> Model:
    """Read parameters from a file, and return make(weights, visible bias, hidden bias).

    spins: whether the units are -1 and +1; otherwise they are 0 and 1. names, transposed: as for `read_parameters`.
    tell(line) is called with any assumptions. Raises a one-line ValueError that names the file, also if the file
    states other units.
    """
    parameters = read_parameters(path, names, transposed=transposed)
    if parameters.note:
        tell(parameters.note)
    if parameters.spins is (not spins):
        if spins:
            raise ValueError(f"{path}: its units are 0 and 1: leave out --spins (in Python: RBM.load)")
        raise ValueError(f"{path}: its units are -1 and +1: pass --spins (in Python: RBM.load_spins)")
    return made_of(path, parameters, make)


def made_of(path: FilePath, parameters: Parameters, make: Callable[[Array, Array, Array], Model]) -> Model:
    """Return make(weights, visible bias, hidden bias); a ValueError of `make` gets the name of the file."""
    try:
        return make(*parameters[:3])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parameters_of(
    content: Any, names: str | Sequence[str] | None = None, *, transposed: bool | None = None
) -> Parameters:
    """Parameters in a dict, possibly nested, of arrays or tensors; arguments as in `read_parameters`."""
    arrays = flattened(content)
    if not arrays:
        raise ValueError("expected a dict of arrays or tensors, found neither; convert lists by np.array")
    roles, turned, note = assigned(arrays, None if names is None else three_names(names), transposed)
    weights, *biases = (arrays[name] for name in roles)
    return Parameters(weights.T if turned else weights, *map(np.ravel, biases), spins=None, note=note)


def flattened(content: Any) -> dict[str, np.ndarray]:
    """The arrays in nested dicts and lists, {"outer.inner.0": array}; tensors become arrays."""
    if not isinstance(content, Mapping | list | tuple):
        raise ValueError(f"expected a dict of arrays, found {type(content).__name__}")
    arrays = {}
    for key, value in content.items() if isinstance(content, Mapping) else enumerate(content):
        if isinstance(value, np.ndarray) and value.dtype == _NO_NUMBERS:
            value = value.ravel().tolist()
        if isinstance(value, Mapping | list | tuple):
            arrays |= {f"{key}.{name}": array for name, array in flattened(value).items()}
        elif hasattr(value, "shape"):
            arrays[str(key)] = np.asarray(without_torch(value))
    return arrays


_FITTED = ("components_", "intercept_visible_", "intercept_hidden_")


def fitted_arrays(model: Any) -> dict[str, np.ndarray]:
    """Parameters {name: array} of a fitted BernoulliRBM, or of a Pipeline that ends in one; otherwise ValueError."""
    last = model.steps[-1][1] if getattr(model, "steps", None) else model
    missing = [name for name in _FITTED if not hasattr(last, name)]
    if missing:
        what = type(model).__name__ + (f" that ends in {type(last).__name__}" if last is not model else "")
        expected = "a fitted BernoulliRBM, a fitted Pipeline that ends in one, or the step of a Pipeline: model['rbm']"
        raise ValueError(f"{what}: expected {expected}; found no {missing[0]}")
    return {name: np.asarray(getattr(last, name)) for name in _FITTED}


def _has_matrix(arrays):
    return any(
        len(array.shape) == 2 and min(array.shape) > 1 and array.dtype.kind in "biuf" for array in arrays.values()
    )


def _loaded(content):
    """The result of a reader (see READERS) for arrays in memory."""
    arrays = flattened(content)
    return arrays, lambda roles: [arrays[name] for name in roles], None


def _artifact(path, _names):
    from logzoo.io.netcdf import read_artifact

    try:
        variables = read_artifact(path, "model").variables
    except ValueError as error:
        hint = "; plain arrays are read from a copy named .h5" if "no seal" in str(error) else ""
        raise ValueError(str(error).removeprefix(f"{path}: ") + hint) from None
    return variables, lambda roles: [variables[name].values for name in roles], False


def _matlab(path, names):
    arrays = list_matrices(path)
    structs = any("." in name for name in names) if names else not _has_matrix(arrays)
    if structs and any(array.dtype == _NO_NUMBERS for array in arrays.values()):
        check_compressed(path)
        return _loaded({name: _plain(value) for name, value in load_by("scipy.io", "loadmat", path).items()})
    return arrays, lambda roles: read_matrices(path, roles).values(), None


def _plain(value):
    """MATLAB structs as dicts, and cells and arrays of structs as lists; a single element is not a list.

    The option simplify_cells of SciPy would also turn matrices with one row or column into vectors and numbers.
    """
    if not isinstance(value, np.ndarray) or not (value.dtype.names or value.dtype == _NO_NUMBERS):
        return value
    fields = value.dtype.names
    items = [{name: _plain(item[name]) for name in fields} if fields else _plain(item) for item in value.ravel()]
    return items[0] if len(items) == 1 else items


def _newer_matlab(path, names):
    # MATLAB 7.3 files are HDF5 and store the columns of MATLAB as rows. Names with dots are those of older files.
    separator = "." if names and any("." in name for name in names) else "/"
    arrays, load, spins = _hdf5(path, names)
    turned = {name.replace("/", separator): array._replace(shape=array.shape[::-1]) for name, array in arrays.items()}
    return turned, lambda roles: [array.T for array in load([role.replace(separator, "/") for role in roles])], spins


def _numpy(path, _names):
    def load(name):
        try:
            with np.load(path, allow_pickle=False) as stored:
                return stored[name]
        except Exception:  # numpy raises errors of many types for damaged files
            raise ValueError(f"not a readable .npz file (damaged: {name!r:.40})") from None

    try:
        with np.load(path, allow_pickle=False) as stored:
            headers = [(name, _header(stored.zip, name)) for name in stored.files]
    except Exception:
        raise ValueError("not a readable .npz file (expected arrays of numbers)") from None
    if len(dict(headers)) < len(headers):
        raise ValueError("expected arrays of different names, found two of the same name")
    return dict(headers), lambda roles: map(load, roles), None


def _header(archive, name):
    """Shape and type of an array in a .npz file, without reading its values."""
    member = archive.NameToInfo.get(f"{name}.npy") or archive.NameToInfo[name]
    # NumPy uses only these two methods. Other methods of compression may need unlimited memory to unpack a byte.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("packed in another way")
    with archive.open(member) as file:
        try:
            version, _ = np.lib.format.read_magic(file)
            # Versions after 2 differ only in names of fields, which arrays of numbers do not have.
            parse = np.lib.format.read_array_header_1_0 if version == 1 else np.lib.format.read_array_header_2_0
            shape, _, dtype = parse(file)
        except ValueError:
            return Header((), _NO_NUMBERS)
        return Header(shape, dtype)


def _hdf5(path, names):
    stored, kind = list_arrays(path, "model_type")
    if kind not in {None, *_SPINS}:
        raise ValueError(f"expected units of two values (model type {' or '.join(_SPINS)}), found {kind!r:.40}")
    updates = [match for name in stored if (match := re.match(r"update_(\d{1,18})/(params/)?", name))]
    folder = ""
    if names is None and updates:
        folder = max(updates, key=lambda match: (int(match[1]), match.end()))[0]
    inside = {name.removeprefix(folder): array for name, array in stored.items() if name.startswith(folder)}
    root = {name: array for name, array in inside.items() if "/" not in name}
    arrays = root if names is None and _has_matrix(root) else inside
    return arrays, lambda roles: read_arrays(path, [folder + name for name in roles]), _SPINS.get(kind or "")


def _torch(path, _names):
    # Before torch 2.6 a file could run code despite weights_only (CVE-2025-32434).
    with contextlib.suppress(PackageNotFoundError):
        installed = version("torch")
        if tuple(map(int, installed.split(".")[:2])) < (2, 6):
            raise ValueError(f"this file needs torch 2.6 or later, found {installed}: pip install --upgrade torch")
    return _loaded(load_by("torch", "load", path, map_location="cpu", weights_only=True))


# A reader for each kind of file that can be read. It returns arrays {name: object with .shape and .dtype}, a function
# that loads the arrays of a list of names, and whether units are spins.
READERS = {
    "HDF5": _hdf5,
    "MATLAB": _matlab,
    "MATLAB 7.3": _newer_matlab,
    "NetCDF": _artifact,
    "NumPy": _numpy,
    "PyTorch": _torch,
    "safetensors": lambda path, _: _loaded(load_by("safetensors.numpy", "load_file", path)),
    "skops": lambda path, _: _loaded(fitted_arrays(load_by("skops.io", "load", path))),
}
