"""What ought to be there, and what it ought to record, by the jobs of the configuration or of a manifest."""

import json

from logzoo.artifacts.made import digest_of
from logzoo.audit.layout import is_unfinished, scale_of

_UNMADE = (None, "description", "raw file", "manifest")
# Kinds of files that do not say themselves what they were made with.
_UNRECORDED = ("raw manifest", "table text")


def check_leftovers(findings, kinds, raw, tasks, others):
    """No temporary files, none of no kind, no raw files that no manifest names, and none that no rule makes.

    kinds: {path: kind} of the files that are there; raw: the raw files that manifests name; others: `Tasks` of the
    manifests that are there, whose scales share data sets and raw files with that of `tasks`.
    """
    for path, kind in kinds.items():
        found = "a temporary file or checkpoint" if is_unfinished(path) else "a file of no known kind"
        findings.check(path, "leftover", kind is not None, found, "finished files of known kinds")
        if kind == "raw file":
            findings.check(path, "leftover", path in raw, "a raw file", "files that a manifest beside them names")
        if tasks is not None and kind not in _UNMADE and scale_of(path) in (tasks.scale, None):
            made = any(each.of(path) is not None for each in (tasks, *(others if scale_of(path) is None else ())))
            findings.check(path, "leftover", made, "a file that no rule makes", "files of the configuration only")


def check_presence(findings, there, tasks, said, whose):
    """Every file that jobs make is there, if it is not said to be missing already."""
    for path in [path for path in tasks.made if path not in said]:
        findings.check(path, "present", path in there, "no such file", f"a file that {whose} makes")


def check_unrecorded(findings, kinds, tasks, made):
    """What files record nowhere else: the manifest has their jobs as the workflow would have them today.

    made: `Tasks` of the manifest, None if there is none.
    """
    for path in [path for path, kind in kinds.items() if kind in _UNRECORDED and made is not None]:
        today, then = tasks.of(path), made.of(path)
        if today is not None and then is not None:
            inputs = [name for name in then.inputs if name.endswith(".nc")]
            record = {"parameters": then.parameters, "source": then.source, "inputs": inputs}
            check_task(findings, path, record, tasks)


def check_task(findings, path, record, tasks):
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
