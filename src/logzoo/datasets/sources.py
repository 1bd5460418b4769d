"""Copy raw data files from local mirrors or download them; store only whole and verified files.

Downloads are limited in size and time, and a host that does not answer is tried only once for each data set.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import time
from functools import partial
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

# Longest wait in seconds for a connection, and for the next bytes.
TIMEOUTS = (3.0, 5.0)
# Largest number of seconds for one source of a file: enough for the largest configured file at 131 kB/s.
TOTAL_SECONDS = 600.0
# Bytes of a download between two checks of its size and time.
_PIECE_BYTES = 1024


class Rejected(Exception):
    """A source gave no usable bytes; the arguments are a short reason and an optional detail."""


class TooSlow(Rejected):
    """A source did not give the whole file in time."""


class LimitedFile:
    """An open file that accepts at most `most` bytes, and none after `seconds`."""

    def __init__(self, file, most, seconds):
        self._file, self._left, self._seconds = file, most, seconds
        self._end = time.monotonic() + seconds

    def write(self, piece: bytes) -> None:
        """Write a piece of a download; raises Rejected if the download is too long, and TooSlow if it is too late."""
        self._left -= len(piece)
        if self._left < 0:
            raise Rejected("too long", "more bytes than expected")
        if time.monotonic() > self._end:
            raise TooSlow("too slow", f"not complete after {self._seconds:g} s")
        self._file.write(piece)


class Downloader:
    """Downloads files, and skips hosts that could not be reached or were too slow in an earlier call."""

    def __init__(self):
        self._unreachable = set()

    def __call__(self, url, file):
        """Write the bytes of a URL to a LimitedFile. Raises Rejected if the download fails."""
        host = urlsplit(url).netloc
        if host in self._unreachable:
            raise Rejected("host was unreachable before")
        try:
            headers = {"Accept-Encoding": "identity"}
            with requests.get(url, stream=True, timeout=TIMEOUTS, headers=headers) as response:
                response.raise_for_status()
                # Some servers send a .gz file with this header. Without the header, the bytes are stored as sent.
                response.raw.headers.pop("Content-Encoding", None)
                for piece in response.iter_content(_PIECE_BYTES):
                    file.write(piece)
        except requests.HTTPError as error:
            status = "error" if error.response is None else error.response.status_code
            raise Rejected(f"HTTP {status}") from error
        except TooSlow:
            self._unreachable.add(host)
            raise
        # A redirect may contain an invalid URL. requests then passes on ValueErrors of urllib3 and of codecs.
        except (requests.RequestException, ValueError) as error:
            if isinstance(error, requests.ConnectionError | requests.Timeout):
                self._unreachable.add(host)
            raise Rejected(type(error).__name__, " ".join(str(error).split())) from error


LOG = logging.getLogger(__name__)
# Largest number of bytes of a file without a stated size: over three times the largest known size.
MOST_BYTES = 1 << 28
DEFAULT_MIRRORS = os.pathsep.join(("data/mirror", "../shared/datasets"))


class SourcesExhausted(ValueError):
    """No source of a file gave the right bytes."""


class Digests(NamedTuple):
    """Two hexadecimal checksums of a file (SHA-256, and SHA-1 as a git blob), and its size in bytes."""

    sha256: str
    git_blob: str
    bytes: int


def mirror_folders(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """The local mirror folders that LOGZOO_MIRROR lists (none if it is empty), or default folders if it is not set."""
    return [Path(folder) for folder in environ.get("LOGZOO_MIRROR", DEFAULT_MIRRORS).split(os.pathsep) if folder]


def fetch(name: str, files: Mapping[str, Any], folder: FilePath, *, mirrors: Iterable[FilePath]) -> dict[str, Any]:
    """Copy or download every file of one data set into `folder`, verify it, and return the manifest.

    files: the entry of each file by name, as in config/datasets.yaml. A source is read up to its expected size. The
    manifest has the `name` of the data set, and `files`: the `sha256`, `bytes` and `source` of each file. The source is
    a URL, "mirror:<path>", or "kept" for a file that was already there. Raises a one-line SourcesExhausted if no source
    works, and ValueError for a name that leads out of its folder.
    """
    for file, entry in files.items():
        if Path(file).name != file or file == "..":
            raise ValueError(f"{name}: expected the name of a file without a folder, found {file!r}")
        for path in (Path(source["file"]) for source in entry["sources"] if "file" in source):
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"{name}: expected a path inside a mirror folder, found {str(path)!r}")
    folder, download, records = Path(folder), Downloader(), {}
    folder.mkdir(parents=True, exist_ok=True)
    for file, entry in files.items():
        digest, source = _obtain(name, folder / file, entry, mirrors, download)
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
    """Whether checksums match the entry of a file, or a source with another version of the file."""
    other_forms = [source for source in entry["sources"] if not source.get("gzip")]
    return any(_difference(actual, form) is None for form in (entry, *other_forms))


def _obtain(name, target, entry, mirrors, download):
    """Obtain one file, and return its checksums and its source."""
    if target.is_file():
        present = digests(target)
        if matches(present, entry):
            LOG.info("%s: %s is already in the folder, verified", name, target.name)
            return present, "kept"
        LOG.warning("%s: %s in the folder has wrong bytes (sha256 %s)", name, target.name, present.sha256)
    failures = []
    for source, label, copy in _attempts(entry["sources"], mirrors, download):
        if copy is None:
            failures.append(f"{label} (not in {' or '.join(map(str, mirrors)) or 'a mirror folder'})")
            continue
        try:
            stored = _store(target, entry, source, copy)
            LOG.info("%s: %s from %s, verified", name, target.name, label)
            return stored, label
        except Rejected as error:
            LOG.warning("%s: %s from %s: %s", name, target.name, label, ": ".join(error.args))
            failures.append(f"{label} ({error.args[0]})")
    raise SourcesExhausted(f"{name}: no source of {target.name} worked; tried {'; '.join(failures)}")


def _attempts(sources, mirrors, download):
    """Yield each source, its label, and a function that copies it to an open file (None if no mirror has the file)."""
    for source in sources:
        if "url" in source:
            yield source, source["url"], partial(download, source["url"])
        else:
            paths = [path for path in (Path(mirror) / source["file"] for mirror in mirrors) if path.is_file()]
            for copy in [partial(_copy, path) for path in paths] or [None]:
                yield source, f"mirror:{source['file']}", copy


def _copy(path, file):
    try:
        stream = path.open("rb")
    except OSError as error:
        raise Rejected("cannot be read", str(error.strerror)) from error
    with stream:
        shutil.copyfileobj(stream, file, CHUNK_BYTES)


def _unpack(path, file):
    try:
        for chunk in unpacked_chunks(path):
            file.write(chunk)
    except ValueError as error:
        raise Rejected("cannot be unpacked", str(error)) from error


def _store(target, entry, source, copy):
    """Store a file from one source, if its checksums match."""
    with written_whole(target) as part, beside(target) as packed:
        if not source.get("gzip"):
            return _write(part, copy, source if _has_checksum(source) else entry)
        _write(packed, copy, source)
        return _write(part, partial(_unpack, packed), entry)


def _write(path, copy, expected):
    with path.open("wb") as file:
        copy(LimitedFile(file, expected.get("bytes", MOST_BYTES), TOTAL_SECONDS))
    written = digests(path)
    difference = _difference(written, expected)
    if difference is not None:
        raise Rejected("wrong bytes", difference)
    return written


def _has_checksum(expected):
    return "sha256" in expected or "git_blob" in expected


def _difference(actual, expected):
    """A text on the first wrong or missing checksum, or None if all checksums agree."""
    if not _has_checksum(expected):
        return "no checksum is configured"
    for kind in ("sha256", "git_blob"):
        if kind in expected and expected[kind] != getattr(actual, kind):
            return f"expected {kind} {expected[kind]}, found {getattr(actual, kind)} (sha256 {actual.sha256})"
    return None
