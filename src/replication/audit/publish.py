"""Publication of a run: pages, figures, tables and their inputs, copied to results/<scale>/.

The copy leaves out models, snapshots, data sets, raw files, PDFs, and artifacts that are no direct input of a figure,
page, table or verdict. The manifest lists the hashes of all files that are left out.
"""

import math
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from logzoo.checks import positive_number, shown
from logzoo.io.atomic import write_bytes
from logzoo.io.schema import SCHEMAS
from logzoo.printing import table
from logzoo.types import FilePath
from replication.artifacts import content_hash
from replication.audit.manifest import Manifest, manifest_path, read_manifest
from replication.audit.tree import audit
from replication.layout import kind_of, scale_of
from replication.reporting.quotes import changed_pages

_SHOWN = ("picture", "page", "table text", "table", "verdict", "scorecard")
_NEVER = ("model", "snapshots", "dataset", "raw file", "raw manifest")


def publish(
    folder: FilePath,
    scale: str,
    jobs: Any,
    *,
    most: float = 20.0,
    hours: dict[str, float] | None = None,
    add: bool = False,
) -> Any:
    """Publish the finished run of a scale in results/<scale>/ of its project, and update the pages that quote it.

    jobs: {path: job} of the scale. most: largest size in megabytes. hours: {figure: expected core-hours of its jobs}.
    add: keep the files of an earlier publication that this run does not have. By default they are removed. Returns
    lines with the number of published files of each kind, the total size, and the changed pages. Raises a one-line
    ValueError if the run is not finished, has faults or stale files, has nothing to publish, or is too large. It is
    also raised if results/<scale> is a link or has files that no publication wrote. Faulty or stale files kept by `add`
    and a wrong mark on a page raise it, too. These errors change no files.
    """
    folder, target = Path(folder), Path(folder, "results", scale)
    most = positive_number("megabytes", most)
    fresh, old = (target.with_name(f".{scale}.{part}.tmp") for part in ("new", "old"))
    # A process that was killed between the two renames below has left the earlier publication as `old`.
    if old.is_dir() and not old.is_symlink() and not target.exists():
        os.replace(old, target)
    present = _published(target, scale)
    earlier = present if add else Manifest(scale, {}, {}, {})
    files = files_of_run(folder, scale, {scale: jobs})
    wanted = {path for path in files if kind_of(path) in (*_SHOWN, "zoo")}
    # The finished inputs of an unfinished figure are published as well, so that a later run need not regenerate them.
    wanted |= {name for path, job in jobs.items() if kind_of(path) in _SHOWN for name in job["inputs"]}
    chosen = sorted(path for path in wanted & set(files) if kind_of(path) not in _NEVER and not path.endswith(".pdf"))
    if not chosen:
        raise ValueError(f"results/{scale}: nothing to publish, because no figure or verdict is finished")
    sources = {path: target for path in earlier.files if path not in files} | dict.fromkeys(chosen, folder)
    # If the project was restored from published results, the manifest of the run also lists left-out files.
    run = read_manifest(folder, scale)
    left_out = {path: digest for path, digest in {**earlier.left_out, **run.left_out}.items() if path not in sources}
    left_out |= {path: _content(folder, path, files[path]) for path in files if path not in chosen}
    digests = {**earlier.files, **files}
    listed = {path: digests[path] for path in sources}
    text = Manifest(scale, listed, left_out, hours or {}, run.protocol).text()
    megabytes = (len(text) + sum((source / path).stat().st_size for path, source in sources.items())) / 1e6
    if megabytes > most:
        size = f"{megabytes:.1f} MB to publish, expected at most {most:g} MB"
        raise ValueError(f"results/{scale}: {size} (--megabytes {math.ceil(megabytes)} allows it)")
    for leftover in (fresh, old):
        _remove(leftover)
    try:
        for path, source in sources.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, fresh / path)
        (fresh / manifest_path(scale)).write_text(text)
        files_of_run(fresh, scale, {scale: jobs})
        # Errors in pages are raised here, before the old results are replaced.
        changed = changed_pages(folder, {scale: fresh})
        # The system cannot replace one folder by another in a single step.
        if target.is_dir():
            os.replace(target, old)
        os.replace(fresh, target)
    finally:
        _remove(fresh)
    _remove(old)
    for page, content in changed.items():
        write_bytes(folder / page, content)
    updated = "".join(f"updated: {page}\n" for page in changed)
    counts = Counter(map(kind_of, (*sources, manifest_path(scale))))
    rows = [(kind, str(count)) for kind, count in sorted(counts.items())]
    return f"{table(rows)}published: results/{scale}, {counts.total()} files, {megabytes:.1f} MB\n{updated}"


def _remove(path):
    """Remove a folder, a file or a link, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _published(target, scale):
    """The manifest of an earlier publication, after a check that nothing but its files would be replaced."""
    if target.is_symlink():
        raise ValueError(f"results/{scale}: expected a folder or nothing, found a link; replace it by the folder")
    if not target.exists():
        return Manifest(scale, {}, {}, {})
    if not (target / manifest_path(scale)).is_file():
        raise ValueError(f"results/{scale}: expected published results or nothing, found no {manifest_path(scale)}")
    try:
        manifest = read_manifest(target, scale)
    except ValueError:
        path = f"results/{scale}/{manifest_path(scale)}"
        raise ValueError(f"{path}: not a manifest of {scale}; restore it, or move results/{scale} elsewhere") from None
    others = {path for path in target.rglob("*") if path.is_symlink() or not path.is_dir()}
    others -= {target / path for path in (*manifest.files, manifest_path(scale))}
    if others:
        name = shown(str(min(others).relative_to(target)))
        raise ValueError(f"results/{scale}: expected published files only, found {name}; move it elsewhere")
    return manifest


def files_of_run(folder: Path, scale: str, jobs: Any = None) -> dict[str, str]:
    """Returns {path: sha256} of a finished run.

    Raises a one-line ValueError if the run is not finished, or has faults or stale files.
    """
    if not (folder / manifest_path(scale)).is_file():
        raise ValueError(f"{manifest_path(scale)}: no such file in {folder}; run the workflow first to write it")
    files = read_manifest(folder, scale).files
    findings = audit(folder, jobs)
    wrong = {fault.file: fault.check for fault in findings.faults} | findings.stale
    wrong = {path: reason for path, reason in wrong.items() if path in files or scale_of(path) == scale}
    if wrong:
        path, reason = next(iter(wrong.items()))
        raise ValueError(
            f"{len(wrong)} files of {scale} are faulty or stale, for example {path} ({reason}); see replication audit"
        )
    return files


def _content(folder, path, digest):
    """The hash that other files record for an input: the content hash of an artifact, else the SHA-256 of the file."""
    return content_hash(folder / path) if kind_of(path) in SCHEMAS else digest
