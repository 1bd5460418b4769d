"""Readers: raw files of one format -> the uint8 examples and the labels of each split.

All are read(paths, options) -> Splits, `paths` by file names, `options` from config/datasets.yaml. Malformed input
raises ValueError: one line that names the file and what was expected.
"""

import math
from pkgutil import resolve_name

import numpy as np

from logzoo.datasets.splits import SPLITS, Splits, cut_table
from logzoo.datasets.tables import read_libsvm, read_text
from logzoo.datasets.toy import read_toy
from logzoo.datasets.unpacking import read_contents
from logzoo.io.matlab import read_matrices

IDX_IMAGES, IDX_LABELS = 2051, 2049  # magic numbers: unsigned bytes in three dimensions, in one


def read_idx(paths, options):
    """Read MNIST-like idx files, gzipped or not; the last `validation` training images are for validation.

    options: `train` and `test` ({images, labels}: file names), `validation` (count), `threshold` (grey levels
    at or above it become 1, others 0; without it the grey levels 0..255 are kept).
    """
    images, labels, test_images, test_labels = (
        _idx_array(paths[options[split][kind]], magic)
        for split in ("train", "test")
        for kind, magic in (("images", IDX_IMAGES), ("labels", IDX_LABELS))
    )
    data, test_data = images.reshape(len(images), -1), test_images.reshape(len(test_images), -1)
    if "threshold" in options:
        data, test_data = ((grey >= options["threshold"]).astype(np.uint8) for grey in (data, test_data))
    border = len(data) - options["validation"]
    if border < 1:
        few = f"expected more than {options['validation']} images, found {len(data)}"
        raise ValueError(f"{options['train']['images']}: {few}")
    return Splits.of([(data[:border], labels[:border]), (data[border:], labels[border:]), (test_data, test_labels)])


def read_matlab(paths, options):
    """Read binary matrices (examples, visible) and their labels from one MATLAB 5 file.

    options: `file`, `train`, `validation`, `test` ({data, labels}: variable names), `column_major` ([height,
    width]: the images are stored column by column and come out row by row).
    """
    path = paths[options["file"]]
    names = [options[split][kind] for split in SPLITS for kind in ("data", "labels")]
    try:
        variables = read_matrices(path, names)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    height, width = options["column_major"]
    parts = []
    for split in SPLITS:
        images = _matlab_integers(path, variables, options[split]["data"])
        labels = _matlab_integers(path, variables, options[split]["labels"]).ravel()
        if images.min() < 0 or images.max() > 1:
            raise ValueError(f"{path.name}: expected values 0 or 1 in {options[split]['data']}")
        if images.shape[1] != height * width:
            raise ValueError(f"{path.name}: expected {height * width} pixels in each row, found {images.shape[1]}")
        upright = images.astype(np.uint8).reshape(-1, width, height).transpose(0, 2, 1)
        parts.append((upright.reshape(len(images), -1), labels))
    return Splits.of(parts)


def read_digits(paths, options):
    """Read the 8 x 8 digits that scikit-learn carries, in their stored order: train, validation, test examples.

    options: `threshold` (grey levels 0..16; at or above it a pixel is 1), `validation` and `test` (counts).
    paths is not used: the images are part of scikit-learn.
    """
    # Imported here because scikit-learn takes a second to load, which the other readers should not pay.
    from sklearn.datasets import load_digits

    grey, labels = load_digits(return_X_y=True)
    data = (grey >= options["threshold"]).astype(np.uint8)
    return cut_table("digits", data, labels, options["validation"], options["test"])


def read_known(paths, options):
    """Draw examples from a model whose log Z is known: `logzoo.datasets.known`.

    That is named by text: no other data set depends on the code of models.
    """
    return resolve_name("logzoo.datasets.known:read_known")(paths, options)


READERS = {
    "idx": read_idx,
    "text": read_text,
    "libsvm": read_libsvm,
    "matlab": read_matlab,
    "digits": read_digits,
    "toy": read_toy,
    "known": read_known,
}


def _idx_array(path, magic):
    contents = read_contents(path)
    if contents[:4] != magic.to_bytes(4, "big"):
        found = f"{contents[:4].hex()} (hexadecimal)"
        raise ValueError(f"{path.name}: expected the idx magic number {magic}, found {found}")
    header = 4 + 4 * contents[3]
    shape = [int.from_bytes(contents[start : start + 4], "big") for start in range(4, header, 4)]
    size = header + math.prod(shape)
    if len(contents) != size or size == header:
        expected = f"{size} bytes, at least one example, for the sizes {shape} in its header"
        raise ValueError(f"{path.name}: expected {expected}, found {len(contents)}")
    return np.frombuffer(contents, np.uint8, offset=header).reshape(shape)


def _matlab_integers(path, variables, name):
    array = variables.get(name)
    if array is None or array.ndim != 2 or not array.size:
        raise ValueError(f"{path.name}: expected a non-empty real matrix {name}")
    with np.errstate(invalid="ignore"):  # what does not fit is refused in the next line
        integers = array.astype(np.int16)
    if not np.array_equal(integers, array):
        raise ValueError(f"{path.name}: expected small whole numbers in {name}")
    return integers
