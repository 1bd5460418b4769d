"""What a finished run left behind, by its manifest: nothing is described that is not as it was listed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import netCDF4

from logzoo.audit.layout import scale_of
from logzoo.audit.manifest import listed_files, manifest_path, read_manifest, sha256_of
from logzoo.audit.tasks import Tasks

_SHOWN = 5


class Run(NamedTuple):
    """A finished run: its scale, its files ({path: sha256}) in order, and the jobs that made them."""

    scale: str
    files: dict
    tasks: Tasks


def read_run(folder, scale, tasks=None):
    """The run of a scale, from its manifest.

    tasks: `Tasks` of today's configuration and code, to compare with those of the run; None leaves that out.
    Raises ValueError, one line, if there is no manifest, if files are not as it lists them, or if tasks differ.
    """
    folder, manifest = Path(folder), manifest_path(scale)
    if not (folder / manifest).is_file():
        raise ValueError(f"{manifest}: no such file in {folder}, run the workflow first: it ends by writing this")
    files, made, _ = read_manifest(folder, scale)
    _check_files(folder, scale, files)
    if tasks is not None:
        _check_tasks(scale, files, made, tasks)
    return Run(scale, dict(sorted(files.items())), made)


def attributes_of(path):
    """All attributes of an artifact whose bytes were checked already."""
    with netCDF4.Dataset(path) as file:
        return {name: file.getncattr(name) for name in file.ncattrs()}


def software_of(records):
    """(name, version) of all software that attributes of artifacts name, in order."""
    found = {item for record in records for item in json.loads(record.get("software_json", "{}")).items()}
    return sorted(found)


def times_of(folder, run):
    """When the oldest file of the scale and the manifest were written, in UTC: the file system knows no more."""
    own = [path for path in run.files if scale_of(path) == run.scale]
    times = [(Path(folder) / path).stat().st_mtime for path in (*own, manifest_path(run.scale))]
    return tuple(datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds") for time in (min(times), times[-1]))


def _check_files(folder, scale, files):
    found = {
        path: sha256_of((folder / path).read_bytes())
        for path in listed_files(folder, scale)
        # What another scale added to the data sets that all share is not of this run.
        if path in files or scale_of(path) == scale
    }
    faults = {
        "changed": [path for path in files if path in found and found[path] != files[path]],
        "missing": [path for path in files if path not in found],
        "not listed": [path for path in found if path not in files],
    }
    said = "; ".join(f"{fault}: {_some(paths)}" for fault, paths in faults.items() if paths)
    if said:
        raise ValueError(f"files are not as {manifest_path(scale)} lists them ({said}): run the workflow again")


def _check_tasks(scale, files, made, tasks):
    """Every file would be made by the same job today."""
    other = [path for path in files if _job(made, path) != _job(tasks, path)]
    if other:
        raise ValueError(
            f"configuration or code is not that of the run in {manifest_path(scale)} (another job would make: "
            f"{_some(other)}): run the workflow again"
        )


def _job(tasks, path):
    task = tasks.of(path)
    return None if task is None else (task.content, tasks.files[path][1])


def _some(paths):
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
