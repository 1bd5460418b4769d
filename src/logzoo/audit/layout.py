"""Where files lie below the folder of a project, and what kind each is of by its place."""

import errno
import os
import re
import stat

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
    (rf"data/{_SIMPLE}/evidence/{_SIMPLE}\.nc", "evidence"),
    (rf"data/{_SIMPLE}/checks/{_SIMPLE}\.{_SIMPLE}\.nc", "check"),
    (rf"data/{_SIMPLE}/best/{_SIMPLE}\.{_SIMPLE}\.nc", "best"),
    (rf"data/{_SIMPLE}/tables/{_SIMPLE}\.nc", "table"),
    (rf"data/{_SIMPLE}/verdicts/{_SIMPLE}\.nc", "verdict"),
    (rf"data/{_SIMPLE}/(figures|timings|tours)/{_SIMPLE}(\.{_SIMPLE})?\.nc", "trace"),
    (rf"data/{_SIMPLE}/(comparisons|races|runs|trainings)/{_SIMPLE}\.{_SIMPLE}\.nc", "trace"),
    (rf"figures/{_SIMPLE}/(index|scorecard|zoo)\.html", "page"),
    (rf"figures/{_SIMPLE}/scorecard\.(md|csv)", "table text"),
    (rf"figures/{_SIMPLE}/{_SIMPLE}/{_SIMPLE}\.(md|html|csv)", "table text"),
    (rf"figures/{_SIMPLE}/{_SIMPLE}/{_SIMPLE}\.(png|pdf)", "picture"),
)
# Folders that such files lie in.
_PART = re.compile(re.escape(f"data/{_SIMPLE}/") + r"(\(?[a-z|]+\)?)/")
_PARTS = [found[1] for pattern, _ in _KINDS if (found := _PART.match(pattern))]
_FOLDERS = re.compile(
    rf"data|figures|data/raw/{_NAME}|data/{_SIMPLE}|data/{_SIMPLE}/({'|'.join(_PARTS)})|data/{_SIMPLE}/estimates/{_SIMPLE}"
    rf"|figures/{_SIMPLE}|figures/{_SIMPLE}/{_SIMPLE}"
)
_MIRROR = "data/mirror"
_OTHER_SORTS = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_UNFINISHED = re.compile(r"(^|/)\.[^/]*\.tmp$|\.checkpoint\.npz$")
STAMPED = ("picture", "page")


def files_of(folder):
    """The regular files below data/ and figures/ of a project, sorted, from its folder; the user's mirror left out."""
    return walked(folder)[0]


def walked(folder):
    """(files, others): regular files as in `files_of`, and {path: what it is} of all that is none.

    Links to files and folders count as these, but no folder is walked twice, none that no kind of file lies in, and
    nothing is opened. Others are also what has a name that cannot be shown.
    """
    files, others, seen = [], {}, set()
    waiting, links = [name for name in ("figures", "data") if os.path.lexists(folder / name)], []
    while waiting or links:
        # What links lead to comes last: a folder is known by its own name.
        path = waiting.pop() if waiting else links.pop()
        what, place = _sort_of(folder / path)
        if what == "":
            files.append(path)
        elif what != "a folder":
            others[path] = what
        elif place in seen:
            others[path] = "a link to a folder that is here already"
        elif not _FOLDERS.fullmatch(path):
            others[path] = "a folder that no file of a run lies in"
        else:
            seen.add(place)
            _list(folder, path, waiting, links, others)
    return sorted(files), dict(sorted(others.items()))


def _list(folder, path, waiting, links, others):
    """Enter what lies in a folder: links, names that cannot be shown, and all else."""
    try:
        with os.scandir(folder / path) as entries:
            inside = [(f"{path}/{entry.name}", entry.is_symlink()) for entry in entries]
    except OSError as error:
        others[path] = f"a folder that cannot be read: {error.strerror}"
        return
    for name, is_link in inside:
        if not name.isprintable():
            others[name] = "a name that is not UTF-8, or not to be printed"
        elif name != _MIRROR:
            (links if is_link else waiting).append(name)


def _sort_of(path):
    """What a path is, "" for a regular file, with what tells folders apart."""
    try:
        status = path.stat()
    except OSError as error:
        reasons = {errno.ENOENT: "a link to nothing, or gone", errno.ELOOP: "links in a circle"}
        return reasons.get(error.errno, f"not to be looked at: {error.strerror}"), None
    if stat.S_ISREG(status.st_mode):
        return "", None
    sort = "a folder" if stat.S_ISDIR(status.st_mode) else _OTHER_SORTS.get(stat.S_IFMT(status.st_mode), "no file")
    return sort, (status.st_dev, status.st_ino)


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
