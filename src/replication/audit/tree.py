"""Check the files below data/ and figures/ against manifests, recorded inputs, and the jobs of the checkout.

The audited tree supplies only data. The jobs, and the paths of the files that they make, come from the checkout. No
script, module, parameter, output path or address is taken from the tree.
"""

import contextlib
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from logzoo.checks import shown, whole_number
from logzoo.io import schema
from logzoo.io.atomic import resolved_output
from logzoo.io.netcdf import check_seal, content_sha256, load_raw, read_provenance, unpacked_bytes
from logzoo.io.reading import json_object, read_bytes, sha256_of
from logzoo.types import FilePath
from replication.artifacts import CODE, digest_of, read_stamp
from replication.audit import checkout
from replication.audit.findings import Findings, report, write_report
from replication.audit.manifest import manifest_path, read_manifest
from replication.layout import STAMPED, UNLISTED, files_of, is_unfinished, kind_of, scale_of, scales_of, walked

# Larger artifacts are not loaded: only their bytes and attributes are checked, to bound the memory.
_MOST_BYTES = 1 << 27
# Kinds whose variables may all hold NaN, and variables of other kinds that may hold NaN. No number may be infinite.
_ANY_INCOMPLETE = ("trace", "table", "verdict", "scorecard")
_INCOMPLETE = {
    "check": {"tracked_log_z", "tracked_std_dev"},
    "zoo": {"log_z", "std_error", "interval"},
}


def run_audit(
    folder: FilePath,
    *,
    configfile: FilePath | None = None,
    regenerate: int = 0,
    seed: int = 0,
    output: FilePath | None = None,
) -> tuple[str, bool]:
    """Audit a project or published results. Returns the report, and True if there is no fault.

    configfile: configuration of the user's own scale, or None. regenerate: number of files to regenerate in a scratch
    folder, picked at random by `seed`. output: file for the report as JSON, or None. Raises a one-line ValueError for
    invalid arguments, and if there is nothing to check.
    """
    count, seed = (whole_number(name, value, minimum=0) for name, value in (("regenerate", regenerate), ("seed", seed)))
    output = None if output is None else resolved_output(output)
    configfiles = checkout.configuration_files(configfile)
    scales = scales_of(path for path in files_of(folder) if kind_of(path) is not None)
    jobs = {scale: checkout.jobs_of_scale(scale, configfiles[scale]) for scale in scales if scale in configfiles}
    findings = audit(folder, jobs)
    if count:
        checkout.regenerate(findings, folder, jobs, configfiles, count, seed)
    if output is not None:
        write_report(findings, output)
    return report(findings), not findings.faults


def audit(folder: FilePath, jobs: Mapping[str, Any] | None = None) -> Findings:
    """Check the files of a project or of published results. Returns `Findings`; nothing is written.

    jobs: {scale: {path: job}} of the configuration and code of this checkout (`checkout.jobs_of_scale`). Raises a
    one-line ValueError if there is nothing to check.
    """
    folder, findings, jobs = Path(folder), Findings(), jobs or {}
    files, others = walked(folder)
    kinds = {path: kind_of(path) for path in files}
    if not others and not {*kinds.values()} - {"description"}:
        raise ValueError(f"{folder}: expected the folder of a project, with files below data/ or figures/")
    findings.files = len(kinds)
    for path, what in others.items():
        findings.check(path, "leftover", False, what, "regular files of a run only")
    for path, kind in kinds.items():
        what = "a temporary file or checkpoint" if is_unfinished(path) else "a file of no known kind"
        findings.check(path, "leftover", kind is not None, what, "finished files of known kinds")
    digests = {}
    for path in [path for path, kind in kinds.items() if kind not in UNLISTED]:
        with findings.recorded(path):
            digests[path] = sha256_of(folder / path)
    manifests = _check_manifests(findings, folder, kinds, digests)
    _check_raw(findings, folder, kinds, jobs)
    # As inputs, files record artifacts by content hash, and raw files by SHA-256.
    hashes = {path: digest for manifest in manifests for path, digest in manifest.left_out.items()}
    hashes |= {path: digest for path, digest in digests.items() if kinds[path] == "raw file"}
    records = {}
    for path, kind in kinds.items():
        with findings.recorded(path):
            content, record = _check_file(findings, folder, path, kind)
            if content is not None:
                hashes[path] = content
            if record is not None:
                records[path] = record
    for path, record in records.items():
        with findings.recorded(path):
            _check_inputs(findings, path, record["inputs"], hashes, kinds)
    _compare(findings, kinds, records, manifests, jobs)
    return findings


def _check_manifests(findings, folder, kinds, digests):
    """Check that files match the manifest of their scale, and that all files are listed. Returns the manifests."""
    manifests = []
    for scale in scales_of(kinds) or ["<scale>"]:
        path, expected = manifest_path(scale), "the manifest that a successful run writes (snakemake --cores 1 claims)"
        if not findings.check(path, "manifest", path in kinds, "no such file", expected):
            continue
        manifest = findings.read(path, "manifest", partial(read_manifest, folder, scale), expected)
        if manifest is None:
            continue
        manifests.append(manifest)
        findings.notes.append(
            f"{path}: sha256 {sha256_of(folder / path)}; store this hash elsewhere to detect a replaced manifest"
        )
        if manifest.left_out:
            published, run = len(manifest.files), len(manifest.files) + len(manifest.left_out)
            findings.notes.append(f"{scale}: {published} of {run} files of the run are published")
        for name, digest in manifest.files.items():
            if findings.check(name, "present", name in kinds, "no such file", f"a file in {path}"):
                actual = digests.get(name, "unreadable")
                findings.check(name, "manifest", actual == digest, f"sha256 {actual}", f"{digest}, in {path}")
    listed = {path for manifest in manifests for path in manifest.files}
    for path in [path for path in digests if path not in listed and manifests]:
        findings.check(path, "manifest", False, "a file that no manifest lists", "files of a finished run only")
    return manifests


def _check_raw(findings, folder, kinds, jobs):
    """Check raw files against the checksums of the configuration. Folders that no job downloads are skipped."""
    from logzoo.datasets.sources import digests, matches

    every = {path: job for by_path in jobs.values() for path, job in by_path.items()}
    known = {path: job["parameters"]["files"] for path, job in every.items() if kind_of(path) == "raw manifest"}
    for path in [path for path, kind in kinds.items() if kind == "raw file"]:
        source, _, name = path.rpartition("/")
        files = known.get(f"{source}/manifest.json")
        if files is not None:
            computed, entry = digests(folder / path), files.get(name, {"sources": []})
            findings.check(path, "raw", matches(computed, entry), computed.sha256, "a checksum of the configuration")


def _check_file(findings, folder, path, kind):
    """Check a single file. Returns (content hash, provenance record), where a missing part is None."""
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
        for check in (schema.check, _check_finite):
            findings.read(path, "schema", partial(check, dataset, kind), f"a {kind} artifact")
        with contextlib.suppress(ValueError, TypeError):  # the next check then reports the missing hash
            content = content_sha256(dataset)
        findings.check(path, "content", content == stated, f"content {content}", f"content_sha256 {stated}")
    return content, findings.read(path, "provenance", lambda: _record(attributes), "parameters, inputs, source digest")


def _check_finite(dataset, kind):
    """Raise a one-line ValueError if a number is infinite, or is NaN where the kind does not allow NaN."""
    for name, variable in dataset.variables.items():
        if variable.dtype.kind == "f":
            if kind == "estimate":
                # Variables that the schema does not list, such as diagnostics, may hold NaN.
                complete = name in schema.SCHEMAS[kind]
            else:
                complete = kind not in _ANY_INCOMPLETE and name not in _INCOMPLETE.get(kind, ())
            wrong = ~np.isfinite(variable.values) if complete else np.isinf(variable.values)
            if wrong.any():
                raise ValueError(f"{kind} artifact: {name!r} needs finite numbers, found an infinite or missing one")


def _check_links(file):
    """Refuse a NetCDF file with links, or with values in other files: reading it could open any file, even a FIFO."""

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


def _check_inputs(findings, path, inputs, hashes, kinds):
    """Check that every recorded input is present or in a manifest; a changed input makes the file stale."""
    for name, stated in inputs.items():
        known = name in hashes or name in kinds
        findings.check(path, "inputs", known, f"made from {name}, which is missing", "a file of the run")
        if name in hashes and hashes[name] != stated:
            findings.stale[path] = f"made from another version of {name}"


def _compare(findings, kinds, records, manifests, jobs):
    """Enter a file as stale if no present job makes it, or if its job would make it differently. Note missing files."""
    left_out = {path for manifest in manifests for path in manifest.left_out}
    for scale in scales_of(kinds):
        known = jobs.get(scale)
        if known is None:
            findings.notes.append(f"not compared with configuration and code: {scale}")
            continue
        for path in [path for path in kinds if scale_of(path) == scale and kinds[path] not in UNLISTED]:
            reason = _difference(records.get(path), known.get(path))
            if reason and path not in findings.stale:
                findings.stale[path] = reason
        missing = [path for path in known if known[path]["default"] and path not in kinds and path not in left_out]
        if missing:
            some = f"{len(missing)} files of the configuration are missing, for example {missing[0]}"
            findings.notes.append(f"{scale}: {some}")
    # Data sets belong to no scale. Several scales may share one, so each scale whose job would make it can accept it.
    for path in [path for path in records if scale_of(path) is None and path not in findings.stale]:
        reasons = [_difference(records[path], known[path]) for known in jobs.values() if path in known]
        if reasons and all(reasons):
            findings.stale[path] = reasons[0]


def _difference(record, job):
    """The reason why the present job would make a different file; empty if there is none, or nothing to compare."""
    if job is None:
        return "no job of the configuration makes it (remove it, then `snakemake --cores 1 claims` renews the manifest)"
    if record is None or job["source"] is None:
        return ""
    stated, wanted = record["parameters"], job["parameters"]
    if isinstance(stated, dict):
        same = {name: value for name, value in stated.items() if name not in CODE} == wanted
    else:
        same = stated == digest_of(wanted)
    if not same:
        return "made with parameters that differ from the configuration"
    artifacts = {name for name in job["inputs"] if name.endswith(".nc")}
    if {name for name in record["inputs"] if not name.startswith("data/raw/")} != artifacts:
        return "made from inputs that differ from the inputs of the rule"
    return "" if record["source"] == job["source"] else checkout.OTHER_CODE
