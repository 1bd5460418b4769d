"""How much a file may unpack to: a small file may claim any size, and is refused before memory is taken for it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

# Arrays that are all zero pack to a thousandth, trained weights to no less than half.
_MOST_BYTES, _MOST_TIMES = 1 << 28, 32


class Header(NamedTuple):
    """Shape and type of an array in a file, whose values are not read yet."""

    shape: tuple
    dtype: np.dtype  # object for all but numbers and letters


def most_unpacked(path):
    """Bytes of memory that what is in a file may take."""
    return max(_MOST_BYTES, _MOST_TIMES * Path(path).stat().st_size)


def check_unpacked(path, size):
    """Raise ValueError, which does not name the file, if `size` bytes are more than it may unpack to."""
    most = most_unpacked(path)
    if size > most:
        raise ValueError(f"expected numbers of at most {most:,} bytes in a file of its size, found {size:,}")
