"""Published results: what of a run is kept for good, small enough for a repository, and the audit of that alone.

A folder of published results holds files of one run at their paths, the manifest of that run, and `published.json`:
{"complete", "files": {path: {"published"}}, "hours": {figure: core-hours}, "run", "scale", "sha256"}, where files are
those that the manifest lists, with their sha256 there, `run` is the sha256 that the manifest states, hours are what all
that a figure's claims are judged from takes, and an artifact that is not published has its `content` hash, as others
record it.
"""

import hashlib
import json
from functools import partial
from pathlib import Path

from logzoo.artifacts.json_objects import json_object
from logzoo.audit import scripts
from logzoo.audit.chain import check_inputs
from logzoo.audit.contents import check_contents
from logzoo.audit.expected import check_task
from logzoo.audit.findings import Findings
from logzoo.audit.layout import kind_of, walked
from logzoo.audit.manifest import manifest_path, read_manifest, sha256_of
from logzoo.audit.remade import check_remade, tell_changed
from logzoo.audit.selection import selection
from logzoo.reporting.printing import one_line

PUBLISHED = "published.json"
_KEYS = {"complete", "files", "hours", "run", "scale"}
# What lies in a folder of published results; the last is what an audit leaves.
_TOPS = ("data", "figures", PUBLISHED, "audit.json")


def published_text(files, scale, run, *, complete, hours=None):
    """The content of `published.json`."""
    return _text({"complete": complete, "files": files, "hours": hours or {}, "run": run, "scale": scale})


def read_published(folder):
    """What `published.json` says, a dict; ValueError, one line, if it is not as written."""
    try:
        text = Path(folder, PUBLISHED).read_text()
        content = json_object(text)
        content.pop("sha256")
        intact = (
            _text(content) == text
            and set(content) == _KEYS
            and isinstance(content["scale"], str)
            and isinstance(content["complete"], bool)
        )
        for entry in content["files"].values():
            intact = intact and isinstance(entry["published"], bool) and isinstance(entry.get("content", ""), str)
        for hours in content["hours"].values():
            intact = intact and type(hours) in (int, float)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise ValueError(f"{PUBLISHED}: not as written: {reason}") from None
    if not intact:
        raise ValueError(f"{PUBLISHED}: other content than its sha256 says, the file is damaged or was edited")
    return content


def audit_published(folder, tasks=None, *, remake=True):
    """Check published results by themselves. Returns `Findings`.

    tasks: `Tasks` of what the present configuration and code would have the files made with; None leaves that out.
    remake: whether verdicts, figures, tables and pages are made once more from the published artifacts.
    """
    folder, findings = Path(folder).resolve(), Findings()
    written = "what `snakemake publish` wrote"
    content = findings.read(PUBLISHED, "manifest", partial(read_published, folder), written)
    scale = None if content is None else content["scale"]
    manifest = None
    if content is not None:
        run = manifest_path(scale)
        manifest = findings.read(run, "manifest", partial(read_manifest, folder, scale), "the manifest of the run")
    if manifest is None:
        findings.notes.append("nothing else was checked: there is no telling what ought to be here")
        return findings
    listed, made, stated = manifest
    findings.check(PUBLISHED, "manifest", stated == content["run"], f"run {content['run']}", f"{stated}, in {run}")
    findings.check(PUBLISHED, "manifest", set(content["files"]) == set(listed), "other files", f"those in {run}")
    findings.notes.append(f"{run}: sha256 {stated}; keep it elsewhere to notice a new manifest")
    wanted = {path: listed[path] for path in selection(made, listed)}
    said = {path for path, entry in content["files"].items() if entry["published"]}
    findings.check(
        PUBLISHED, "manifest", said == set(wanted), "other files published", f"those that jobs in {run} show"
    )
    there = _check_files(findings, folder, wanted, run)
    records = _check_made(findings, folder, content, listed, there)
    for path, record in records.items():
        with findings.going_on(path):
            check_task(findings, path, record, made)
    _tell(findings, content, there)
    if not scripts.SCRIPTS.is_dir():
        findings.notes.append(f"nothing was made once more: no {scripts.SCRIPTS}, which a checkout of logzoo has")
        return findings
    if remake:
        check_remade(findings, folder, made, there)
    tell_changed(findings, made, tasks, there)
    return findings


def _check_files(findings, folder, wanted, run):
    """Enter whether the files are those that are published, {path: sha256}; returns those to check further."""
    files, others = walked(folder)
    others |= {path.name: "no file of a run" for path in folder.iterdir() if path.name not in _TOPS}
    for path, what in others.items():
        findings.check(path, "leftover", False, what, "published files only")
    findings.files = len(files) + 1
    for path in files:
        known = path == run or (path in wanted and kind_of(path) is not None)
        findings.check(path, "leftover", known, "a file that is not published", f"files in {PUBLISHED} only")
    for path, digest in wanted.items():
        if findings.check(path, "present", path in files, "no such file", f"a file in {PUBLISHED}"):
            with findings.going_on(path):
                found = sha256_of(folder / path)
                findings.check(path, "manifest", found == digest, f"sha256 {found}", f"{digest}, in {run}")
    return [path for path in files if path in wanted]


def _check_made(findings, folder, content, listed, there):
    """Enter the checks of each file, and whether it was made from what is here or named; returns what they record."""
    files = content["files"].items()
    hashes = {path: entry.get("content", listed.get(path)) for path, entry in files if not entry["published"]}
    found, records = check_contents(findings, folder, {path: kind_of(path) for path in there})
    hashes |= found
    for path, record in records.items():
        with findings.going_on(path):
            check_inputs(findings, path, record["inputs"], hashes)
    return records


def _tell(findings, content, there):
    """Note how much of the run is here, and whether the run was finished."""
    count, all_of_it = len(there), len(content["files"])
    findings.notes.append(f"{count} of {all_of_it} files of the run are here, {all_of_it - count} by hash alone")
    if not content["complete"]:
        findings.notes.append("partial: published from a run that was not finished")


def _text(content):
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({**content, "sha256": digest}, indent=0, sort_keys=True) + "\n"
