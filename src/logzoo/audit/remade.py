"""Verdicts, figures, tables and pages made once more from published artifacts, by the present code, and compared."""

import tempfile
from pathlib import Path

import numpy as np

from logzoo.artifacts.stamps import without_stamp
from logzoo.audit import scripts
from logzoo.audit.layout import kind_of
from logzoo.audit.replay import differences, read_whole
from logzoo.reporting.printing import one_line

# Made from artifacts alone, without a draw. Texts of tables are checked as in any tree.
REMADE = ("table", "verdict", "scorecard", "picture", "page")
# What code and machine leave in an artifact whose numbers are the same.
_OF_THE_CODE = {"source_sha256", "software_json"}
_SHOWN = 3


def check_remade(findings, folder, made, there):
    """Enter whether each file is what the present code makes of the artifacts that are there.

    made: `Tasks` of the run; there: the files that are published. Pages are left to their hashes where the code or the
    templates have changed since: how they look is no result.
    """
    from PIL import Image  # noqa: F401  what is drawn needs more than the library: say so before all else

    jobs, lacking, changed = {}, {}, []
    for path in [path for path in there if kind_of(path) in REMADE]:
        task = made.of(path)
        if task is None or not task.script:
            findings.check(path, "replay", False, "no job that makes it", "one in the manifest of the run")
            continue
        lost = [name for name in task.inputs if name not in there and not scripts.is_template(name)]
        if lost:
            lacking[path] = lost[0]
        elif kind_of(path) == "page" and scripts.digest_today(task) != task.source:
            changed.append(path)
        elif findings.check(path, "replay", not scripts.refusal(task), scripts.refusal(task), "a job of the workflow"):
            jobs.setdefault(task.outputs[0], (task, []))[1].append(path)
    with tempfile.TemporaryDirectory() as scratch:
        done = scripts.run_scripts(folder, Path(scratch), [task for task, _ in jobs.values()])
        for (place, failure), (_, paths) in zip(done, jobs.values(), strict=True):
            for path in paths:
                with findings.going_on(path):
                    found = f"not to be made again: {failure}" if failure else _difference(folder / path, place / path)
                    findings.check(path, "replay", not found, found, "what the present code makes of its artifacts")
    findings.notes.append(f"made once more: {sum(len(paths) for _, paths in jobs.values())} files")
    for path, name in lacking.items():
        findings.notes.append(f"not made once more: {path}, from {name}, which is not published")
    for path in changed:
        findings.notes.append(f"not made once more: {path}, for the present code or templates are others")


def tell_changed(findings, made, tasks, there):
    """Note which files the present code would make anew, which is no fault.

    tasks: `Tasks` of the present configuration and code, or None: then of what is made from artifacts alone.
    """
    known = {}
    for path in there:
        then = made.of(path)
        now = None if tasks is None else tasks.of(path)
        if then is not None and now is not None:
            known[path] = (then.parameters, then.source) == (now.parameters, now.source)
        elif then is not None and kind_of(path) in (*REMADE, "table text"):
            known[path] = scripts.digest_today(then) == then.source
    anew = [path for path, same in known.items() if not same]
    some = ", ".join(anew[:_SHOWN]) + (f" and {len(anew) - _SHOWN} more" if len(anew) > _SHOWN else "")
    said = f"the present code would make anew {len(anew)} of {len(known)} files"
    findings.notes.append(f"{said}: {some}" if anew else said)
    if len(known) < len(there):
        rest = f"{len(there) - len(known)} files that were sampled or measured"
        findings.notes.append(f"not compared with the present code: {rest} (--expected of snakemake audit does)")


def _difference(file, again):
    """What differs in a file made once more, as text; empty if nothing does."""
    kind = "artifact" if file.suffix == ".nc" else file.suffix
    if not again.is_file():
        return "its script ended well, but made no such file"
    if kind == "artifact":
        try:
            unlike = [name for name in differences(read_whole(file), read_whole(again)) if name not in _OF_THE_CODE]
        except Exception as error:  # what a damaged file may break is not to be foreseen
            return f"not to be compared: {one_line(error)}"
        return f"other {', '.join(unlike)}" if unlike else ""
    if kind == ".png":
        return "" if np.array_equal(_pixels(file), _pixels(again)) else "other pixels"
    return "" if without_stamp(file.read_text()) == without_stamp(again.read_text()) else "another text"


def _pixels(file):
    from PIL import Image

    with Image.open(file, formats=["PNG"]) as image:
        return np.asarray(image.convert("RGBA"))
