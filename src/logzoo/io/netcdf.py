"""Artifacts: NetCDF files with their provenance, a hash of their content, and a seal.

The seal is a hash of all other bytes, at the end of the file, where the HDF5 library ignores it. The seal is checked
first, because the HDF5 library may crash or loop on a damaged file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
import xarray

from logzoo.io import schema
from logzoo.io.atomic import written_whole
from logzoo.io.provenance import software_versions
from logzoo.io.reading import check_unpacked, most_unpacked, open_regular

if TYPE_CHECKING:
    from logzoo.types import FilePath

# The HDF5 library is not thread-safe: two threads that use it at the same time crash the process.
_HDF5_LOCK = threading.RLock()
# Variables of up to this many bytes are not compressed: the chunk index would cost more than compression saves.
COMPRESS_BYTES = 2**12
# Smallest number of bytes that a string takes in memory: a Python object, and a copy by the NetCDF library.
_STRING_BYTES = 100
# A JSON string that starts like an absolute path.
_ABSOLUTE_PATH = re.compile(r'(?<!\\)"(/|\\\\|[A-Za-z]:(/|\\\\))[^"]*')
# Types of numbers that NetCDF returns unchanged. Variables may also be bool; attributes may not.
_NUMBERS = {"float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


def write_artifact(
    dataset: xarray.Dataset, path: FilePath, *, kind: str, parameters: Any, source: str, inputs: Any, seed_path: str
) -> None:
    """Write a dataset with its provenance, whole or not at all, and verify the file by reading it back.

    source: a `source_digest`. inputs: {path: hash}. seed_path: name of the random stream. Equal arguments and
    software give equal bytes. An existing file is replaced in one step. Raises ValueError for a missing folder,
    absolute paths, and contents that the schema or NetCDF forbids. Raises an OSError if the file cannot be written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {path.parent}")
    schema.check(dataset, kind)
    artifact = dataset.drop_encoding().assign_attrs(
        Conventions="CF-1.11",
        artifact_schema=f"{kind}/1",
        parameters_json=_portable_json(parameters, "parameters"),
        source_sha256=source,
        inputs_json=_portable_json(inputs, "inputs"),
        seed_path=seed_path,
        software_json=_portable_json(software_versions(), "software versions"),
    )
    _portable_json(seed_path, "seed_path")
    artifact.attrs["content_sha256"] = content_sha256(artifact)
    with written_whole(path) as temporary, _HDF5_LOCK:
        artifact.to_netcdf(temporary, engine="netcdf4", encoding=_encoding(artifact))
        if artifact.nbytes > most_unpacked(temporary):
            artifact.to_netcdf(temporary, engine="netcdf4", encoding=_encoding(artifact, packed=False))
        seal(temporary)
        if content_sha256(load_raw(temporary)) != artifact.attrs["content_sha256"]:
            raise ValueError(f"cannot write {path}: the file differs when read back")


def read_artifact(path: FilePath, kind: str | None = None) -> xarray.Dataset:
    """Read an artifact into memory and close the file; values and attributes are as they were written.

    kind: the expected kind; by default any kind. The bytes of the file are verified before the NetCDF library reads
    them. Raises a one-line ValueError that names the file if it is missing, damaged, edited or of another kind.
    """
    path = Path(path)
    wanted = _with_article(kind or "logzoo")
    if not path.is_file():
        raise ValueError(f"{path}: no such file (expected {wanted})")
    try:
        check_seal(path)
        dataset = load_raw(path)
    except Exception as error:  # the NetCDF library raises errors of a dozen types
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise ValueError(f"{path}: {reason} (expected {wanted})") from error
    declared, _, version = str(dataset.attrs.get("artifact_schema", "")).partition("/")
    if declared not in schema.SCHEMAS or version != "1":
        raise ValueError(f"{path}: not a logzoo artifact (expected {wanted}, schema version 1)")
    if kind not in (None, declared):
        raise ValueError(f"{path}: expected {wanted}, found {_with_article(declared)}")
    try:
        schema.check(dataset, declared)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return dataset


def _with_article(kind):
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} artifact"


def read_provenance(path: FilePath) -> dict[str, Any]:
    """Verify the bytes of an artifact and read only its attributes. Raises a one-line ValueError for any other file."""
    path = Path(path)
    try:
        check_seal(path)
        check_unpacked(path, unpacked_bytes(path))
        # xarray would also read the coordinates, which is slow.
        with _HDF5_LOCK, netCDF4.Dataset(path) as file:
            attributes = {name: file.getncattr(name) for name in file.ncattrs()}
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not a readable logzoo artifact: {' '.join(str(error).split())}") from error
    if "content_sha256" not in attributes:
        raise ValueError(f"{path}: not a logzoo artifact")
    return attributes


def load_raw(path: FilePath) -> xarray.Dataset:
    """Read a file without decoding masks, scales or dates; only booleans, strings and coordinates are restored.

    Raises ValueError if the header states far more bytes than the file has, and errors of many types for damaged files.
    """
    # This check comes first, because xarray reads some variables when it opens a file.
    check_unpacked(path, unpacked_bytes(path))
    options: dict[str, Any] = {"decode_times": False, "decode_timedelta": False, "mask_and_scale": False}
    with _HDF5_LOCK, xarray.open_dataset(path, engine="netcdf4", **options) as dataset:
        return dataset.load().drop_encoding()


def unpacked_bytes(path: FilePath) -> int:
    """Bytes of memory for the variables of a NetCDF file, from its header alone."""
    with _HDF5_LOCK, netCDF4.Dataset(path) as file:
        variables = file.variables.values()
        sizes = (_STRING_BYTES if isinstance(v.datatype, netCDF4.VLType) else v.dtype.itemsize for v in variables)
        return sum(int(v.size) * size for v, size in zip(variables, sizes, strict=True))


def content_sha256(dataset: xarray.Dataset) -> str:
    """Hash all values, names, dimensions, types and attributes of a dataset, except the hash stored in it.

    Variables and attributes count as NetCDF returns them. Their order does not matter, a list of one number is a
    number, and strings have no fixed width. Returns 64 hexadecimal digits. Raises ValueError for types that NetCDF
    cannot hold.
    """
    digest = hashlib.sha256()

    def add(*parts):
        # JSON adds quotes and brackets, so that different sequences of parts have different texts.
        digest.update(json.dumps(parts).encode() + b"\n")

    for name, variable in sorted(dataset.variables.items()):
        values, type_name = _canonical_values(variable.values, f"variable {name!r}")
        add("variable", name, variable.dims, variable.shape, type_name, len(values))
        digest.update(values)
        for key, attribute in sorted(variable.attrs.items()):
            add(key, _canonical_attribute(attribute, f"attribute {key!r} of variable {name!r}"))
    add("global")
    for key, attribute in sorted(dataset.attrs.items()):
        if key != "content_sha256":
            add(key, _canonical_attribute(attribute, f"global attribute {key!r}"))
    return digest.hexdigest()


def _encoding(dataset, *, packed=True):
    encoding = {}
    for name, variable in dataset.variables.items():
        encoding[name] = {} if "_FillValue" in variable.attrs else {"_FillValue": None}
        if packed and variable.dtype.kind in "biuf" and variable.nbytes > COMPRESS_BYTES:
            encoding[name] |= {"zlib": True, "complevel": 4}
    return encoding


def _canonical_values(values, what):
    """Return C-order little-endian bytes and the name of the type; strings become length-prefixed UTF-8."""
    if values.dtype.kind == "O" and all(isinstance(item, str) for item in values.flat):
        values = values.astype(str)
    if values.dtype.kind in "UT":
        encoded = [str(item).encode() for item in values.flat]
        return b"".join(len(item).to_bytes(8, "little") + item for item in encoded), "str"
    if values.dtype.name not in _NUMBERS | {"bool"}:
        raise ValueError(f"{what} has the type {values.dtype}: expected bool, integers, float32, float64 or strings")
    little_endian = values.astype(values.dtype.newbyteorder("<"), order="C", copy=False)
    # A view avoids a second copy of a large variable.
    return memoryview(little_endian.reshape(-1).view(np.uint8)), little_endian.dtype.name


def _canonical_attribute(value, what):
    """Return [type name, values] of an attribute, with numbers as hexadecimal bytes."""
    plain = isinstance(value, str | int | float | list | tuple | np.generic | np.ndarray)
    flat = np.atleast_1d(np.asarray(value)) if plain else np.empty(0)
    if flat.ndim != 1 or flat.size == 0 or not (flat.dtype.kind == "U" or flat.dtype.name in _NUMBERS):
        raise ValueError(f"{what} is {value!r:.200}: expected a string, a number or a list of strings or numbers")
    if flat.dtype.kind == "U":
        return ["str", flat.tolist()]
    return [flat.dtype.name, flat.astype(flat.dtype.newbyteorder("<")).tobytes().hex()]


def _portable_json(value, what):
    """Return compact JSON with sorted keys; raises ValueError for absolute paths."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} cannot be written as JSON: {error}") from error
    path = _ABSOLUTE_PATH.search(text)
    if path:
        raise ValueError(f"{what}: expected no absolute path, which differs between machines; found {path[0][1:]}")
    return text


_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SEAL_MARK = b"\nlogzoo sha256 "
SEAL_BYTES = len(_SEAL_MARK) + 64 + 1
_PIECE_BYTES = 1 << 20


def seal(path: FilePath) -> None:
    """Append the seal to a complete file."""
    with Path(path).open("r+b") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.write(_SEAL_MARK + digest.encode() + b"\n")


def check_seal(path: FilePath) -> None:
    """Raise ValueError unless a file is NetCDF 4 and its bytes match its seal; the message does not name the file."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        length = os.fstat(file.fileno()).st_size - SEAL_BYTES
        start = file.read(len(_SIGNATURE))
        if start != _SIGNATURE:
            raise ValueError("not a readable NetCDF file")
        file.seek(max(length, 0))
        tail = file.read(SEAL_BYTES)
        # Most other files have no seal, so the end is read before the rest.
        if not tail.startswith(_SEAL_MARK):
            raise ValueError(
                "not a logzoo artifact, or damaged or edited by another program: it has no seal at its end"
            )
        file.seek(0)
        while length > 0 and (piece := file.read(min(length, _PIECE_BYTES))):
            length -= len(piece)
            digest.update(piece)
    if tail != _SEAL_MARK + digest.hexdigest().encode() + b"\n":
        raise ValueError("content differs from the seal at its end: the file is damaged or was edited")
