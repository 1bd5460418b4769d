"""The manifest of a run: the SHA-256 of every file of the run, in data/<scale>/manifest.json.

The workflow writes the manifest when a run succeeds. Published results have a manifest of the same form. That manifest
also lists the unpublished files of the run (`Manifest.left_out`).
"""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from logzoo.io.atomic import write_text
from logzoo.io.reading import read_json, sha256_of
from logzoo.printing import one_line
from logzoo.types import FilePath
from replication.layout import UNLISTED, files_of, kind_of, scale_of


class Manifest(NamedTuple):
    """The content of a manifest.

    files: {path: sha256}. left_out: {path: hash} of unpublished files, with the content hash of an artifact and the
    SHA-256 of any other file. hours: {figure: expected core-hours of its jobs}. protocol: digest of the claims at the
    time of the run.
    """

    scale: str
    files: dict[str, str]
    left_out: dict[str, str]
    hours: dict[str, float]
    protocol: str = ""

    def text(self) -> str:
        return json.dumps(self._asdict(), indent=0, sort_keys=True) + "\n"


def manifest_path(scale: str) -> str:
    """The path of the manifest of a scale, from the folder of the project."""
    return f"data/{scale}/manifest.json"


def write_manifest(folder: FilePath, scale: str, shared: Iterable[str] = (), protocol: str = "") -> str:
    """Write the manifest of a finished run atomically. Returns the SHA-256 of the manifest itself.

    shared: data sets and raw files of the run, which belong to no scale.
    """
    path = Path(folder, manifest_path(scale))
    names = [name for name in files_of(folder) if kind_of(name) not in UNLISTED]
    names = [name for name in names if scale_of(name) == scale or name in shared]
    files = {name: sha256_of(Path(folder, name)) for name in names}
    write_text(path, Manifest(scale, files, {}, {}, protocol).text())
    return sha256_of(path)


def read_manifest(folder: FilePath, scale: str) -> Manifest:
    """The `Manifest` of a scale. Raises a one-line ValueError if the file is missing or has another form."""
    path = manifest_path(scale)
    try:
        manifest = Manifest(**read_json(Path(folder, path)))
        forms = ((manifest.files, str), (manifest.left_out, str), (manifest.hours, int | float))
        intact = all(isinstance(value, form) for mapping, form in forms for value in mapping.values())
        intact = intact and all(0 <= value < math.inf for value in manifest.hours.values())
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a manifest: {getattr(error, 'strerror', None) or one_line(error)}") from None
    if not intact or not isinstance(manifest.protocol, str) or manifest.scale != scale:
        raise ValueError(f"{path}: not a manifest of {scale}: damaged or edited; a successful run writes it again")
    return manifest
