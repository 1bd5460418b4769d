"""Paths of files below the folder of a project, the kinds of these files, and folders that are written whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logzoo.types import FilePath


_NAME = r"[^/.][^/]*"
_WORD = r"[^/.]+"
# Folder of data/<scale>/ -> kind of the artifacts in it (`logzoo.io.schema`).
_PARTS = {"evidence": "evidence", "checks": "check", "best": "best", "tables": "table", "verdicts": "verdict"}
_PARTS |= dict.fromkeys(("comparisons", "figures", "runs", "timings", "tours", "trainings"), "trace")
# Pattern of a path -> kind of artifact, or of another file. The first pattern that matches counts.
_KINDS = (
    (r"(data|figures)/README\.md", "description"),
    (rf"data/raw/{_NAME}/manifest\.json", "raw manifest"),
    (rf"data/raw/{_NAME}/{_NAME}", "raw file"),
    (rf"data/datasets/{_WORD}\.nc", "dataset"),
    (rf"data/{_WORD}/manifest\.json", "manifest"),
    (rf"data/{_WORD}/zoo\.nc", "zoo"),
    (rf"data/{_WORD}/scorecard\.nc", "scorecard"),
    (rf"data/{_WORD}/models/{_WORD}\.trace\.nc", "trace"),
    (rf"data/{_WORD}/models/{_WORD}\.snapshots\.nc", "snapshots"),
    (rf"data/{_WORD}/models/{_WORD}\.nc", "model"),
    (rf"data/{_WORD}/(truths/{_WORD}\.|estimates/{_WORD}/){_WORD}\.nc", "estimate"),
    (rf"data/{_WORD}/truths/{_WORD}\.nc", "truth"),
    *((rf"data/{_WORD}/{part}/{_WORD}(\.{_WORD})?\.nc", kind) for part, kind in _PARTS.items()),
    (rf"figures/{_WORD}/(index|scorecard|zoo)\.html", "page"),
    (rf"figures/{_WORD}/(scorecard\.(md|csv)|{_WORD}/{_WORD}\.(md|html|csv))", "table text"),
    (rf"figures/{_WORD}/{_WORD}/{_WORD}\.(png|pdf)", "picture"),
)
# Kinds of files that no manifest lists.
UNLISTED = (None, "description", "manifest")
STAMPED = ("picture", "page")
_MIRROR = "data/mirror"
# No file of a run lies deeper than data/<scale>/estimates/<model>/.
_DEEPEST = 4
# Largest number of entries to read, many times the number in a run.
_MOST_ENTRIES = 100_000
_UNFINISHED = re.compile(r"(^|/)\.[^/]*\.tmp$|\.checkpoint\.npz$")


def files_of(folder: FilePath) -> list[str]:
    """Sorted paths of the regular files below data/ and figures/ of a project, without data/mirror."""
    return walked(folder)[0]


def walked(folder: FilePath) -> tuple[list[str], dict[str, str]]:
    """Returns (files, others): regular files as in `files_of`, and {path: description} of everything else.

    No file is opened and no link is followed, except that data/ and figures/ may be links to another disk.
    """
    files, others = [], {}
    waiting = [top for top in ("data", "figures") if Path(folder, top).is_dir()]
    while waiting:
        path = waiting.pop()
        if len(files) + len(others) > _MOST_ENTRIES:
            others[path] = f"more than {_MOST_ENTRIES:,} entries; the remaining entries were not checked"
            break
        try:
            with os.scandir(Path(folder, path)) as entries:
                inside = {f"{path}/{entry.name}": entry for entry in entries}
        except OSError as error:
            others[path] = f"a folder that cannot be read: {error.strerror}"
            continue
        for name, entry in inside.items():
            if not name.isprintable():
                others[name] = "a name that is not UTF-8 or cannot be printed"
            elif entry.is_file(follow_symlinks=False):
                files.append(name)
            elif not entry.is_dir(follow_symlinks=False):
                others[name] = "a link" if entry.is_symlink() else "a device, FIFO or socket"
            elif name.count("/") >= _DEEPEST:
                others[name] = "a folder below all folders of a run"
            elif name != _MIRROR:
                waiting.append(name)
    return sorted(files), dict(sorted(others.items()))


def kind_of(path: str) -> str | None:
    """The kind of a file by its path; None for a path that no finished run has."""
    if is_unfinished(path):
        return None
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, path)), None)


def is_unfinished(path: str) -> bool:
    """Whether a path belongs to a temporary file or a checkpoint."""
    return _UNFINISHED.search(path) is not None


def scale_of(path: str) -> str | None:
    """The scale that a file belongs to; None for files that all scales share, such as data sets and raw files."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[1] not in ("raw", "datasets") else None


def scales_of(paths: Iterable[str]) -> list[str]:
    """The sorted scales that these files belong to."""
    return sorted({scale for path in paths if (scale := scale_of(path)) is not None})


def is_timed(path: str) -> bool:
    """Whether a file holds measured times."""
    return path.split("/")[2:3] == ["timings"]


@contextlib.contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill. If the block raises no error, the folder becomes `path`, in place of any old folder.

    Leftovers of killed processes are removed. If such a process had moved the old folder away and `path` is missing,
    the old folder is put back. Only one process at a time may write a folder.
    """
    path = Path(path)
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        if leftover.name.endswith("-old.tmp") and not path.exists():
            os.replace(leftover, path)
        else:
            shutil.rmtree(leftover)
    unlike = secrets.token_hex(4)
    fresh, old = (path.with_name(f".{path.name}.{unlike}-{part}.tmp") for part in ("new", "old"))
    try:
        fresh.mkdir()
        yield fresh
        # The system cannot replace one folder by another in a single step.
        if path.is_dir():
            os.replace(path, old)
        os.replace(fresh, path)
    finally:
        if old.is_dir() and not path.exists():
            os.replace(old, path)
        for folder in (fresh, old):
            shutil.rmtree(folder, ignore_errors=True)
