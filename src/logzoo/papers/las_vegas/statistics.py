"""What claims on tours share: ratios of sums over batches."""

import numpy as np

# Tours longer than this are the tail of the lengths.
TAIL = 10


def ratio(above, below):
    """Ratio of sums over batches, NaN where nothing was counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return above.sum(axis=-1) / below.sum(axis=-1)


def difference(total, count, other_total, other_count):
    """Ratio of sums over batches less that of other sums."""
    return ratio(total, count) - ratio(other_total, other_count)
