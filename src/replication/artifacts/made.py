"""What a job of the workflow records of how its outputs were made, and what an audit expects them to record.

One rule for all jobs: the digest is `source` of the params of the rule, the parameters are all its other params, those
in `settings` among them; the inputs are all artifacts and raw files that the job was given, by their paths.
"""

import hashlib
import json
from pathlib import Path, PurePath

import netCDF4

from logzoo.io.reading import json_object


# Params that name code: the source digest says more of it.
CODE = ("module", "run")


def recorded(params, number=0):
    """The parameters and the source digest that a job with these params records in its output of that number.

    Where params has `sources`, each output has its own entry of `settings` and `sources`, in the order of the outputs.
    """
    given = dict(params)
    if "sources" in given:
        given["settings"] = list(given["settings"].values())[number]
        given["source"] = list(given.pop("sources").values())[number]
    source = given.pop("source")
    parameters = {**given.pop("settings", {}), **given}
    return {name: value for name, value in parameters.items() if name not in CODE}, source


def digest_of(parameters):
    """Hash parameters (64 hexadecimal digits), where there is no room for all of them."""
    return hashlib.sha256(json.dumps(parameters, sort_keys=True, allow_nan=False).encode()).hexdigest()


def named_hashes(paths):
    """Hashes by path: of the content of artifacts, of the files in manifests of raw files; ValueError if unreadable."""
    hashes = {}
    for path in map(str, paths):
        if path.endswith(".nc"):
            hashes[path] = content_hash(path)
        elif is_raw_manifest(path):
            try:
                files = json_object(Path(path).read_text())["files"]
                hashes |= {(PurePath(path).parent / name).as_posix(): files[name]["sha256"] for name in files}
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise ValueError(f"{path}: not a manifest of raw files") from None
    return hashes


def is_raw_manifest(path):
    """Whether a path is that of the list of files of a source of raw data."""
    path = PurePath(path)
    return path.name == "manifest.json" and path.parts[-3:-2] == ("raw",)


def content_hash(path):
    """The content hash that an artifact states, without reading the rest of it; ValueError, one line, if none."""
    try:
        with netCDF4.Dataset(path) as file:
            return file.getncattr("content_sha256")
    except (OSError, AttributeError, RuntimeError) as error:
        raise ValueError(f"{path}: not a readable logzoo artifact: {' '.join(str(error).split())}") from None
