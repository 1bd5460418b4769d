"""What every reader returns: examples and labels, split by split."""

from typing import NamedTuple

import numpy as np

SPLITS = ("train", "validation", "test")


class Splits(NamedTuple):
    """Examples and labels of the three splits.

    data: split name -> uint8 array (examples, visible).
    labels: split name -> integer array (examples,), or None where there are none.
    """

    data: dict[str, np.ndarray]
    labels: dict[str, np.ndarray | None]
