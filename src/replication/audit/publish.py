"""Publication of a run: pages, figures, tables and their inputs, copied to results/<scale>/.

Models, snapshots, data sets, raw files and PDFs are left out, and so are artifacts that are no direct input of a
published file. The manifest keeps their hashes.
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
    folder: FilePath, scale: str, jobs: Any, *, most: float = MOST_MEGABYTES, hours: dict[str, float] | None = None
) -> Any:
    """Publish the finished run of a scale in results/<scale>/ of its project, replacing an earlier publication.

    jobs: {path: job} of its configuration; most: megabytes; hours: {figure: core-hours of its claims}. Returns a
    table of the published files. Raises ValueError, one line, if the run is not finished, has faults or stale files,
    or is too large; nothing is changed then.
    """
    folder, target = Path(folder), Path(folder, "results", scale)
    if target.exists() and not (target / manifest_path(scale)).is_file():
        raise ValueError(f"results/{scale}: expected published results or nothing, found no {manifest_path(scale)}")
    files = files_of_run(folder, scale, {scale: jobs})
    wanted = {path for path in files if kind_of(path) in (*_SHOWN, "zoo")}
    wanted |= {name for path in wanted if kind_of(path) in _SHOWN and path in jobs for name in jobs[path]["inputs"]}
    chosen = sorted(path for path in wanted & set(files) if kind_of(path) not in _NEVER and not path.endswith(".pdf"))
    if not chosen:
        raise ValueError(f"results/{scale}: nothing to publish, no figure or verdict is finished")
    left_out = {path: _content(folder, path, files[path]) for path in files if path not in chosen}
    protocol = read_manifest(folder, scale).protocol
    text = Manifest(scale, {path: files[path] for path in chosen}, left_out, hours or {}, protocol).text()
    sizes = {path: (folder / path).stat().st_size for path in chosen} | {manifest_path(scale): len(text)}
    total = sum(sizes.values()) / _MEGABYTE
    if total > most:
        more = f"--megabytes {math.ceil(total)}"
        raise ValueError(f"results/{scale}: {total:.1f} MB to publish, expected at most {most:g} MB ({more} allows it)")
    target.parent.mkdir(exist_ok=True)
    with folder_written_whole(target) as fresh:
        for path in (*chosen, manifest_path(scale)):
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
        for path in chosen:
            shutil.copyfile(folder / path, fresh / path)
        (fresh / manifest_path(scale)).write_text(text)
    rows = [(kind, str(count)) for kind, count in sorted(Counter(kind_of(path) for path in sizes).items())]
    return f"{table(rows)}published: results/{scale}, {len(sizes)} files, {total:.1f} MB\n"


def files_of_run(folder: Path, scale: str, jobs: Any = None) -> dict[str, str]:
    """{path: sha256} of a finished run without faults or stale files; ValueError, one line, for any other."""
    if not (folder / manifest_path(scale)).is_file():
        raise ValueError(f"{manifest_path(scale)}: no such file in {folder}; run the workflow first, it ends with this")
    files = read_manifest(folder, scale).files
    findings = audit(folder, jobs)
    wrong = {fault.file: fault.check for fault in findings.faults} | findings.stale
    wrong = {path: reason for path, reason in wrong.items() if path in files or scale_of(path) == scale}
    if wrong:
        path, reason = next(iter(wrong.items()))
        raise ValueError(
            f"{len(wrong)} files of {scale} are faulty or stale, first {path} ({reason}); see replication audit"
        )
    return files


def _content(folder, path, digest):
    """The hash by which other files name an input: of the content of an artifact, of the bytes of any other file."""
    return content_hash(folder / path) if kind_of(path) in SCHEMAS else digest
