"""The audit of a whole tree: every artifact, picture, page and table below data/ and figures/."""

import contextlib
import json
from functools import partial
from pathlib import Path

from logzoo.artifacts.made import digest_of
from logzoo.artifacts.netcdf import load_raw
from logzoo.artifacts.schema import SCHEMAS
from logzoo.artifacts.seals import check_seal
from logzoo.artifacts.stamps import read_stamp
from logzoo.audit.chain import check_inputs, check_raw
from logzoo.audit.checks import check_artifact
from logzoo.audit.findings import Findings, report, write_report
from logzoo.audit.layout import STAMPED, files_of, is_unfinished, kind_of, scale_of, scales_of
from logzoo.audit.manifest import UNLISTED, deviations, manifest_path, read_manifest, sha256_of
from logzoo.audit.replay import replay_some
from logzoo.audit.tasks import read_tasks
from logzoo.audit.texts import check_text
from logzoo.checks import whole_number

_UNMADE = (None, "description", "raw file", "manifest")


def run_audit(folder, *, expected=None, replay=0, seed=0, output=None):
    """Audit a project and write what was found to `output` (default audit.json in its folder).

    expected: file with the tasks of the configuration, or None; replay: how many artifacts are made once more, picked
    by seed. Returns the report and whether there was no fault. Raises ValueError, one line, for wrong use.
    """
    target = Path(folder, "audit.json") if output is None else Path(output)
    if output is not None and not target.parent.is_dir():
        raise ValueError(f"--output {output}: there is no folder {target.parent}")
    replay, seed = (whole_number(name, value, minimum=0) for name, value in (("--replay", replay), ("--seed", seed)))
    tasks = None if expected is None else read_tasks(expected)
    findings = audit(folder, tasks)
    if replay:
        replay_some(findings, folder, tasks, replay, seed)
    write_report(findings, target)
    return report(findings), not findings.faults


def audit(folder, tasks=None):
    """Check every file of a project. Returns `Findings`.

    tasks: `Tasks` of what the configuration would have the files of one scale made with; None leaves that out.
    Raises ValueError, one line, if there is nothing to check.
    """
    folder, findings = Path(folder), Findings()
    kinds = {path: kind_of(path) for path in files_of(folder)}
    if not {*kinds.values()} - {"description"}:
        raise ValueError(f"{folder}: expected the folder of a project, with files below data/ or figures/")
    findings.files = len(kinds)
    hashes, records = {}, {}
    for path in [path for path, kind in kinds.items() if kind == "raw manifest"]:
        task = None if tasks is None else tasks.of(path)
        hashes |= check_raw(findings, folder, path, kinds, None if task is None else task.params["files"])
    _check_leftovers(findings, kinds, hashes, tasks)
    for path, kind in kinds.items():
        if kind in SCHEMAS:
            hashes[path], records[path] = _check_artifact(findings, folder, path, kind)
        elif kind in STAMPED:
            stamp = partial(read_stamp, path, (folder / path).read_bytes())
            records[path] = findings.read(path, "stamp", stamp, "a stamp of what it was made from")
        elif kind == "table text":
            check_text(findings, folder, path)
    for path, record in records.items():
        if record is not None:
            check_inputs(findings, path, record["inputs"], hashes)
            _check_task(findings, path, record, tasks)
    _check_manifests(findings, folder, kinds)
    if tasks is None:
        note = "not checked: parameters, sources and inputs against the configuration (snakemake audit does)"
        findings.notes.append(note)
    for scale in [] if tasks is None else [scale for scale in scales_of(kinds) if scale != tasks.scale]:
        findings.notes.append(f"not checked: {scale} against its configuration, which was that of {tasks.scale}")
    return findings


def _check_leftovers(findings, kinds, raw, tasks):
    """No temporary files, none of no kind, no raw files that no manifest names, and none that no rule makes."""
    for path, kind in kinds.items():
        found = "a temporary file or checkpoint" if is_unfinished(path) else "a file of no known kind"
        findings.check(path, "leftover", kind is not None, found, "finished files of known kinds")
        if kind == "raw file":
            findings.check(path, "leftover", path in raw, "a raw file", "files that a manifest beside them names")
        if tasks is not None and kind not in _UNMADE and scale_of(path) in (tasks.scale, None):
            made = tasks.of(path) is not None
            findings.check(path, "leftover", made, "a file that no rule makes", "files of the configuration only")


def _check_artifact(findings, folder, path, kind):
    """Check one artifact; returns its content hash and what it records of how it was made, None where unreadable."""

    def read():
        check_seal(folder / path)
        return load_raw(folder / path)

    # A damaged file surfaces as any of a dozen errors, by where the damage is.
    dataset = findings.read(path, "readable", read, "a NetCDF file as it was written", Exception)
    if dataset is None:
        return None, None
    record = {"inputs": {}, "parameters": {}, "source": dataset.attrs.get("source_sha256")}
    for key in ("inputs", "parameters"):
        with contextlib.suppress(KeyError, TypeError, ValueError):  # no JSON object: that is a fault of its own
            content = json.loads(dataset.attrs[f"{key}_json"])
            record[key] = content if isinstance(content, dict) else {}
    return check_artifact(findings, path, dataset, kind), record


def _check_task(findings, path, record, tasks):
    """What a file records of how it was made is what the workflow would have it made with today."""
    task = None if tasks is None else tasks.of(path)
    if task is None:
        return
    said, wanted = record["parameters"], task.parameters
    if isinstance(said, dict):
        findings.check(path, "parameters", said == wanted, _part(said, wanted), _part(wanted, said))
    else:
        findings.check(path, "parameters", said == digest_of(wanted), said, digest_of(wanted))
    findings.check(path, "source", record["source"] == task.source, record["source"], task.source)
    raw = tuple(f"{manifest.rsplit('/', 1)[0]}/" for manifest in task.raw_manifests)
    found = {name for name in record["inputs"] if not name.startswith(raw)}
    wanted = {name for name in task.inputs if name.endswith(".nc")}
    findings.check(path, "inputs", found == wanted, sorted(found - wanted), sorted(wanted - found))


def _part(content, other):
    """What is not the same in another dict, as text."""
    return json.dumps({key: value for key, value in content.items() if key not in other or other[key] != value})


def _check_manifests(findings, folder, kinds):
    """All files of each scale are there and as the manifest of its last run says."""
    digests = {path: sha256_of(folder / path) for path, kind in kinds.items() if kind not in UNLISTED}
    for scale in scales_of(kinds):
        path, read = manifest_path(scale), partial(read_manifest, folder, scale)
        manifest = findings.read(path, "manifest", read, "the manifest that a run ends in when it succeeds")
        if manifest is None:
            continue
        listed, _, stated = manifest
        findings.notes.append(f"{path}: sha256 {stated}; keep it elsewhere to notice a new manifest")
        wrong = dict.fromkeys(deviations(listed, digests, scale))
        for name in {**listed, **wrong}:
            found = f"sha256 {digests.get(name, 'of no such file')}"
            findings.check(name, "manifest", name not in wrong, found, f"{listed.get(name, 'no such file')}, in {path}")
