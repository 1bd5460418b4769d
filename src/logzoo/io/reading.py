"""Read files from unknown sources: kind and size are checked before any content is read.

The header of a small file may state any size. If the size is too large, the file is refused before memory is allocated.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from io import BufferedReader
    from typing import Any

    from logzoo.types import FilePath

# Limits in bytes of `read_json` (above the sizes of manifests) and `read_bytes` (above the sizes of pages and
# pictures). In memory, JSON takes up to 50 times its bytes.
_MOST_JSON_BYTES, _MOST_BYTES = 1 << 22, 1 << 26


def open_regular(path: FilePath, most: int | None = None) -> BufferedReader:
    """Open a regular file for reading bytes.

    A FIFO or device is never read, and opening one never blocks. Raises ValueError for anything but a regular file, and
    for more than `most` bytes; the message does not name the file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("expected a regular file, found a folder, device, FIFO or socket")
        if most is not None and status.st_size > most:
            raise ValueError(f"expected at most {most:,} bytes, found {status.st_size:,}")
    except BaseException:
        os.close(handle)
        raise
    return open(handle, "rb")


def read_bytes(path: FilePath, most: int = _MOST_BYTES) -> bytes:
    """The content of a regular file of at most `most` bytes. Raises the errors of `open_regular`."""
    with open_regular(path, most) as file:
        return file.read(most)


def read_json(path: FilePath) -> dict[str, Any]:
    """The dict in a JSON file of at most 4 MiB. Raises the errors of `open_regular` and `json_object`."""
    return json_object(read_bytes(path, _MOST_JSON_BYTES))


def json_object(text: str | bytes) -> dict[str, Any]:
    """The dict in a JSON text (or bytes). Raises ValueError for other content and for nesting that is too deep."""
    try:
        content = json.loads(text)
    except RecursionError:
        raise ValueError("expected JSON with less nesting") from None
    if not isinstance(content, dict):
        raise ValueError("expected a JSON object")
    return content


def sha256_of(path: FilePath) -> str:
    """SHA-256 (64 hexadecimal digits) of a regular file, read in pieces."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# A file may unpack to this many bytes, or to this many times its size if that is more. Weights compress to half of
# their size at best, and zeros to a thousandth.
_MOST_UNPACKED, _MOST_TIMES = 1 << 28, 32


class Header(NamedTuple):
    """Shape and type of an array in a file, before its values are read."""

    shape: tuple
    dtype: np.dtype  # may be object for anything but numbers


def most_unpacked(path: FilePath) -> int:
    """Most bytes of memory that the content of a file may take."""
    return max(_MOST_UNPACKED, _MOST_TIMES * Path(path).stat().st_size)


def check_unpacked(path: FilePath, size: int) -> None:
    """Raise ValueError if `size` bytes are more than the file may unpack to; the message does not name the file."""
    most = most_unpacked(path)
    if size > most:
        raise ValueError(f"reading it takes {size:,} bytes of memory; the limit for a file of its size is {most:,}")
