"""Checks of a single file: bytes, schema and content hash of an artifact, or the stamp of a picture or page."""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import TYPE_CHECKING

import h5py

from logzoo.checks import shown
from logzoo.io import schema
from logzoo.io.netcdf import check_seal, content_sha256, load_raw, read_provenance, unpacked_bytes
from logzoo.io.reading import json_object, read_bytes
from replication.artifacts import read_stamp
from replication.layout import STAMPED

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from replication.audit.findings import Findings


# Larger artifacts are not loaded: only their bytes and attributes are checked, to bound the memory.
_MOST_BYTES = 1 << 27


def check_file(findings: Findings, folder: Path, path: str, kind: str | None) -> tuple[Any, Any]:
    """Check a single file. Returns (content hash, provenance record), where a missing part is None.

    A record has the parameters, the source digest, and the inputs {path: hash}. A record from a stamp
    has a digest in place of the parameters.
    """
    if kind in schema.SCHEMAS:
        return _check_artifact(findings, folder / path, path, kind)
    if kind in STAMPED:
        expected = "a stamp with inputs, parameters and source digest"
        return None, findings.read(path, "stamp", lambda: read_stamp(path, read_bytes(folder / path)), expected)
    return None, None


def _check_artifact(findings, file, path, kind):
    def read():
        check_seal(file)
        _check_links(file)
        large = unpacked_bytes(file) > _MOST_BYTES
        return (None, read_provenance(file)) if large else (dataset := load_raw(file), dataset.attrs)

    dataset, attributes = findings.read(path, "readable", read, "an undamaged NetCDF file") or (None, None)
    if attributes is None:
        return None, None
    stated, content = attributes.get("content_sha256"), None
    if dataset is None:
        findings.large.add(path)
        findings.notes.append(f"too large, numbers not checked: {path}")
        content = stated
    else:
        declared = attributes.get("artifact_schema")
        findings.check(path, "schema", declared == f"{kind}/1", f"{declared}", f"{kind}/1, by the path of the file")
        for check in (schema.check, schema.check_finite):
            findings.read(path, "schema", partial(check, dataset, kind), f"a {kind} artifact")
        with contextlib.suppress(ValueError, TypeError):  # the next check then reports the missing hash
            content = content_sha256(dataset)
        findings.check(path, "content", content == stated, f"content {content}", f"content_sha256 {stated}")
    return content, findings.read(path, "provenance", lambda: _record(attributes), "parameters, inputs, source digest")


def _check_links(file):
    """Refuse a NetCDF file whose links or values lie elsewhere: reading it would open any file, even a FIFO."""

    def elsewhere(name, item):
        outside = isinstance(item, h5py.Dataset) and (item.is_virtual or item.external)
        return name if outside or isinstance(item, h5py.SoftLink | h5py.ExternalLink) else None

    with h5py.File(file, "r") as content:
        # A callback that returns a name ends the walk. Neither walk follows soft or external links.
        name = content.visititems_links(elsewhere) or content.visititems(elsewhere)
    if name is not None:
        raise ValueError(f"{shown(name)} is a link, or its values are in another file")


def _record(attributes):
    source = attributes["source_sha256"]
    if not re.fullmatch("[0-9a-f]{64}", source):
        raise ValueError(f"source_sha256 {source:.70}")
    return {"source": source, **{key: json_object(attributes[f"{key}_json"]) for key in ("inputs", "parameters")}}
