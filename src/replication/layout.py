"""Paths of files below the folder of a project, and the kinds of these files."""

import os
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

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
_UNFINISHED = re.compile(r"(^|/)\.[^/]*\.tmp$|\.checkpoint\.npz$")


def files_of(folder: FilePath) -> list[str]:
    """Sorted paths of the regular files below data/ and figures/ of a project, without data/mirror."""
    return walked(folder)[0]


def walked(folder: FilePath) -> tuple[list[str], dict[str, str]]:
    """Returns (files, others): regular files as in `files_of`, and {path: description} of everything else.

    No file is opened and no link is followed, except that data/ and figures/ may be links to another disk.
    """
    files, others = [], {}

    def unreadable(error):
        others[os.path.relpath(error.filename, folder)] = f"a folder that cannot be read: {error.strerror}"

    tops = [Path(folder, top) for top in ("data", "figures") if Path(folder, top).is_dir()]
    for parent, folders, names in chain.from_iterable(os.walk(top, onerror=unreadable) for top in tops):
        if Path(parent) == Path(folder, "data") and "mirror" in folders:
            folders.remove("mirror")
        # `os.walk` lists a link to a folder among the folders, and does not follow it.
        for path in [Path(parent, name) for name in (*names, *folders)]:
            name = path.relative_to(folder).as_posix()
            if not name.isprintable():
                others[name] = "a name that is not UTF-8 or cannot be printed"
            elif os.path.islink(path):
                others[name] = "a link"
            elif os.path.isfile(path):
                files.append(name)
            elif os.path.lexists(path) and not os.path.isdir(path):  # a run may have removed it since
                others[name] = "a device, FIFO or socket"
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
