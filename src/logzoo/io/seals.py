"""Files that end with a hash of their own bytes: damage is seen before the library for HDF5 reads a single one.

That library may crash, or search without end, on bytes that are not as it wrote them. It takes no notice of what comes
after its own end of a file.
"""

import hashlib
import os
from pathlib import Path

from logzoo.io.reading import open_regular, pieces

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_MARK = b"\nlogzoo sha256 "
SEAL_BYTES = len(_MARK) + 64 + 1


def seal(path):
    """Append the seal to a file that is complete."""
    with Path(path).open("r+b") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.write(_MARK + digest.encode() + b"\n")


def check_seal(path):
    """Raise ValueError, which does not name the file, unless it is sealed NetCDF 4 with its bytes as they were."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        length = os.fstat(file.fileno()).st_size - SEAL_BYTES
        start = file.read(len(_SIGNATURE))
        if start != _SIGNATURE:
            raise ValueError("not a readable NetCDF file")
        file.seek(max(length, 0))
        tail = file.read(SEAL_BYTES)
        # Of most other files the seal is missing, so the end is read before the rest.
        if not tail.startswith(_MARK):
            raise ValueError(
                "not a logzoo artifact, or damaged or edited by another program: it has no seal at its end"
            )
        file.seek(0)
        for piece in pieces(file, length):
            digest.update(piece)
    if tail != _MARK + digest.hexdigest().encode() + b"\n":
        raise ValueError("content differs from the seal at its end, the file is damaged or was edited")
