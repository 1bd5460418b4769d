"""Checkpoints of a training: everything that changes between updates, in one file, written whole or not at all."""

import hashlib
import logging
import os
import time
from pathlib import Path

import numpy as np

LOG = logging.getLogger(__name__)
_SECONDS = 15.0


def identity_of(value):
    """A name for settings: nested dicts, arrays and plain values; equal only if all of it is."""
    if isinstance(value, dict):
        parts = [f"{key}={identity_of(value[key])}" for key in sorted(value)]
    elif isinstance(value, np.ndarray):
        parts = [str(value.dtype), str(value.shape), hashlib.sha256(np.ascontiguousarray(value)).hexdigest()]
    else:
        parts = [repr(value)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


class Checkpoint:
    """The file at `path`, written about every 15 seconds of training; `identity` names the one it belongs to.

    A training with the same identity goes on from it and ends in the same bits. It stays when the training is over:
    whoever has stored the result removes it. Raises ValueError for a path that no file can have.
    """

    def __init__(self, path, identity):
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"checkpoint: {path}: {error.strerror or error}") from None
        if self.path.is_dir() or not os.access(self.path.parent, os.W_OK):
            raise ValueError(f"checkpoint: {path}: expected a file in a folder that can be written to")
        self.identity = identity
        self.written = time.monotonic()

    def load(self, parts):
        """Restore the parts from the file; returns the update to go on with, 0 without a file of this identity.

        Raises ValueError for a file of this identity that does not hold the parts.
        """
        if not self.path.exists():
            return 0
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = dict(stored)
        except Exception:  # numpy raises whatever a damaged file happens to break
            LOG.warning("%s: cannot be read as a checkpoint; starting over", self.path)
            return 0
        if str(arrays.get("identity")) != self.identity:
            LOG.warning("%s: a checkpoint of another training; starting over", self.path)
            return 0
        try:
            for name, part in parts.items():
                prefix = f"{name}/"
                own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
                part.restore(own)
            return int(arrays["update"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{self.path}: expected a whole checkpoint, found a damaged one; remove it") from None

    def save_if_due(self, update, parts):
        """Write the file if the last one is old: the state before `update` is made."""
        if time.monotonic() - self.written >= _SECONDS:
            self.save(update, parts)

    def save(self, update, parts):
        """Write the file beside its place, then move it there."""
        arrays = {f"{name}/{key}": array for name, part in parts.items() for key, array in part.state.items()}
        beside = self.path.with_name(f"{self.path.name}.part")
        with open(beside, "wb") as file:
            np.savez(file, identity=self.identity, update=update, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
        self.written = time.monotonic()
