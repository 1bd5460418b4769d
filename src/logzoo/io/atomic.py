"""Write files whole or not at all, even if the process is killed or the disk is full.

A file is written to the same folder under a temporary name with the PID of the writing process, and renamed in one
step. The next process that writes the same file removes temporary files of killed processes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logzoo.types import FilePath

# With less free space than this, a write error is reported as a full disk, because some libraries give no reason or a
# wrong reason.
_FULL_BYTES = 2**16


@contextlib.contextmanager
def written_whole(path: FilePath) -> Iterator[Path]:
    """Give the path of a temporary file to write, which is renamed to `path` if the block raises no error.

    Several processes may write the same file at the same time. Raises ValueError if `path` is a link or anything but a
    regular file; `resolved_output` resolves a user's own link before the work starts. Raises an OSError that names
    `path` if the file cannot be written.
    """
    path = Path(path)
    check_replaceable(path)
    with beside(path) as temporary:
        try:
            yield temporary
            # Some file systems report a full disk only at fsync.
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except (OSError, RuntimeError) as error:  # the NetCDF library raises RuntimeError
            raise _of_place(error, path, temporary) from error


def check_replaceable(path: FilePath) -> None:
    """Raise a one-line ValueError unless a path is unused or a regular file; links are refused, too."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kind = "a link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else "a device, FIFO or socket"
        raise ValueError(f"cannot write {path}: it is {kind}; expected a regular file or a new name")


def resolved_output(path: FilePath) -> Path:
    """The Path to write for a user's file name, with links resolved. Raises ValueError if it cannot be written."""
    is_link = os.path.islink(path)
    target = Path(os.path.realpath(path)) if is_link else Path(path)
    name = f"{path} (a link to {target})" if is_link else path
    try:
        if not target.parent.is_dir():
            raise ValueError(f"cannot write {name}: there is no folder {target.parent}")
        check_replaceable(target)
        # Test with the temporary name, because it is longer and may exceed the limit of the file system.
        with beside(target) as temporary:
            temporary.touch()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ValueError(f"cannot write {name}: no file can be created in {target.parent} ({reason})") from None
    return target


@contextlib.contextmanager
def beside(path: FilePath) -> Iterator[Path]:
    """Give the path of a temporary file in the folder of `path`; it is removed when the block ends."""
    path = Path(path)
    clear_leftovers(path)
    # The random part is needed because threads of one process may write the same file.
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: FilePath, text: str) -> None:
    """Write a text file in UTF-8 whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: FilePath, content: bytes) -> None:
    """Write bytes whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_bytes(content)


def clear_leftovers(path: FilePath) -> None:
    """Remove the temporary files of `path` whose processes are gone."""
    pattern = re.compile(rf"\.{re.escape(Path(path).name)}\.(\d+)-[0-9a-f]+\.tmp")
    for file in Path(path).parent.glob(".*.tmp"):
        leftover = pattern.fullmatch(file.name)
        if leftover and not _runs(int(leftover[1])):
            file.unlink(missing_ok=True)


def _runs(process):
    """Whether a process with this PID exists."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _is_full(folder):
    """Whether there is no room for another file: too few bytes, or no inode (some file systems do not count inodes)."""
    room = os.statvfs(folder)
    no_inode = room.f_files > 0 and room.f_favail == 0
    return no_inode or room.f_bavail * room.f_frsize < _FULL_BYTES


def _of_place(error, path, temporary):
    """The error with `path` as its file name, unchanged if it names another file."""
    named = getattr(error, "filename", None)  # xarray makes the path absolute
    if named is not None and os.path.abspath(named) != os.path.abspath(temporary):
        return error
    if _is_full(path.parent):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if isinstance(error, OSError) and not error.errno:
        return error
    number, reason = getattr(error, "errno", errno.EIO), getattr(error, "strerror", None)
    return OSError(number, reason or " ".join(str(error).split()), str(path))
