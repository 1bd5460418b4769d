"""What every reader returns, examples and labels split by split, and the cutting of one table into splits."""

from typing import NamedTuple

import numpy as np

SPLITS: tuple[str, ...] = ("train", "validation", "test")


class Splits(NamedTuple):
    """By split: its examples, uint8 (examples, visible), and its labels, integers (examples,), or None without any."""

    data: dict[str, np.ndarray]
    labels: dict[str, np.ndarray | None]

    @classmethod
    def of(cls, parts):
        """The splits from (examples, labels) of each, in their order."""
        return cls(*(dict(zip(SPLITS, arrays, strict=True)) for arrays in zip(*parts, strict=True)))


def cut_table(name, data, labels, validation, test):
    """Cut one table in the order of its rows: train, `validation`, `test` rows; ValueError when train gets none."""
    borders = [len(data) - test - validation, len(data) - test]
    if borders[0] < 1:
        raise ValueError(f"{name}: expected more than {validation + test} examples, found {len(data)} examples")
    labels_of_splits = [None] * len(SPLITS) if labels is None else np.split(labels, borders)
    return Splits.of(zip(np.split(data, borders), labels_of_splits, strict=True))


def one_hot(name, labels, classes):
    """Each label 0 .. classes - 1 as a row with a single one: (examples, classes) uint8; ValueError for others."""
    if labels is None:
        raise ValueError(f"{name}: expected a label of every example for {classes} label units, found none")
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise ValueError(f"{name}: expected labels from 0 to {classes - 1}, found {wrong[0]}")
    return (labels[:, None] == np.arange(classes)).astype(np.uint8)


def shuffled_order(rows, seed):
    """Draw a permutation of range(rows)."""
    # NumPy keeps the raw words of a bit generator the same for ever, but not what its Generator makes of them.
    return np.argsort(np.random.Philox(key=seed).random_raw(rows), kind="stable")
