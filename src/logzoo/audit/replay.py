"""Artifacts made once more, in a scratch folder, from the inputs and parameters that they record.

Measured times differ from run to run: neither they nor what is made from them are picked. What runs is the script of
that name of the checkout that this module belongs to, on that checkout's package: the audited tree says what it was
given, not what it does. As a program of its own, python -m logzoo.audit.replay TASK.json, it runs the script of one
task in its folder as Snakemake would.
"""

import contextlib
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from logzoo.artifacts.json_objects import json_object
from logzoo.artifacts.made import named_hashes
from logzoo.artifacts.netcdf import content_sha256, load_raw, read_provenance
from logzoo.artifacts.provenance import PACKAGE_FOLDER
from logzoo.artifacts.schema import SCHEMAS
from logzoo.artifacts.seals import check_seal
from logzoo.audit.layout import files_of, is_timed, kind_of, scales_of
from logzoo.audit.manifest import read_manifest
from logzoo.audit.tasks import Named
from logzoo.reporting.printing import one_line

SCRIPTS = PACKAGE_FOLDER.parents[1] / "workflow" / "scripts"
_SCRIPT = re.compile(r"workflow/scripts/(\w+\.py)")
# Params that name code, which is to be that of a figure or table.
_CODE = {"run": re.compile(r"logzoo\.papers(\.\w+)+:\w+"), "module": re.compile(r"logzoo\.papers(\.\w+)+")}


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
        refusal = _refusal(task)
        if refusal:
            return f"not to be made again: {refusal}"
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
        failure = _run(folder, Path(scratch), task)
        if failure:
            return f"not to be made again: {failure}"
        try:
            there, again = _content(folder / path), _content(Path(scratch, path))
        except Exception as error:  # what a damaged file may break is not to be foreseen
            return f"not to be made again: {one_line(error)}"
        if content_sha256(there) == content_sha256(again):
            return "" if there.attrs["content_sha256"] == again.attrs["content_sha256"] else "other content_sha256"
        return f"other {_differences(there, again)}"


def _refusal(task):
    """Why a task is none of this workflow: it names other programs or places; empty if it names none."""
    script = _SCRIPT.fullmatch(task.script)
    if script is None or not (SCRIPTS / script[1]).is_file():
        return f"{task.script} is no script in {SCRIPTS}"
    for key in _CODE.keys() & task.params:
        if not _CODE[key].fullmatch(str(task.params[key])):
            return f"{key} {task.params[key]} is no code of a figure or table"
    strange = [path for path in (*task.inputs, *task.outputs) if kind_of(path) is None]
    return f"{strange[0]} is no place for a file of a run" if strange else ""


def _content(path):
    if not path.is_file():
        raise ValueError("its script ended well, but made no such file")
    check_seal(path)
    return load_raw(path)


def _task_of(tasks, path):
    """The task whose script makes a file, by the first of several `Tasks` that knows one."""
    candidates = (known.of(path) for known in tasks)
    return next((task for task in candidates if task is not None and task.script), None)


def _run(folder, scratch, task):
    """Run the script of a task in a scratch folder that links to its inputs; returns what went wrong."""
    for name in task.inputs:
        files = (folder / name).parent.iterdir() if name in task.raw_manifests else [folder / name]
        for file in filter(Path.is_file, files):
            link = scratch / file.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(file)
    for name in task.outputs:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
    given = scratch / "task.json"
    given.write_text(json.dumps({**task.content, "script": str(SCRIPTS / Path(task.script).name)}))
    # -P: no module is looked for in the scratch folder, and none in the audited tree.
    command = [sys.executable, "-P", "-m", "logzoo.audit.replay", str(given)]
    modules = [str(PACKAGE_FOLDER.parent), *(path for path in sys.path if path and Path(path).resolve() != folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(modules)}
    done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True)
    return "" if done.returncode == 0 else one_line((done.stderr.strip().splitlines() or ["it failed"])[-1])


def _differences(dataset, again):
    """Names of the variables and attributes that differ."""
    before, after = dataset.variables, again.variables
    names = [name for name in {*before, *after} if name not in before or not before[name].identical(after.get(name))]
    attributes = {*dataset.attrs, *again.attrs} - {"content_sha256"}
    unlike = [name for name in attributes if not np.array_equal(dataset.attrs.get(name), again.attrs.get(name))]
    return ", ".join(sorted(map(str, names)) + sorted(unlike))


def _run_script(path):
    """Run the script of the task in a JSON file with an object `snakemake` that holds what the task was given."""
    task = json.loads(Path(path).read_text())
    named = {name: Named(task[name]) for name in ("input", "output", "params", "wildcards")}
    given = SimpleNamespace(**named, log=[f"{path}.log"], rule=task["rule"], threads=1)
    runpy.run_path(task["script"], init_globals={"snakemake": given})


if __name__ == "__main__":
    _run_script(sys.argv[1])
