"""Raw data files: copied from local mirrors or downloaded, verified, stored whole or not at all.

Downloads have limits: on size and time of a file, and one attempt for a host that does not answer.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import requests

from logzoo.datasets.readers import CHUNK_BYTES, unpacked_chunks
from logzoo.io.atomic import beside, written_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from logzoo.types import FilePath

CONNECT_SECONDS = 3.0
STALL_SECONDS = 10.0
# For one file: the largest of ours at 130 kB/s.
TOTAL_SECONDS = 600.0
_PIECE_BYTES = 1 << 10


class Rejected(Exception):
    """A source gave no usable bytes; the arguments are the short reason and, where there is one, its detail."""


class TooSlow(Rejected):
    """A source did not give the whole file in time."""


class Downloader:
    """Downloads files and remembers, for its own lifetime, which hosts cannot be reached or are too slow.

    timeout: seconds; it bounds the wait for a connection (3 s at most) and for the next bytes (10 s at most).
    """

    def __init__(self, timeout):
        self.avoided = set()
        self._timeouts = min(timeout, CONNECT_SECONDS), min(timeout, STALL_SECONDS)

    def chunks(self, url):
        """Yield the bytes of a URL in pieces. Raises Rejected."""
        host, headers = urlsplit(url).netloc, {"Accept-Encoding": "identity"}
        if host in self.avoided:
            raise Rejected("host was unreachable before")
        try:
            with requests.get(url, timeout=self._timeouts, headers=headers, stream=True) as response:
                response.raise_for_status()
                # Some servers label a stored .gz file as an encoding; the file is what comes over the wire.
                response.raw.headers.pop("Content-Encoding", None)
                # Small pieces: a host that sends a byte now and then is noticed.
                yield from response.iter_content(_PIECE_BYTES)
        except requests.HTTPError as error:
            raise Rejected(f"HTTP {getattr(error.response, 'status_code', 'error')}") from error
        # A redirect may lead to any text; requests lets ValueErrors of urllib3 and of codecs through.
        except (requests.RequestException, ValueError) as error:
            if isinstance(error, requests.ConnectionError | requests.Timeout):
                self.avoided.add(host)
            raise Rejected(type(error).__name__, " ".join(str(error).split())) from error


LOG = logging.getLogger(__name__)
# Of a file whose size nobody has stated: three times the largest that we know.
MOST_BYTES = 1 << 28
DEFAULT_MIRRORS = os.pathsep.join(("data/mirror", "../shared/datasets"))


class SourcesExhausted(ValueError):
    """No source of a file gave bytes that verify."""


class Digests(NamedTuple):
    """Checksums of one file: hexadecimal SHA-256, SHA-1 as git names a blob, size in bytes."""

    sha256: str
    git_blob: str
    bytes: int


def mirror_folders(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """The local folders searched before any URL: those of LOGZOO_MIRROR where it is set, none where it is empty."""
    return [Path(folder) for folder in environ.get("LOGZOO_MIRROR", DEFAULT_MIRRORS).split(os.pathsep) if folder]


def fetch(
    name: str,
    files: Mapping[str, Any],
    folder: FilePath,
    *,
    mirrors: Iterable[FilePath],
    timeout: float = 5.0,
    total: float = TOTAL_SECONDS,
) -> dict[str, Any]:
    """Bring every file of one source into `folder`, verified, and return the manifest.

    files: file name -> {sha256 and/or git_blob, bytes, sources}, as in config/datasets.yaml; timeout: seconds, as of
    `Downloader`; total: seconds for one source of a file. No more is read of a source than it should have.
    Returns {"name", "files": {file: {"sha256", "bytes", "source"}}}, source a URL, "mirror:<path>", or "kept" for what
    was there. Raises SourcesExhausted in one line, and ValueError for a name that leads out of its folder.
    """
    for file, entry in files.items():
        if Path(file).name != file or file == "..":
            raise ValueError(f"{name}: expected the name of a file without a folder, found {file!r}")
        for path in (Path(source["file"]) for source in entry["sources"] if "file" in source):
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"{name}: expected a path inside a mirror folder, found {str(path)!r}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    download, records = Downloader(timeout), {}
    for file, entry in files.items():
        digest, source = _obtain(name, folder / file, entry, mirrors, download, total)
        records[file] = {"sha256": digest.sha256, "bytes": digest.bytes, "source": source}
    return {"name": name, "files": records}


def digests(path: Path) -> Digests:
    """Compute the checksums of a file, reading it in pieces."""
    size = path.stat().st_size
    sha256, git_blob = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            sha256.update(chunk)
            git_blob.update(chunk)
    return Digests(sha256.hexdigest(), git_blob.hexdigest(), size)


def matches(actual: Digests, entry: Mapping[str, Any]) -> bool:
    """Whether a file has checksums that its entry accepts: its own, or those of a source of another form of it."""
    other_forms = [source for source in entry["sources"] if not source.get("gzip")]
    return any(_difference(actual, form) is None for form in (entry, *other_forms))


def _obtain(name, target, entry, mirrors, download, total):
    """Bring one file to its place. Returns its checksums and where it is from."""
    if target.is_file():
        present = digests(target)
        if matches(present, entry):
            LOG.info("%s: %s is here already, verified", name, target.name)
            return present, "kept"
        LOG.warning("%s: %s in the folder has wrong bytes (sha256 %s)", name, target.name, present.sha256)
    failures = []
    for source, label, chunks in _attempts(entry["sources"], mirrors, download):
        if chunks is None:
            failures.append(f"{label} (in no mirror folder)")
            continue
        try:
            stored = _store(target, entry, source, chunks, total)
            LOG.info("%s: %s from %s, verified", name, target.name, label)
            return stored, label
        except Rejected as error:
            if isinstance(error, TooSlow):
                download.avoided.add(urlsplit(label).netloc)
            LOG.warning("%s: %s from %s: %s", name, target.name, label, ": ".join(error.args))
            failures.append(f"{label} ({error.args[0]})")
    raise SourcesExhausted(f"{name}: no source of {target.name} worked; tried {'; '.join(failures)}")


def _attempts(sources, mirrors, download):
    """Yield each source, its label, and its bytes in pieces (None: no mirror has it)."""
    for source in sources:
        if "url" in source:
            yield source, source["url"], download.chunks(source["url"])
        else:
            paths = [path for path in (Path(mirror) / source["file"] for mirror in mirrors) if path.is_file()]
            for chunks in map(_chunks, paths) if paths else [None]:
                yield source, f"mirror:{source['file']}", chunks


def _chunks(path):
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise Rejected("cannot be read", str(error.strerror)) from error


def _unpacked(path):
    try:
        yield from unpacked_chunks(path)
    except ValueError as error:
        raise Rejected("does not unpack", str(error)) from error


def _store(target, entry, source, chunks, total):
    """Write one source to its place once it is verified."""
    with written_whole(target) as part, beside(target) as packed:
        if not source.get("gzip"):
            return _write(part, chunks, source if _has_checksum(source) else entry, total)
        _write(packed, chunks, source, total)
        return _write(part, _unpacked(packed), entry, total)


def _write(path, chunks, expected, total):
    """Write a file of at most the expected bytes in at most `total` seconds, and verify it."""
    left, end = expected.get("bytes", MOST_BYTES), time.monotonic() + total
    with path.open("wb") as file:
        for chunk in chunks:
            left -= len(chunk)
            if left < 0:
                raise Rejected("too long", "more bytes than it should have")
            if time.monotonic() > end:
                raise TooSlow("too slow", f"not complete after {total:g} s")
            file.write(chunk)
    written = digests(path)
    difference = _difference(written, expected)
    if difference is not None:
        raise Rejected("wrong bytes", difference)
    return written


def _has_checksum(expected):
    return "sha256" in expected or "git_blob" in expected


def _difference(actual, expected):
    """Say how checksums differ from the expected ones; None when all that are given agree."""
    if not _has_checksum(expected):
        return "no checksum is configured"
    for kind in ("sha256", "git_blob"):
        if kind in expected and expected[kind] != getattr(actual, kind):
            return f"expected {kind} {expected[kind]}, found {getattr(actual, kind)} (sha256 {actual.sha256})"
    return None
