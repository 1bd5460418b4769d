"""Checkpoints of long work that proceeds in steps: one file with everything that changes between steps.

The name of the first array in the .npz file is a mark. Files without this mark are not loaded, replaced or removed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import time
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from logzoo.io.atomic import clear_leftovers, resolved_output, written_whole
from logzoo.io.provenance import source_digest
from logzoo.io.reading import check_unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    from logzoo.types import FilePath

    Cell = TypeVar("Cell")

LOG = logging.getLogger(__name__)
_SECONDS = 15.0
# Name of the first array, which holds the identity; and the offset of this name in the file, after a zip header.
_MARK, _MARK_AT = "logzoo_checkpoint", 30


def identity_of(value: Any) -> str:
    """A hash of settings: nested dicts, lists, dataclasses, trackers, arrays, plain values and NumPy scalars."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Resumed):
        # The settings of a tracker are the attributes that a checkpoint does not restore.
        settings = {name: item for name, item in vars(value).items() if name not in value._kept}
        value = [str(type(value)), settings]
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        parts = [f"{key}={identity_of(value[key])}" for key in sorted(value)]
    elif isinstance(value, list | tuple):
        # The repr of a list would shorten the arrays in it.
        parts = [type(value).__name__, *map(identity_of, value)]
    elif isinstance(value, np.ndarray):
        parts = [str(value.dtype), str(value.shape), hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()]
    else:
        parts = [repr(value)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def is_checkpoint(path: FilePath) -> bool:
    """Whether this is a regular file with the mark of a checkpoint. The rest may be damaged."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_MARK_AT + len(_MARK))
    return start[:2] == b"PK" and start[_MARK_AT:] == _MARK.encode()


def discard_checkpoint(path: FilePath) -> None:
    """Remove a checkpoint and temporary files of killed processes that were writing it; any other file stays."""
    path = os.path.realpath(path)  # a user's own link stays
    clear_leftovers(path)
    if is_checkpoint(path):
        Path(path).unlink(missing_ok=True)


def chosen_checkpoint(path: FilePath, call: dict[str, Any], modules: Iterable[str]) -> Checkpoint:
    """The Checkpoint at a user's path, for work with the settings `call` by the code of `modules`.

    Raises ValueError as `Checkpoint` does, and for a checkpoint of other work. Damaged checkpoints are replaced.
    """
    checkpoint = Checkpoint(path, identity_of({**call, "source": source_digest(*modules)}))
    if is_checkpoint(path) and str(_arrays_in(path).get(_MARK, checkpoint.identity)) != checkpoint.identity:
        raise ValueError(
            f"checkpoint: {path}: expected a checkpoint of the same call and the same version of logzoo, or a new "
            "name; found a checkpoint of other work"
        )
    return checkpoint


def _arrays_in(path):
    """The arrays of a checkpoint; {} if the file is damaged or its header states a huge size."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            check_unpacked(path, sum(member.file_size for member in stored.zip.infolist()))
            return dict(stored)
    except Exception:  # numpy raises errors of many types for damaged files
        return {}


class Checkpoint:
    """The file at `path`, written at most once in 15 seconds; `identity` names the work, such as a training.

    Work with the same identity continues from the file. The result equals a result without interruption bit for bit.
    The file stays until the caller discards it. Raises ValueError for an impossible path, and for the path of a file
    that is not a checkpoint.
    """

    def __init__(self, path: FilePath, identity: str) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ValueError(f"checkpoint: expected the path of a file, found {type(path).__name__}")
        self.path = Path(os.path.realpath(path))  # A user's symlink stays and points to the new content.
        if os.path.lexists(self.path) and not is_checkpoint(self.path):
            raise ValueError(f"checkpoint: {path}: expected a checkpoint or a new name, found another file")
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        resolved_output(path)
        self.identity, self.written, self.refused = identity, time.monotonic(), False

    def load(self, parts: Mapping[str, Any]) -> int:
        """Restore the parts, objects by name; return the next step, or 0 if no readable checkpoint has this identity.

        Raises ValueError if the checkpoint has this identity but its state does not fit the parts.
        """
        if not is_checkpoint(self.path):
            return 0
        arrays = _arrays_in(self.path)
        if str(arrays.get(_MARK)) != self.identity:
            wrong = "a checkpoint of other work" if arrays else "cannot be read as a checkpoint"
            LOG.warning("%s: %s; starting over", self.path, wrong)
            return 0
        try:
            for name, part in parts.items():
                keys = [key for key in arrays if key.startswith(f"{name}/")]
                part.restore({key.removeprefix(f"{name}/"): arrays[key] for key in keys})
            return int(arrays["step"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{self.path}: expected a whole checkpoint, found a damaged one; remove it") from None

    def save_if_due(self, step: int, parts: Mapping[str, Any]) -> None:
        """Write the parts, in their state before `step`, if 15 seconds have passed since the last write or start."""
        if time.monotonic() - self.written >= _SECONDS:
            self.save(step, parts)

    def save(self, step: int, parts: Mapping[str, Any]) -> None:
        """Write the file whole or not at all. An OSError is only logged, and only once: a later attempt may succeed."""
        arrays = {f"{name}/{key}": array for name, part in parts.items() for key, array in part.state.items()}
        try:
            if os.path.lexists(self.path) and not is_checkpoint(self.path):
                raise FileExistsError(errno.EEXIST, "another program has put a file at this path")
            with written_whole(self.path) as temporary, temporary.open("wb") as file:
                # The mark must come first, because its name is read at a fixed offset.
                np.savez(file, **{_MARK: self.identity}, step=step, **arrays)
        except OSError as error:
            if not self.refused:
                LOG.warning("%s: %s; the work continues without a new checkpoint", self.path, error.strerror)
            self.refused = True
        self.written = time.monotonic()


def unfinished(checkpoint: Checkpoint | None, cells: Iterable[Cell], arrays: dict[str, np.ndarray]) -> Iterator[Cell]:
    """Yield the cells that are not done yet. For each cell, the caller fills the cell's part of the arrays in place.

    checkpoint: None, or the Checkpoint of this work, whose values of finished cells are put in the arrays first. Arrays
    that `arrays` lacks are added from the checkpoint, so the caller may add arrays at the first cell.
    """
    parts = {"arrays": _Filled(arrays)}
    first = 0 if checkpoint is None else checkpoint.load(parts)
    for number, cell in enumerate(list(cells)[first:], first + 1):
        yield cell
        if checkpoint is not None:
            checkpoint.save_if_due(number, parts)


class _Filled:
    """Arrays that are filled in place."""

    def __init__(self, state):
        self.state = state

    def restore(self, state):
        for name, array in self.state.items():
            array[...] = state[name]
        self.state.update({name: array for name, array in state.items() if name not in self.state})


class Resumed:
    """An object whose state is the attributes named in `_kept`, which are numbers or arrays.

    A name with a dot is an attribute of an attribute; such arrays are filled in place.
    """

    _kept: tuple[str, ...] = ()

    @property
    def state(self) -> dict[str, np.ndarray]:
        """Copies of the attributes by name."""
        return {name: np.array(attrgetter(name)(self)) for name in self._kept}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Set the attributes from a `state`."""
        for name in self._kept:
            part, _, attribute = name.rpartition(".")
            owner, value = attrgetter(part)(self) if part else self, state[name]
            if part and value.ndim:
                getattr(owner, attribute)[...] = value
            else:
                setattr(owner, attribute, value.copy() if value.ndim else value.item())
