"""A run published: what others read and what that can be checked by, copied to results/<scale>/ of the project.

What is copied follows from the kinds of files and from what their jobs were given. Left out are models, snapshots, data
sets, raw files, PDFs, and artifacts that nothing shown is made from directly; of these the hashes are kept.
"""

import contextlib
import json
import math
import shutil
from collections import Counter
from pathlib import Path

from logzoo.artifacts.folders import folder_written_whole
from logzoo.artifacts.made import content_hash
from logzoo.artifacts.schema import SCHEMAS
from logzoo.audit.layout import kind_of, scale_of
from logzoo.audit.manifest import (
    UNLISTED,
    listed_files,
    manifest_path,
    manifest_text,
    read_manifest,
    sha256_of,
)
from logzoo.audit.published import PUBLISHED, published_text
from logzoo.audit.selection import selection
from logzoo.audit.tree import audit
from logzoo.reporting.printing import table

MOST_MEGABYTES = 20
_MEGABYTE = 1e6


def publish(folder, scale, *, tasks=None, partial=False, most=MOST_MEGABYTES, hours=None):
    """Publish the run of a scale in results/<scale>/ of its project, in place of what is published there.

    tasks: `Tasks` of today's configuration and code, or None; partial: whether the run need not be finished: then what
    is there and sound by tasks is published. most: megabytes. hours: {figure: core-hours of all that its claims are
    judged from}, to tell what would decide those that are undecided. Returns a table of what was published. Raises
    ValueError, one line, and leaves all as it was, if the run is not finished or not as an audit wants it, or for too
    much.
    """
    folder, target = Path(folder), Path(folder, "results", scale)
    if target.exists() and not (target / PUBLISHED).is_file():
        raise ValueError(f"results/{scale}: expected published results or nothing, found no {PUBLISHED} in it")
    files, made, text = _sound(folder, scale, tasks) if partial else _finished(folder, scale, tasks)
    chosen = selection(made, files)
    if not chosen:
        raise ValueError(f"results/{scale}: nothing to publish, no figure or verdict is finished")
    entries = {path: _entry(folder, path, path in chosen) for path in files}
    run = json.loads(text)["sha256"]
    said = published_text(entries, scale, run, complete=not partial, hours=hours)
    texts = {manifest_path(scale): text, PUBLISHED: said}
    sizes = {path: (folder / path).stat().st_size for path in chosen}
    sizes |= {path: len(content.encode()) for path, content in texts.items()}
    total = sum(sizes.values()) / _MEGABYTE
    if total > most:
        more = f"--config publish_megabytes={math.ceil(total)}"
        raise ValueError(f"results/{scale}: {total:.1f} MB to publish, expected at most {most:g} MB ({more} allows it)")
    target.parent.mkdir(exist_ok=True)
    with folder_written_whole(target) as fresh:
        for path, content in texts.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (fresh / path).write_text(content)
        for path in chosen:
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, fresh / path)
            if sha256_of(fresh / path) != files[path]:
                raise ValueError(f"{path}: changed while it was copied, publish once more")
    return _told(sizes, scale, partial)


def _finished(folder, scale, tasks):
    """Files ({path: sha256}), tasks and text of the manifest of a finished run without a fault."""
    manifest = manifest_path(scale)
    if not (folder / manifest).is_file():
        hint = "run the workflow first, or publish what is finished: --config publish=partial"
        raise ValueError(f"{manifest}: no such file, a run that is finished ends in it; {hint}")
    files, made, _ = read_manifest(folder, scale)
    faults = [one for one in audit(folder, tasks).faults if one.file in files or scale_of(one.file) == scale]
    if faults:
        first = f"{faults[0].file} ({faults[0].check}: {faults[0].found:.60})"
        raise ValueError(f"the audit of {scale} finds {len(faults)} faults, first {first}; snakemake audit lists all")
    return files, made, (folder / manifest).read_text()


def _sound(folder, scale, tasks):
    """The same of a run that need not be finished: of files without a fault that were made from such files."""
    # What is not listed yet is no fault of shared files.
    faults = {one.file for one in audit(folder, tasks).faults if one.check != "manifest" or scale_of(one.file)}
    sound = set(listed_files(folder, scale)) - faults
    inputs = {path: task.inputs for path in sound if (task := tasks.of(path)) is not None}
    inputs = {path: [name for name in names if kind_of(name) not in UNLISTED] for path, names in inputs.items()}
    while lost := {path for path in sound if not sound.issuperset(inputs.get(path, ()))}:
        sound -= lost
    files = {}
    for path in sorted(sound):
        with contextlib.suppress(FileNotFoundError):  # a run that goes on makes it once more
            files[path] = sha256_of(folder / path)
    return files, tasks, manifest_text(files, scale, tasks)


def _entry(folder, path, is_published):
    entry = {"published": is_published}
    if not is_published and kind_of(path) in SCHEMAS:
        entry["content"] = content_hash(folder / path)
    return entry


def _told(sizes, scale, partial):
    """How much of each kind was published, as a table, and all of it in a line."""
    numbers, bytes_of = Counter(), Counter()
    for path, size in sizes.items():
        kind = kind_of(path) or "manifest"
        numbers[kind] += 1
        bytes_of[kind] += size
    rows = [(kind, str(numbers[kind]), f"{bytes_of[kind] / _MEGABYTE:.2f} MB") for kind in sorted(numbers)]
    said = f"published: results/{scale}, {len(sizes)} files, {sum(sizes.values()) / _MEGABYTE:.1f} MB"
    return table(rows) + said + (" (partial: the run is not finished)" if partial else "") + "\n"
