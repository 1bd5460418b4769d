"""Where files lie below the folder of a project, and what kind each is of by its place."""

import os
import re
from pathlib import Path

_NAME = r"[^/.][^/]*"
_SIMPLE = r"[^/.]+"
# Pattern of a path -> kind of artifact (`artifacts.schema`), or of another file; the first that fits.
_KINDS = (
    (r"(data|figures)/README\.md", "description"),
    (rf"data/raw/{_NAME}/manifest\.json", "raw manifest"),
    (rf"data/raw/{_NAME}/{_NAME}", "raw file"),
    (rf"data/datasets/{_SIMPLE}\.nc", "dataset"),
    (rf"data/{_SIMPLE}/manifest\.json", "manifest"),
    (rf"data/{_SIMPLE}/zoo\.nc", "zoo"),
    (rf"data/{_SIMPLE}/scorecard\.nc", "scorecard"),
    (rf"data/{_SIMPLE}/models/{_SIMPLE}\.trace\.nc", "trace"),
    (rf"data/{_SIMPLE}/models/{_SIMPLE}\.snapshots\.nc", "snapshots"),
    (rf"data/{_SIMPLE}/models/{_SIMPLE}\.nc", "model"),
    (rf"data/{_SIMPLE}/truths/{_SIMPLE}\.{_SIMPLE}\.nc", "estimate"),
    (rf"data/{_SIMPLE}/truths/{_SIMPLE}\.nc", "truth"),
    (rf"data/{_SIMPLE}/estimates/{_SIMPLE}/{_SIMPLE}\.nc", "estimate"),
    (rf"data/{_SIMPLE}/checks/{_SIMPLE}\.{_SIMPLE}\.nc", "check"),
    (rf"data/{_SIMPLE}/best/{_SIMPLE}\.{_SIMPLE}\.nc", "best"),
    (rf"data/{_SIMPLE}/tables/{_SIMPLE}\.nc", "table"),
    (rf"data/{_SIMPLE}/verdicts/{_SIMPLE}\.nc", "verdict"),
    (rf"data/{_SIMPLE}/(figures|timings|tours)/{_SIMPLE}(\.{_SIMPLE})?\.nc", "trace"),
    (rf"data/{_SIMPLE}/(comparisons|trainings)/{_SIMPLE}\.{_SIMPLE}\.nc", "trace"),
    (rf"figures/{_SIMPLE}/(index|scorecard)\.html", "page"),
    (rf"figures/{_SIMPLE}/scorecard\.(md|csv)", "table text"),
    (rf"figures/{_SIMPLE}/{_SIMPLE}/{_SIMPLE}\.(md|html|csv)", "table text"),
    (rf"figures/{_SIMPLE}/{_SIMPLE}/{_SIMPLE}\.(png|pdf)", "picture"),
)
_UNFINISHED = re.compile(r"(^|/)\.[^/]*\.tmp$|\.checkpoint\.npz$")
STAMPED = ("picture", "page")


def files_of(folder):
    """All files below data/ and figures/ of a project, sorted, from its folder; the user's mirror left out."""
    files = []
    for top in ("data", "figures"):
        for parent, folders, names in os.walk(folder / top, followlinks=True):
            inside = Path(parent).relative_to(folder)
            if inside.as_posix() == "data":
                folders[:] = [name for name in folders if name != "mirror"]
            files += [(inside / name).as_posix() for name in names]
    return sorted(files)


def kind_of(path):
    """What a file is by its path; None for what no job of the workflow leaves behind."""
    if is_unfinished(path):
        return None
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, path)), None)


def is_unfinished(path):
    """Whether a path is that of a temporary file or a checkpoint."""
    return _UNFINISHED.search(path) is not None


def scale_of(path):
    """The scale that a file belongs to; None for data sets and raw files, which all scales share."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[1] not in ("raw", "datasets") else None


def scales_of(paths):
    """The scales that any of these files belong to, sorted."""
    return sorted({scale_of(path) for path in paths} - {None})


def is_timed(path):
    """Whether a file holds measured times."""
    return path.split("/")[2:3] == ["timings"]
