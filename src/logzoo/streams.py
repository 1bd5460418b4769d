"""Random streams named by what they are for, so that adding a method never shifts another's draws."""

import hashlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Stream:
    """A random stream named by a path such as (seed, model, estimator, budget, replicate)."""

    path: tuple[str, ...]

    def child(self, *names):
        """The stream one or more steps below this one."""
        return Stream(self.path + tuple(str(name) for name in names))

    def __str__(self):
        return "/".join(self.path)

    def _digest(self):
        # Lengths are part of the text: ("a", "bc") and ("ab", "c") are different streams.
        text = "".join(f"{len(name)}:{name}" for name in self.path)
        return hashlib.sha256(text.encode()).digest()

    @property
    def key(self):
        """64-bit key of the stream's counter-based generator (uint64)."""
        return np.uint64(int.from_bytes(self._digest()[:8], "little"))

    def generator(self):
        """A NumPy generator of the stream, for work outside the kernels (shuffles, resampling)."""
        return np.random.Generator(np.random.Philox(key=int.from_bytes(self._digest()[8:24], "little")))


def root_stream(seed):
    """The stream all others of a run descend from."""
    return Stream((str(seed),))
