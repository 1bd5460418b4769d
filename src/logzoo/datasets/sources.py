"""Raw data files: copied from local mirrors or downloaded, verified, stored whole or not at all."""

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from logzoo.artifacts.atomic import beside, written_whole
from logzoo.datasets.downloads import Downloader, DownloadFailed
from logzoo.datasets.unpacking import CHUNK_BYTES, unpacked_chunks

LOG = logging.getLogger(__name__)
MIRROR_VARIABLE = "LOGZOO_MIRROR"
DEFAULT_MIRRORS = ("data/mirror", "../shared/datasets")


class SourcesExhausted(ValueError):
    """No source of a file gave bytes that verify."""


class _Rejected(Exception):
    """A source gave no usable bytes; the arguments are the reason and, where there is one, its detail."""


class Digests(NamedTuple):
    """Checksums of one file: hexadecimal SHA-256, SHA-1 as git names a blob, size in bytes."""

    sha256: str
    git_blob: str
    bytes: int


def mirror_folders(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """List the local folders searched before any URL.

    LOGZOO_MIRROR, when set, replaces the default folders; set to the empty string it means none.
    """
    if MIRROR_VARIABLE in environ:
        return [Path(folder) for folder in environ[MIRROR_VARIABLE].split(os.pathsep) if folder]
    return [Path(folder) for folder in DEFAULT_MIRRORS]


def fetch(
    name: str,
    files: Mapping[str, dict],
    folder: Path,
    *,
    mirrors: Sequence[Path],
    timeout: float = 5.0,
    progress: bool = True,
) -> dict:
    """Bring every file of one source into `folder`, verified, and return the manifest.

    files: file name -> {sha256 and/or git_blob, sources}, as in config/datasets.yaml; timeout in seconds.
    Returns {"name", "files": {file: {"sha256", "bytes", "source"}}}; the source is a URL, "mirror:<path in
    the mirror>", or "kept" for a verified file that was there. Raises SourcesExhausted in one line, and
    ValueError for a name that leads out of its folder.
    """
    for file, entry in files.items():
        _check_inside(name, file, *(source["file"] for source in entry["sources"] if "file" in source))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    downloader = Downloader(timeout, progress)
    return {
        "name": name,
        "files": {file: _obtain(name, folder / file, entry, mirrors, downloader) for file, entry in files.items()},
    }


def digests(path: Path) -> Digests:
    """Compute the checksums of a file, reading it in pieces."""
    size = path.stat().st_size
    sha256, git_blob = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            sha256.update(chunk)
            git_blob.update(chunk)
    return Digests(sha256.hexdigest(), git_blob.hexdigest(), size)


def matches(found: Digests, entry: dict) -> bool:
    """Whether a stored file has checksums that its entry in config/datasets.yaml accepts."""
    return any(_difference(found, form) is None for form in _accepted_forms(entry))


def _check_inside(name: str, file: str, *in_mirror: str) -> None:
    """Raise ValueError for a name that leads out of its folder."""
    if Path(file).name != file or file == "..":
        raise ValueError(f"{name}: expected the name of a file without a folder, found {file!r}")
    for path in map(Path, in_mirror):
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{name}: expected a path inside a mirror folder, found {str(path)!r}")


def _obtain(name: str, target: Path, entry: dict, mirrors: Sequence[Path], downloader: Downloader) -> dict:
    if target.is_file():
        found = digests(target)
        if matches(found, entry):
            LOG.info("%s: %s is here already, verified", name, target.name)
            return _record(found, "kept")
        LOG.warning("%s: %s in the folder has wrong bytes (sha256 %s)", name, target.name, found.sha256)
    failures = []
    for source, label, chunks in _places(entry["sources"], mirrors, downloader):
        if chunks is None:
            failures.append(f"{label} (in no mirror folder)")
            continue
        try:
            found = _store(target, entry, source, chunks)
        except (_Rejected, DownloadFailed) as error:
            LOG.warning("%s: %s from %s: %s", name, target.name, label, ": ".join(error.args))
            failures.append(f"{label} ({error.args[0]})")
        else:
            LOG.info("%s: %s from %s, verified", name, target.name, label)
            return _record(found, label)
    raise SourcesExhausted(f"{name}: no source of {target.name} worked; tried {'; '.join(failures)}")


def _record(found: Digests, source: str) -> dict:
    return {"sha256": found.sha256, "bytes": found.bytes, "source": source}


def _accepted_forms(entry: dict) -> list[dict]:
    """List the checksums a stored file may have: its own and those of sources that serve another form."""
    own_forms = [source for source in entry["sources"] if not source.get("gzip") and _has_checksum(source)]
    return [entry, *own_forms]


def _places(
    sources: Sequence[dict], mirrors: Sequence[Path], downloader: Downloader
) -> Iterator[tuple[dict, str, Iterator[bytes] | None]]:
    """Yield every place to try: its source, its label, its bytes (None for a path that no mirror has)."""
    for source in sources:
        if "url" in source:
            yield source, source["url"], downloader.chunks(source["url"])
            continue
        label = f"mirror:{source['file']}"
        paths = [path for path in (Path(mirror) / source["file"] for mirror in mirrors) if path.is_file()]
        for path in paths:
            yield source, label, _file_chunks(path)
        if not paths:
            yield source, label, None


def _file_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise _Rejected("cannot be read", str(error.strerror)) from error


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        yield from unpacked_chunks(path)
    except ValueError as error:
        raise _Rejected("does not unpack", str(error)) from error


def _store(target: Path, entry: dict, source: dict, chunks: Iterator[bytes]) -> Digests:
    """Write one source to its place once it is verified."""
    with written_whole(target) as part, beside(target) as packed:
        expected = source if _has_checksum(source) else entry
        if source.get("gzip"):
            _write(packed, chunks)
            _verify(packed, source)
            chunks, expected = _unpacked(packed), entry
        _write(part, chunks)
        return _verify(part, expected)


def _write(path: Path, chunks: Iterator[bytes]) -> None:
    with closing(chunks), path.open("wb") as stream:
        for chunk in chunks:
            stream.write(chunk)


def _verify(path: Path, expected: dict) -> Digests:
    found = digests(path)
    difference = _difference(found, expected)
    if difference is not None:
        raise _Rejected("wrong bytes", difference)
    return found


def _has_checksum(expected: dict) -> bool:
    return "sha256" in expected or "git_blob" in expected


def _difference(found: Digests, expected: dict) -> str | None:
    """Say how checksums differ from the expected ones; None when all that are given agree."""
    if not _has_checksum(expected):
        return "no checksum is configured"
    for kind in ("sha256", "git_blob"):
        if kind in expected and expected[kind] != getattr(found, kind):
            return f"expected {kind} {expected[kind]}, found {getattr(found, kind)} (sha256 {found.sha256})"
    return None
