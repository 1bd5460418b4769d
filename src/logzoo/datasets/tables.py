"""Readers of binary tables in text form: dense digits and sparse LIBSVM rows.

The options of both say where the splits come from. `files` (split -> file name): each split is a file. `own_split`
({file, validation, test} and perhaps seed): one file is cut here, in the order of its rows or, with a seed, shuffled.
"""

import re

import numpy as np

from logzoo.datasets.splits import SPLITS, Splits, cut_table, shuffled_order
from logzoo.datasets.unpacking import read_contents

LIBSVM_LINE = re.compile(r"([+-]?\d{1,4})((?: +\d{1,7}:[01])*) *\r?", re.ASCII)


def read_text(paths, options):
    """Read rows of single digits 0 and 1, gzipped or not; there are no labels.

    options: `files` or `own_split`, `separator` (one character), `sort` (splits whose rows are put in ascending
    order, for files that circulate in more than one order).
    """
    splits = _read_splits(paths, options, lambda path: (_parse_text(path, options["separator"]), None))
    for split in options.get("sort", []):
        data = splits.data[split]
        splits.data[split] = data[np.lexsort(np.packbits(data, axis=1).T[::-1])]
    return splits


def read_libsvm(paths, options):
    """Read rows `label index:1 ...`, indices from 1, ascending; options: `files` or `own_split`, `features`."""
    return _read_splits(paths, options, lambda path: _parse_libsvm(path, options["features"]))


def _read_splits(paths, options, parse):
    """The splits, where parse(path) gives the examples of a file and their labels, or None."""
    if "files" in options:
        return Splits.of(parse(paths[options["files"][split]]) for split in SPLITS)
    own_split = options["own_split"]
    path = paths[own_split["file"]]
    data, labels = parse(path)
    if "seed" in own_split:
        order = shuffled_order(len(data), own_split["seed"])
        data, labels = data[order], None if labels is None else labels[order]
    return cut_table(path.name, data, labels, own_split["validation"], own_split["test"])


def _parse_text(path, separator):
    contents = read_contents(path)
    columns = (contents.find(b"\n") + 1) // 2
    if columns < 1:
        raise ValueError(f"{path.name}: expected lines of values 0 or 1")
    rows = len(contents) // (2 * columns)
    table = np.frombuffer(contents, np.uint8, count=rows * 2 * columns).reshape(rows, columns, 2)
    data = table[:, :, 0] ^ ord("0")
    good = data <= 1
    good[:, :-1] &= table[:, :-1, 1] == ord(separator)
    good[:, -1] &= table[:, -1, 1] == ord("\n")
    if not good.all() or len(contents) != rows * 2 * columns:
        # All rows before the first bad byte have the right length, so that byte's row is the bad line.
        line = 1 + (rows if good.all() else int(np.argmin(good.all(axis=1))))
        expected = f"{columns} values 0 or 1 separated by {separator!r} in each line"
        raise ValueError(f"{path.name}: expected {expected}, line {line} is not that")
    return data


def _parse_libsvm(path, features):
    try:
        lines = read_contents(path).decode("ascii").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: expected LIBSVM rows in ASCII") from error
    data, labels = np.zeros((len(lines), features), np.uint8), np.zeros(len(lines), np.int16)
    for row, line in enumerate(lines):
        match = LIBSVM_LINE.fullmatch(line)
        if match is None:
            expected = "`label index:1 ...` with values 0 or 1"
            raise ValueError(f"{path.name}: expected {expected}, line {row + 1} is not that")
        labels[row] = int(match[1])
        previous = 0
        for pair in match[2].split():
            index, _, value = pair.partition(":")
            if not previous < int(index) <= features:
                raise ValueError(f"{path.name}: expected ascending indices 1 to {features}, line {row + 1} has {index}")
            previous = int(index)
            data[row, previous - 1] = int(value)
    return data, labels
