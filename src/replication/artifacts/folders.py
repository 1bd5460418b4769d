"""Folders written whole or not at all, as `artifacts.atomic` does for files."""

import contextlib
import os
import secrets
import shutil
from pathlib import Path


@contextlib.contextmanager
def folder_written_whole(path):
    """Give a new folder to fill, which takes the place of `path`, a folder or nothing, when the block ends well.

    What killed processes left that were doing so is removed, but what was there before is put back where nothing has
    taken its place; one process at a time may write a folder.
    """
    path = Path(path)
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        if leftover.name.endswith("-old.tmp") and not path.exists():
            os.replace(leftover, path)
        else:
            shutil.rmtree(leftover)
    unlike = secrets.token_hex(4)
    fresh, old = (path.with_name(f".{path.name}.{unlike}-{part}.tmp") for part in ("new", "old"))
    try:
        fresh.mkdir()
        yield fresh
        # No folder takes the place of another in one step.
        if path.is_dir():
            os.replace(path, old)
        os.replace(fresh, path)
    finally:
        if old.is_dir() and not path.exists():
            os.replace(old, path)
        for folder in (fresh, old):
            shutil.rmtree(folder, ignore_errors=True)
