"""Toy data of Hult et al. (2019), section 4.3: noisy copies of binary codes, one code for each mode.

Random numbers are raw words of a bit generator, because NumPy guarantees these words for all versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logzoo.datasets.readers import SPLITS, Splits, shuffled_order
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

# Leading bits of a 64-bit word that make a uniform number. A float64 holds 53 bits.
_UNIFORM_BITS = 53


def mode_codes(modes: int, copies: int) -> np.ndarray:
    """Write every mode in binary, from all ones down to all zeros, with every bit repeated `copies` times.

    Returns a uint8 array (modes, log2(modes) * copies) by steps 1 to 3 of the paper. Raises ValueError unless `modes`
    is a power of two.
    """
    if modes & (modes - 1):
        raise ValueError(f"modes: expected a power of two, found {modes}")
    places = np.arange(modes.bit_length() - 1)[::-1]
    bits = np.arange(modes)[::-1, None] >> places & 1
    return np.repeat(bits.astype(np.uint8), copies, axis=1)


def noisy_copies(
    modes: int, copies: int, samples: int, flip: float, words: np.random.Philox, odds: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the explanatory part of a toy data set: `samples` examples of each mode, with bits flipped at random.

    flip: probability of a flip, from 0 to below 1. words: a bit generator; one word is taken for each bit.
    odds (mode,): whole numbers that multiply `samples` for each mode; in the paper all are equal.
    Returns examples (example, log2(modes) * copies) uint8, and the mode (example,) int16 of each example. Modes are
    counted from 0. The draws follow steps 4 and 5 of the paper. Raises ValueError if `odds` has another length.
    """
    codes = mode_codes(modes, copies)
    times = [1] * modes if odds is None else odds
    if len(times) != modes:
        raise ValueError(f"odds: expected a number for each of {modes} modes, found {len(times)}")
    below = np.uint64(round(flip * 2.0**_UNIFORM_BITS))
    sizes = samples * np.array(times)
    examples = np.repeat(codes, sizes, axis=0)
    # The loop over modes saves memory: the random words of a mode take eight times the memory of its examples.
    for part in np.split(examples, np.cumsum(sizes)[:-1]):
        uniform = words.random_raw(part.size).reshape(part.shape) >> np.uint64(64 - _UNIFORM_BITS)
        part ^= uniform < below
    return examples, np.repeat(np.arange(modes, dtype=np.int16), sizes)


def read_toy(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Draw the three splits from separate streams, and shuffle each split, so that its first rows mix all modes.

    options: `modes`, `copies`, `flip`, `seed`, and `samples` (for each split, the number of examples of each mode);
    `odds`, if set, multiply this number. The labels are the modes. Raises a ValueError that names a bad option.
    """
    sizes, parts = (options["modes"], options["copies"]), []
    for split in SPLITS:
        stream = root_stream(options["seed"]).child("toy", *sizes, split)
        words = np.random.Philox(key=int(stream.key))
        samples, flip, odds = options["samples"][split], options["flip"], options.get("odds")
        examples, modes = noisy_copies(*sizes, samples, flip, words, odds)
        order = shuffled_order(len(examples), int(stream.child("order").key))
        parts.append((examples[order], modes[order]))
    return Splits.of(parts)
