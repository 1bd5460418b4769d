"""Publication of a run: pages, figures, tables and their inputs, copied to results/<scale>/.

The copy leaves out models, snapshots, data sets, raw files, PDFs, and artifacts that are no direct input of a published
file. The manifest lists the hashes of all files that are left out.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from logzoo.io.schema import SCHEMAS
from logzoo.printing import table
from replication.artifacts import content_hash
from replication.audit.manifest import Manifest, manifest_path, read_manifest
from replication.audit.tree import audit
from replication.layout import folder_written_whole, kind_of, scale_of

if TYPE_CHECKING:
    from typing import Any

    from logzoo.types import FilePath


MOST_MEGABYTES, _MEGABYTE = 20, 1e6
_SHOWN = ("picture", "page", "table text", "table", "verdict", "scorecard")
_NEVER = ("model", "snapshots", "dataset", "raw file", "raw manifest")


def publish(
    folder: FilePath,
    scale: str,
    jobs: Any,
    *,
    most: float = MOST_MEGABYTES,
    hours: dict[str, float] | None = None,
    add: bool = False,
) -> Any:
    """Publish the finished run of a scale in results/<scale>/ of its project.

    jobs: {path: job} of the scale. most: largest size in megabytes. hours: {figure: expected core-hours of its jobs}.
    add: keep the files of an earlier publication that this run does not have. By default they are removed. Returns
    lines with the number of published files of each kind, and the total size. Raises a one-line ValueError if the run
    is not finished, has faults or stale files, has nothing to publish, or is too large. The error is also raised if
    results/<scale> exists without manifest, or if files kept by `add` are faulty or stale. A failure changes no files.
    """
    folder, target = Path(folder), Path(folder, "results", scale)
    if target.exists() and not (target / manifest_path(scale)).is_file():
        raise ValueError(f"results/{scale}: expected published results or nothing, found no {manifest_path(scale)}")
    earlier = read_manifest(target, scale) if add and target.exists() else Manifest(scale, {}, {}, {})
    files = files_of_run(folder, scale, {scale: jobs})
    wanted = {path for path in files if kind_of(path) in (*_SHOWN, "zoo")}
    # The finished inputs of an unfinished figure are published as well, so that a later run need not regenerate them.
    wanted |= {name for path, job in jobs.items() if kind_of(path) in _SHOWN for name in job["inputs"]}
    chosen = sorted(path for path in wanted & set(files) if kind_of(path) not in _NEVER and not path.endswith(".pdf"))
    if not chosen:
        raise ValueError(f"results/{scale}: nothing to publish, because no figure or verdict is finished")
    sources = {path: target for path in earlier.files if path not in files} | {path: folder for path in chosen}
    left_out = {path: digest for path, digest in earlier.left_out.items() if path not in sources}
    left_out |= {path: _content(folder, path, files[path]) for path in files if path not in chosen}
    digests = {**earlier.files, **files}
    listed = {path: digests[path] for path in sources}
    text = Manifest(scale, listed, left_out, hours or {}, read_manifest(folder, scale).protocol).text()
    sizes = {path: (source / path).stat().st_size for path, source in sources.items()} | {
        manifest_path(scale): len(text)
    }
    total = sum(sizes.values()) / _MEGABYTE
    if total > most:
        more = f"--megabytes {math.ceil(total)}"
        raise ValueError(f"results/{scale}: {total:.1f} MB to publish, expected at most {most:g} MB ({more} allows it)")
    target.parent.mkdir(exist_ok=True)
    with folder_written_whole(target) as fresh:
        for path in sizes:
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
        for path, source in sources.items():
            shutil.copyfile(source / path, fresh / path)
        (fresh / manifest_path(scale)).write_text(text)
        if add:
            files_of_run(fresh, scale, {scale: jobs})
    rows = [(kind, str(count)) for kind, count in sorted(Counter(kind_of(path) for path in sizes).items())]
    return f"{table(rows)}published: results/{scale}, {len(sizes)} files, {total:.1f} MB\n"


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
