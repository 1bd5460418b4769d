"""The 8 x 8 digits that scikit-learn carries: real data when no file can be had."""

from pathlib import Path

import numpy as np

from logzoo.datasets.splits import SPLITS, Splits


def read_digits(paths: dict[str, Path], options: dict) -> Splits:
    """Read the digits in their stored order: train first, then `validation`, then `test` examples.

    options: `threshold` (grey levels 0..16; at or above it a pixel is 1), `validation` and `test` (counts).
    paths is not used: the images are part of scikit-learn.
    """
    # Imported here because scikit-learn takes a second to load, which the other readers should not pay.
    from sklearn.datasets import load_digits

    grey, labels = load_digits(return_X_y=True)
    data = (grey >= options["threshold"]).astype(np.uint8)
    test_start = len(data) - options["test"]
    validation_start = test_start - options["validation"]
    if validation_start < 1:
        raise ValueError(
            f"digits: {len(data)} examples cannot give {options['validation']} for validation, "
            f"{options['test']} for test and some for training"
        )
    borders = [validation_start, test_start]
    return Splits(
        dict(zip(SPLITS, np.split(data, borders), strict=True)),
        dict(zip(SPLITS, np.split(labels, borders), strict=True)),
    )
