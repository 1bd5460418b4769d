"""Bounded reading of files that may be gzipped."""

import gzip
import zlib

CHUNK_BYTES = 1 << 18
MAX_UNPACKED_BYTES = 1 << 30


def unpacked_chunks(path):
    """Yield a file in pieces, unpacked when it is gzip; ValueError if damaged or beyond MAX_UNPACKED_BYTES."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    size = 0
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                size += len(chunk)
                if size > MAX_UNPACKED_BYTES:
                    raise ValueError(f"expected at most {MAX_UNPACKED_BYTES} bytes after unpacking")
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError("expected a whole gzip file, found a damaged one") from error


def read_contents(path):
    """A whole file, unpacked, in no more memory than it takes; ValueError naming it if empty, damaged, too large."""
    contents = bytearray()
    try:
        for chunk in unpacked_chunks(path):
            contents += chunk
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error
    if not contents:
        raise ValueError(f"{path.name}: expected data, found an empty file")
    return contents
