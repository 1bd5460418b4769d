"""Files that end with a hash of their own bytes: damage is seen before the library for HDF5 reads a single one.

That library may crash, or search without end, on bytes that are not as it wrote them. It takes no notice of what comes
after its own end of a file.
"""

import hashlib
from pathlib import Path

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
    content = memoryview(Path(path).read_bytes())
    if content[: len(_SIGNATURE)] != _SIGNATURE:
        raise ValueError("not a readable NetCDF file")
    sealed, tail = content[:-SEAL_BYTES], bytes(content[-SEAL_BYTES:])
    if not tail.startswith(_MARK):
        raise ValueError("not a logzoo artifact, or damaged or edited by another program: it has no seal at its end")
    if tail != _MARK + hashlib.sha256(sealed).hexdigest().encode() + b"\n":
        raise ValueError("content differs from the seal at its end, the file is damaged or was edited")
