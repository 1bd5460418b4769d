"""The audit of a whole tree: every artifact, picture, page and table below data/ and figures/."""

import contextlib
from functools import partial
from pathlib import Path

from logzoo.audit.chain import check_inputs, check_raw
from logzoo.audit.contents import check_contents
from logzoo.audit.expected import check_leftovers, check_presence, check_task, check_unrecorded
from logzoo.audit.findings import Findings, report, write_report
from logzoo.audit.layout import kind_of, scale_of, scales_of, walked
from logzoo.audit.manifest import UNLISTED, deviations, manifest_path, read_manifest, sha256_of
from logzoo.audit.published import PUBLISHED, audit_published
from logzoo.audit.replay import replay_some
from logzoo.audit.tasks import read_tasks
from logzoo.checks import whole_number


def run_audit(folder, *, expected=None, replay=0, seed=0, output=None):
    """Audit a project, or published results, and write what was found to `output` (default audit.json in its folder).

    expected: file with the tasks of the configuration, or None; replay: how many artifacts are made once more, picked
    by seed; not of published results. Returns the report and whether there was no fault. Raises ValueError, one line,
    for wrong use.
    """
    target = Path(folder, "audit.json") if output is None else Path(output)
    if output is not None and not target.parent.is_dir():
        raise ValueError(f"--output {output}: there is no folder {target.parent}")
    replay, seed = (whole_number(name, value, minimum=0) for name, value in (("--replay", replay), ("--seed", seed)))
    tasks = None if expected is None else read_tasks(expected)
    is_published = Path(folder, PUBLISHED).is_file()
    if is_published and replay:
        raise ValueError(f"--replay {replay}: expected a project, found published results, which lack models and data")
    findings = audit_published(folder, tasks) if is_published else audit(folder, tasks)
    if replay:
        replay_some(findings, folder, tasks, replay, seed)
    with findings.going_on(str(target)):
        write_report(findings, target)
    return report(findings), not findings.faults


def audit(folder, tasks=None):
    """Check every file of a project. Returns `Findings`.

    tasks: `Tasks` of what the configuration would have the files of one scale made with; None leaves that out.
    Raises ValueError, one line, if there is nothing to check.
    """
    folder, findings = Path(folder), Findings()
    files, others = walked(folder)
    kinds = {path: kind_of(path) for path in files}
    if not others and not {*kinds.values()} - {"description"}:
        raise ValueError(f"{folder}: expected the folder of a project, with files below data/ or figures/")
    findings.files = len(kinds)
    for path, what in others.items():
        findings.check(path, "leftover", False, what, "regular files of a run only")
    hashes = {}
    for path in [path for path, kind in kinds.items() if kind == "raw manifest"]:
        task = None if tasks is None else tasks.of(path)
        with findings.going_on(path):
            hashes |= check_raw(findings, folder, path, kinds, None if task is None else task.params["files"])
    check_leftovers(findings, kinds, hashes, tasks, _tasks_there(folder, kinds))
    found, records = check_contents(findings, folder, kinds)
    hashes |= found
    for path, record in records.items():
        with findings.going_on(path):
            check_inputs(findings, path, record["inputs"], hashes)
            check_task(findings, path, record, tasks)
    _check_manifests(findings, folder, kinds, tasks)
    if tasks is None:
        note = "not checked: parameters, sources and inputs against the configuration (snakemake audit does)"
        findings.notes.append(note)
    for scale in [] if tasks is None else [scale for scale in scales_of(kinds) if scale != tasks.scale]:
        findings.notes.append(f"not checked: {scale} against its configuration, which was that of {tasks.scale}")
    return findings


def _tasks_there(folder, kinds):
    """`Tasks` of all manifests that can be read; what is wrong with the others is said elsewhere."""
    found = []
    for scale in scales_of(kinds):
        with contextlib.suppress(ValueError):
            found.append(read_manifest(folder, scale)[1])
    return found


def _check_manifests(findings, folder, kinds, tasks):
    """All files of each scale are there and as the manifest of its last run says; none is there that no run left."""
    digests, listed_by_any = {}, set()
    for path in [path for path, kind in kinds.items() if kind not in UNLISTED]:
        with findings.going_on(path):
            digests[path] = sha256_of(folder / path)
    wanted = {*scales_of(kinds), *([] if tasks is None else [tasks.scale])}
    for scale in sorted(wanted) or ["<scale>"]:
        path = manifest_path(scale)
        expected = "the manifest that a run ends in when it succeeds"
        if not findings.check(path, "manifest", path in kinds, "no such file", expected):
            manifest = None
        else:
            manifest = findings.read(path, "manifest", partial(read_manifest, folder, scale), expected)
        if manifest is not None:
            listed_by_any |= set(manifest[0])
            _check_listed(findings, path, manifest, digests, scale)
        if tasks is not None and tasks.scale == scale:
            check_presence(findings, kinds, tasks, {} if manifest is None else manifest[0], "the configuration")
            check_unrecorded(findings, kinds, tasks, None if manifest is None else manifest[1])
    shared = [path for path in digests if scale_of(path) is None and listed_by_any]
    for path in [path for path in shared if path not in listed_by_any]:
        findings.check(path, "manifest", False, "a file that no manifest lists", "data sets and raw files of a run")


def _check_listed(findings, path, manifest, digests, scale):
    """Files are as a manifest lists them, and it lists all that its jobs make."""
    listed, made, stated = manifest
    findings.notes.append(f"{path}: sha256 {stated}; keep it elsewhere to notice a new manifest")
    wrong = dict.fromkeys(deviations(listed, digests, scale))
    for name in {**listed, **wrong}:
        found = f"sha256 {digests.get(name, 'of no such file')}"
        findings.check(name, "manifest", name not in wrong, found, f"{listed.get(name, 'no such file')}, in {path}")
        if scale_of(name) == scale:
            findings.check(name, "manifest", made.of(name) is not None, "no job that makes it", f"one in {path}")
    check_presence(findings, listed, made, {}, f"a job in {path}")
