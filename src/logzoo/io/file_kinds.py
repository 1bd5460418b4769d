"""The kind of a file by its first bytes, and advice for files that logzoo does not read."""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from logzoo.io.reading import open_regular

if TYPE_CHECKING:
    from logzoo.types import FilePath

# Last 4 of the 128 bytes of a MATLAB header: version and byte order.
_MATLAB = {b"\0\1IM": "MATLAB", b"\1\0MI": "MATLAB", b"\0\2IM": "MATLAB 7.3"}
_STARTS = {
    b"\x89HDF\r\n\x1a\n": "HDF5",
    b"HDF5-based Julia Data Format": "JLD2",
    b"\x93NUMPY": "NumPy array",
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.": "PyTorch",  # before version 1.6
    **dict.fromkeys((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), "pickle"),
    **dict.fromkeys((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"x\x9c", b"x\x01", b"x^", b"x\xda"), "compressed"),
}
# Kinds by suffix, for files whose first bytes are unknown. The reader of the kind refuses other files.
_BY_SUFFIX = {".nc": "NetCDF", ".npz": "NumPy", ".npy": "NumPy array", ".mat": "MATLAB", ".h5": "HDF5", ".hdf5": "HDF5"}
_BY_SUFFIX |= {".pt": "PyTorch", ".pth": "PyTorch", ".safetensors": "safetensors", ".skops": "skops"}
_BY_SUFFIX |= dict.fromkeys((".pkl", ".pickle", ".joblib"), "pickle")
_BY_SUFFIX |= dict.fromkeys((".csv", ".tsv", ".txt", ".json"), "text")
_SAVE = "np.savez('model.npz', weights=W, visible_bias=c, hidden_bias=b)"
ADVICE = {
    "pickle": "reading a pickle runs any program in it; if you trust it, in Python: "
    "import joblib; RBM.from_sklearn(joblib.load({path!r})).save('model.nc'), or RBM.from_torch of a dict of arrays",
    "compressed": "a compressed file: unpack it first; if it is from joblib and you trust it, in Python: "
    "RBM.from_sklearn(joblib.load({path!r})).save('model.nc')",
    "NumPy array": f"one array of NumPy, but an RBM has three: {_SAVE}; pass data of zeros and ones to --data or to "
    "logzoo train",
    "JLD2": "a file of Julia; in Julia: using NPZ; "
    'npzwrite("model.npz", Dict("weights" => W, "visible_bias" => c, "hidden_bias" => b))',
    "text": f"a text file; in Python read its numbers by np.loadtxt, then {_SAVE}",
    "unknown": "expected an RBM in a .nc, .npz, .mat, .h5, .safetensors, .pt or .skops file, found none of these; in "
    f"Python: {_SAVE}",
}


def file_kind(path: FilePath) -> str:
    """The kind of a file by its first bytes, otherwise by its suffix, otherwise "unknown".

    Raises a one-line ValueError that names the file if it is missing, not regular or not readable.
    """
    path = Path(path)
    if not path.exists() or path.is_dir():
        raise ValueError(f"{path}: {'expected a file, found a folder' if path.is_dir() else 'no such file'}")
    try:
        with open_regular(path) as file:
            start = file.read(128)
    except PermissionError:
        raise ValueError(f"{path}: no permission to read it") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    kind = _MATLAB.get(start[124:]) or next((kind for begin, kind in _STARTS.items() if start.startswith(begin)), None)
    if start.startswith(b"PK\3\4"):
        names = []
        # The reader that the suffix selects reports a damaged archive.
        with contextlib.suppress(Exception), zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        torch, skops = any(name.endswith("/data.pkl") for name in names), "schema.json" in names
        kind = "PyTorch" if torch else "skops" if skops else "NumPy" if names else None
    elif start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= path.stat().st_size:
        kind = "safetensors"
    by_suffix = _BY_SUFFIX.get(path.suffix.lower(), "unknown")
    # Artifacts of logzoo are HDF5 files, too; their suffix distinguishes them.
    return by_suffix if kind is None or (kind, by_suffix) == ("HDF5", "NetCDF") else kind
