"""The 8 x 8 digits that scikit-learn carries: real data when no file can be had."""

from pathlib import Path

import numpy as np

from logzoo.datasets.splits import Splits, cut_table


def read_digits(paths: dict[str, Path], options: dict) -> Splits:
    """Read the digits in their stored order: train first, then `validation`, then `test` examples.

    options: `threshold` (grey levels 0..16; at or above it a pixel is 1), `validation` and `test` (counts).
    paths is not used: the images are part of scikit-learn.
    """
    # Imported here because scikit-learn takes a second to load, which the other readers should not pay.
    from sklearn.datasets import load_digits

    grey, labels = load_digits(return_X_y=True)
    data = (grey >= options["threshold"]).astype(np.uint8)
    return cut_table("digits", data, labels, options["validation"], options["test"])
