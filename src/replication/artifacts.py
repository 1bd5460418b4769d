"""Provenance of artifacts, pictures and pages: parameters, code and inputs of their jobs, and replaced data and models.

The source digest, a hash of the job's code, is the param `source` of the rule. The parameters are the entries of
`settings` and all other params except `CODE`. The inputs are all artifacts and raw files that the job reads.

Pictures and pages hold a stamp, the JSON of {"inputs": {path: hash}, "parameters": digest, "source": digest}. It is
in a text chunk of a PNG, in the keywords of a PDF, or in the last comment of an HTML page.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import netCDF4

from logzoo.io.provenance import PACKAGE_FOLDER, source_digest
from logzoo.io.reading import json_object, sha256_of
from logzoo.types import FilePath
from replication.types import Dataset

# The folder of the checkout. If the package was installed without a checkout, this folder has no project.
ROOT = Path(__file__).parents[2]
PACKAGES = (PACKAGE_FOLDER, Path(__file__).parent)
# The scale of the published run whose verdicts the page counts, and the path of its scorecard without extension.
PUBLISHED_SCALE = "decisive"
PUBLISHED = f"results/{PUBLISHED_SCALE}/figures/{PUBLISHED_SCALE}/scorecard"
# Params that name modules or functions, whose code the source digest covers.
CODE = ("module", "run")
# The stamp of a picture that no job drew.
UNKNOWN = {"inputs": {}, "parameters": "", "source": ""}
_BEFORE = {".png": b"tEXtlogzoo\0", ".pdf": b"/Keywords (logzoo "}
_BEFORE_IN_TEXT = b"<!-- logzoo "
_IN_TEXT = re.compile(r"<!-- logzoo \{[^\n]*\} -->\n\Z")
STAND_IN = " (STAND-IN)"


def code_digest(*modules: str, scripts: Iterable[str | Path] = ()) -> str:
    """Hash the behaviour of modules and scripts, and of all modules of our packages that they import."""
    return source_digest(*modules, scripts=scripts, packages=PACKAGES)


def recorded(params: Mapping[str, Any], number: int = 0) -> tuple[dict[str, Any], str]:
    """The parameters and the source digest that a job with these params records in output `number`.

    If params has `sources`, then `sources` and `settings` each have one entry per output, in the order of the outputs.
    """
    others = dict(params)
    if "sources" in others:
        others["settings"] = list(others["settings"].values())[number]
        others["source"] = list(others.pop("sources").values())[number]
    source = others.pop("source")
    parameters = {**others.pop("settings", {}), **others}
    return {name: value for name, value in parameters.items() if name not in CODE}, source


def digest_of(parameters: Mapping[str, Any]) -> str:
    """The SHA-256 of parameters, which stamps hold in place of the parameters themselves."""
    return hashlib.sha256(json.dumps(parameters, sort_keys=True, allow_nan=False).encode()).hexdigest()


def named_hashes(paths: Iterable[FilePath]) -> dict[str, str]:
    """Returns {path: hash}: the content hash of each artifact, and the SHA-256 of each raw file that a manifest lists.

    Other files have no entry. Raises a one-line ValueError for an unreadable artifact or manifest, and for a raw file
    that is missing or is not as fetched.
    """
    hashes = {}
    for path in map(str, paths):
        if path.endswith(".nc"):
            hashes[path] = content_hash(path)
        elif re.search(r"(^|/)raw/[^/]+/manifest\.json$", path):
            for name, entry in raw_manifest(path)["files"].items():
                file = Path(path).with_name(name)
                if not file.is_file() or sha256_of(file) != entry["sha256"]:
                    raise ValueError(f"{file}: not as it was fetched; remove {path} to fetch it again")
                hashes[file.as_posix()] = entry["sha256"]
    return hashes


def raw_manifest(path: FilePath) -> dict[str, Any]:
    """The manifest of the raw files of a source. Raises a one-line ValueError for a damaged file."""
    try:
        manifest = json_object(Path(path).read_text(encoding="utf-8"))
        if all(isinstance(entry["sha256"], str) for entry in manifest["files"].values()):
            return manifest
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise ValueError(f"{path}: not a manifest of raw files; remove it to fetch them again")


def content_hash(path: FilePath) -> str:
    """The content hash that an artifact records. Raises a one-line ValueError for an unreadable file."""
    try:
        with netCDF4.Dataset(path) as file:
            return file.getncattr("content_sha256")
    except (OSError, AttributeError, RuntimeError) as error:
        raise ValueError(f"{path}: not a readable logzoo artifact: {' '.join(str(error).split())}") from None


def picture_metadata(stamp: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Metadata that hold a stamp, for a PNG and for a PDF."""
    return {"png": {"logzoo": _json(stamp)}, "pdf": {"Keywords": f"logzoo {_json(stamp)}"}}


def stamped_text(text: str, stamp: Mapping[str, Any]) -> str:
    """Put a stamp at the end of HTML that has none."""
    # "-->" in the stamp would end the comment.
    comment = _json(stamp).replace("--", "\\u002d\\u002d")
    return f"{text}<!-- logzoo {comment} -->\n"


def without_stamp(text: str) -> str:
    """Remove the stamp from a text. A text without a stamp stays the same."""
    return _IN_TEXT.sub("", text)


def read_stamp(name: str, content: bytes) -> dict[str, Any]:
    """The stamp in `content`, the bytes of a .png, .pdf or .html file. Raises ValueError without a readable stamp."""
    before = _BEFORE.get(Path(name).suffix, _BEFORE_IN_TEXT)
    try:
        start = content.rindex(before) + len(before)
        stamp, _ = json.JSONDecoder().raw_decode(content[start:].decode("latin-1"))
        stamp = {key: stamp[key] for key in UNKNOWN}
        texts = [*stamp["inputs"].values(), stamp["parameters"], stamp["source"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("no readable stamp of logzoo") from None
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("no readable stamp of logzoo")
    return stamp


def _json(stamp):
    return json.dumps(stamp, sort_keys=True, separators=(",", ":"))


def stand_ins(artifacts: Iterable[Any]) -> dict[str, str]:
    """Join the attributes `stand_in_for` (replaced data sets and models) and `stand_in_reason` of artifacts.

    Returns {attribute: text}, with a line for each reason; empty if no artifact has these attributes. artifacts:
    Datasets, or the attributes of Datasets.
    """
    notices = [getattr(artifact, "attrs", artifact) for artifact in artifacts]
    notices = [notice for notice in notices if "stand_in_for" in notice]
    # Values joined earlier are split first.
    return {
        key: mark.join(sorted({text for notice in notices for text in notice.get(key, "no reason given").split(mark)}))
        for key, mark in (("stand_in_for", ", "), ("stand_in_reason", "\n"))
        if notices
    }


def stand_in_line(attributes: Mapping[str, Any]) -> str:
    """A line with the names of replaced data sets and models; empty if there are none."""
    replaced = attributes.get("stand_in_for")
    return f"STAND-IN: replaced data sets or models: {replaced}" if replaced else ""


def stand_in_note(artifact: Dataset) -> str:
    """The mark after the name of a table row if its artifact comes from replaced data or models; else empty."""
    return STAND_IN if "stand_in_for" in artifact.attrs else ""
