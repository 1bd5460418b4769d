"""The audit of a whole tree: every artifact, picture, page and table below data/ and figures/."""

import json
from pathlib import Path

from logzoo.artifacts.netcdf import load_raw
from logzoo.artifacts.schema import SCHEMAS
from logzoo.audit.chain import check_inputs, check_raw
from logzoo.audit.checks import check_artifact
from logzoo.audit.findings import Findings
from logzoo.audit.layout import STAMPED, files_of, is_unfinished, kind_of, scale_of
from logzoo.audit.manifest import manifest_path, read_manifest, sha256_of
from logzoo.audit.pictures import check_stamp, check_text

_UNMADE = (None, "description", "raw file", "manifest")


def audit(folder, tasks=None):
    """Check every file of a project. Returns `Findings`.

    tasks: `Tasks` of what the configuration would have the files of one scale made with; None leaves that out.
    Raises ValueError, one line, if there is nothing to check.
    """
    folder, findings = Path(folder), Findings()
    files = files_of(folder)
    kinds = {path: kind_of(path) for path in files}
    if not {kind for kind in kinds.values()} - {"description"}:
        raise ValueError(f"{folder}: expected the folder of a project, with files below data/ or figures/")
    findings.files.update(kind or "unknown" for kind in kinds.values())
    _check_places(findings, kinds, tasks)
    hashes = {}
    for path in [path for path in files if kinds[path] == "raw manifest"]:
        hashes |= check_raw(findings, folder, path, kinds, _configured(tasks, path))
    records = _check_artifacts(findings, folder, kinds, hashes)
    digests = _check_others(findings, folder, kinds, records, hashes)
    for path, record in records.items():
        if record is not None:
            check_inputs(findings, path, kinds[path], record["inputs"], hashes)
            _check_task(findings, path, kinds[path], record, tasks)
    _check_orphans(findings, kinds)
    for scale in sorted({scale_of(path) for path in files} - {None}):
        _check_manifest(findings, folder, scale, kinds, digests)
    findings.notes += _left_out(kinds, tasks)
    return findings


def _check_places(findings, kinds, tasks):
    """No temporary files, none that no kind knows, and where the tasks are known, none that no rule makes."""
    for path, kind in kinds.items():
        found = "a temporary file or checkpoint" if is_unfinished(path) else "a file of no known kind"
        findings.check(path, kind or "unknown", "leftover", kind is not None, found, "finished files of known kinds")
        if tasks is not None and kind not in _UNMADE and scale_of(path) in (tasks.scale, None):
            made = tasks.of(path) is not None
            findings.check(path, kind, "leftover", made, "a file that no rule makes", "files of the configuration only")


def _configured(tasks, manifest):
    """Entries of the raw files of a source in the configuration, where it is known."""
    task = None if tasks is None else tasks.of(manifest)
    return None if task is None else task.params["files"]


def _check_artifacts(findings, folder, kinds, hashes):
    """Check artifacts one by one; enters their hashes and returns what they record."""
    records = {}
    for path in [path for path, kind in kinds.items() if kind in SCHEMAS]:
        hashes[path] = records[path] = None
        try:
            dataset = load_raw(folder / path)
        except Exception as error:  # a damaged file surfaces as any of a dozen types, by where the damage is
            reason = " ".join(str(error).split())
            findings.check(path, kinds[path], "readable", False, reason, "a NetCDF file")
            continue
        findings.check(path, kinds[path], "readable", True, "", "")
        hashes[path] = check_artifact(findings, path, dataset, kinds[path])
        records[path] = {
            "inputs": _attribute(dataset, "inputs_json"),
            "parameters": _attribute(dataset, "parameters_json"),
            "source": dataset.attrs.get("source_sha256"),
        }
    return records


def _attribute(dataset, name):
    """An attribute that is a JSON object; empty if it is none, which is a fault of its own."""
    try:
        content = json.loads(dataset.attrs[name])
    except (KeyError, TypeError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _check_others(findings, folder, kinds, records, hashes):
    """Check pictures, pages and tables, and hash the bytes of all files; enters stamps among the records."""
    readable = {path for path, record in records.items() if record is not None and hashes[path] is not None}
    digests = {}
    for path, kind in kinds.items():
        if kind in (None, "manifest", "description"):
            continue
        content = (folder / path).read_bytes()
        digests[path] = sha256_of(content)
        if kind in STAMPED:
            records[path] = check_stamp(findings, path, kind, content)
        elif kind == "table text":
            check_text(findings, folder, path, content, readable)
    return digests


def _check_task(findings, path, kind, record, tasks):
    """What a file records of how it was made is what the workflow would have it made with today."""
    task = None if tasks is None else tasks.of(path)
    if task is None:
        return
    said = record["parameters"]
    wanted = task.parameters if isinstance(said, dict) else task.parameters_digest
    findings.check(path, kind, "parameters", said == wanted, *_different(said, wanted))
    findings.check(path, kind, "source", record["source"] == task.source, record["source"], task.source)
    raw = tuple(f"{manifest.rsplit('/', 1)[0]}/" for manifest in task.raw_manifests)
    found = sorted(name for name in record["inputs"] if not (raw and name.startswith(raw)))
    wanted = sorted(set(task.recorded_inputs))
    findings.check(path, kind, "inputs", found == wanted, *_different(dict.fromkeys(found), dict.fromkeys(wanted)))


def _different(found, wanted):
    """The parts of two dicts that differ."""
    if not (isinstance(found, dict) and isinstance(wanted, dict)):
        return found, wanted
    names = [
        name
        for name in {**wanted, **found}
        if found.get(name, ...) != wanted.get(name, ...) or (name in found) != (name in wanted)
    ]
    return tuple(
        json.dumps({name: one[name] for name in names if name in one}, sort_keys=True) for one in (found, wanted)
    )


def _check_orphans(findings, kinds):
    """Raw files lie beside the manifest that names them."""
    for path, kind in kinds.items():
        if kind == "raw file":
            manifest = f"{path.rsplit('/', 1)[0]}/manifest.json"
            findings.check(path, kind, "leftover", manifest in kinds, f"a raw file without {manifest}", "both")


def _check_manifest(findings, folder, scale, kinds, digests):
    """All files are there and as the manifest of the last run says."""
    path = manifest_path(scale)
    try:
        listed, _, stated = read_manifest(folder, scale)
    except ValueError as error:
        findings.check(path, "manifest", "manifest", False, error, "the manifest that a run ends in when it succeeds")
        return
    findings.check(path, "manifest", "manifest", True, "", "")
    findings.notes.append(f"{path}: sha256 {stated}; keep it elsewhere to notice a new manifest")
    for name, digest in listed.items():
        kind, found = kinds.get(name) or "unknown", digests.get(name, "no such file")
        findings.check(name, kind, "manifest", found == digest, f"sha256 {found}", f"{digest}, in {path}")
    for name in digests:
        if scale_of(name) == scale and name not in listed:
            findings.check(
                name, kinds[name], "manifest", False, "a file that is not listed", f"a file listed in {path}"
            )


def _left_out(kinds, tasks):
    """Which checks could not be made, and why."""
    if tasks is None:
        yield "not checked: parameters, sources and inputs against the configuration (snakemake audit does)"
        return
    for scale in sorted({scale_of(path) for path in kinds} - {None, tasks.scale}):
        yield f"not checked: {scale} against its configuration, which was that of {tasks.scale}"
