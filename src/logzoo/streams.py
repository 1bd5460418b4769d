"""Random streams named by their purpose, so that adding a method never changes the draws of another method."""

from __future__ import annotations

import hashlib
import numbers
from dataclasses import dataclass

import numpy as np

from logzoo.checks import shown

_LARGEST = 2**128


@dataclass(frozen=True)
class Stream:
    """A random stream named by a path such as (seed, model, estimator, budget, replicate)."""

    path: tuple[str, ...]

    def child(self, *names: object) -> Stream:
        """The stream below this stream, one level lower for each name."""
        return Stream(self.path + tuple(str(name) for name in names))

    def __str__(self) -> str:
        return "/".join(self.path)

    def _digest(self) -> bytes:
        # Lengths are part of the text: ("a", "bc") and ("ab", "c") are different streams.
        text = "".join(f"{len(name)}:{name}" for name in self.path)
        return hashlib.sha256(text.encode()).digest()

    @property
    def key(self) -> np.uint64:
        """64-bit key (uint64) of the stream's random numbers in the kernels; `generator` has another key."""
        return np.uint64(int.from_bytes(self._digest()[:8], "little"))

    def generator(self) -> np.random.Generator:
        """A NumPy generator of the stream, for work outside the kernels (shuffles, resampling)."""
        return np.random.Generator(np.random.Philox(key=int.from_bytes(self._digest()[8:24], "little")))


def root_stream(seed: object) -> Stream:
    """The stream from which all other streams of a run descend.

    Parameters
    ----------
    seed : int or str
        1 and "1" name the same stream.

    Raises
    ------
    ValueError
        For anything else, such as 1.0 and True, and for whole numbers of more than 128 bits.

    Examples
    --------
    >>> str(root_stream(1).child("rts", 10))
    '1/rts/10'
    """
    whole = isinstance(seed, numbers.Integral) and not isinstance(seed, bool | np.bool_) and abs(int(seed)) < _LARGEST
    # Lone surrogates cannot be encoded as UTF-8, so such texts are refused.
    text = isinstance(seed, str) and seed.encode(errors="ignore").decode() == seed
    if not whole and not text:
        raise ValueError(f"seed: expected a whole number or a text, found {shown(seed)}; numbers have at most 128 bits")
    return Stream((str(seed),))
