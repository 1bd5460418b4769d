"""Artifacts made once more, in a scratch folder, from the inputs and parameters that they record.

Measured times differ from run to run: neither they nor what is made from them are picked.
"""

import contextlib
import tempfile
from pathlib import Path

import numpy as np

from logzoo.artifacts.json_objects import json_object
from logzoo.artifacts.made import named_hashes
from logzoo.artifacts.netcdf import content_sha256, load_raw, read_provenance
from logzoo.artifacts.schema import SCHEMAS
from logzoo.artifacts.seals import check_seal
from logzoo.audit.layout import files_of, is_timed, kind_of, scales_of
from logzoo.audit.manifest import read_manifest
from logzoo.audit.scripts import refusal, run_scripts
from logzoo.reporting.printing import one_line


def replay_some(findings, folder, tasks, count, seed):
    """Make artifacts picked at random once more, and enter what came out.

    tasks: `Tasks` of the configuration or None; where they know nothing, those of the manifests of the project do.
    """
    known = [] if tasks is None else [tasks]
    for scale in scales_of(files_of(Path(folder))):
        with contextlib.suppress(ValueError):  # the audit says so
            known.append(read_manifest(folder, scale)[1])
    picked = pick(folder, known, count, seed)
    hint = "jobs in a manifest, or --expected (snakemake audit writes it)"
    if not picked:
        findings.check("--replay", "replay", False, "nothing that says how an artifact is made", hint)
    for path in picked:
        difference = "not to be made again"
        with findings.going_on(path):
            difference = replay(folder, _task_of(known, path), path)
        findings.check(path, "replay", not difference, difference, "the same bits")
        findings.notes.append(f"made once more: {path}: {difference or 'the same bits'}")
    findings.notes.append("never made once more: measured times, and what is made from them")


def pick(folder, tasks, count, seed):
    """At most so many artifacts at random that can be made once more by any of a list of `Tasks`, sorted."""
    artifacts = [path for path in files_of(Path(folder)) if kind_of(path) in SCHEMAS]
    inputs = dict.fromkeys(artifacts, ())
    for path in artifacts:
        with contextlib.suppress(ValueError, KeyError):  # the audit says so
            inputs[path] = json_object(read_provenance(Path(folder, path))["inputs_json"])
    timed = {path for path in artifacts if is_timed(path)}
    while more := {path for path in inputs if timed & set(inputs[path])} - timed:
        timed |= more
    able = [path for path in artifacts if path not in timed and _task_of(tasks, path) is not None]
    generator = np.random.Generator(np.random.Philox(key=seed))
    return sorted(generator.choice(able, min(count, len(able)), replace=False).tolist()) if able else []


def replay(folder, task, path):
    """Make an artifact once more. Returns what differs, as text; empty if nothing does."""
    folder = Path(folder).resolve()
    try:
        reason = refusal(task)
        if reason:
            return f"not to be made again: {reason}"
        attributes = read_provenance(folder / path)
        with contextlib.chdir(folder):
            hashes = named_hashes(task.inputs)
        if json_object(attributes["inputs_json"]) != hashes:
            return "other inputs than it records"
        if json_object(attributes["parameters_json"]) != task.parameters:
            return "other parameters than it records"
    except (ValueError, KeyError) as error:
        return f"not to be made again: {one_line(error)}"
    with tempfile.TemporaryDirectory() as scratch:
        ((place, failure),) = run_scripts(folder, Path(scratch), [task])
        if failure:
            return f"not to be made again: {failure}"
        try:
            there, again = read_whole(folder / path), read_whole(place / path)
        except Exception as error:  # what a damaged file may break is not to be foreseen
            return f"not to be made again: {one_line(error)}"
        if content_sha256(there) == content_sha256(again):
            return "" if there.attrs["content_sha256"] == again.attrs["content_sha256"] else "other content_sha256"
        return f"other {', '.join(differences(there, again))}"


def read_whole(path):
    """An artifact that a job made, its bytes verified; ValueError, a phrase, if it made none."""
    if not path.is_file():
        raise ValueError("its script ended well, but made no such file")
    check_seal(path)
    return load_raw(path)


def _task_of(tasks, path):
    """The task whose script makes a file, by the first of several `Tasks` that knows one."""
    candidates = (known.of(path) for known in tasks)
    return next((task for task in candidates if task is not None and task.script), None)


def differences(dataset, again):
    """Names of the variables and attributes that differ, a list."""
    before, after = dataset.variables, again.variables
    names = [name for name in {*before, *after} if name not in before or not before[name].identical(after.get(name))]
    attributes = {*dataset.attrs, *again.attrs} - {"content_sha256"}
    unlike = [name for name in attributes if not np.array_equal(dataset.attrs.get(name), again.attrs.get(name))]
    return sorted(map(str, names)) + sorted(unlike)
