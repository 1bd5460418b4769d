"""Good files of every format that is read, and ways to break them."""

import gzip
import io
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import scipy.io
from hdf5_files import checkpoint_content, write_hdf5

from logzoo import RBM, train_rbm
from logzoo.cli.files import description, read_data
from logzoo.datasets.build import READERS
from logzoo.io.checkpoints import Checkpoint
from logzoo.io.netcdf import read_provenance

VISIBLE, HIDDEN, EXAMPLES = 12, 5, 40
SPLITS = ("train", "validation", "test")
GIANTS = (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 2**40, 2**62, 2**63, 10**12, 0, 1)


class Format(NamedTuple):
    """A folder of good files, its reader (returns None or the error), and the file that tests break."""

    folder: Path
    read: Any
    broken: str
    repack: Any = None  # breaks the content of packed parts, and packs it again


def broken(good, folder, generator):
    """Write the files of a format into a new folder, one of them broken; returns the kinds of damage."""
    shutil.copytree(good.folder, folder)
    contents, kinds = (folder / good.broken).read_bytes(), []

    def breaking(part):
        mutation = MUTATIONS[generator.integers(len(MUTATIONS))]
        kinds.append(mutation.__name__)
        return bytes(mutation(bytearray(part), generator))

    within = good.repack is not None and generator.random() < 0.5
    (folder / good.broken).write_bytes(good.repack(contents, breaking) if within else breaking(contents))
    return kinds


def _place(contents, generator):
    """A random position in a file; half of the time near its start, where the headers are."""
    end = len(contents) if generator.random() < 0.5 else min(len(contents), 1024)
    return int(generator.integers(end)) if end else 0


def flip(contents, generator):
    """Flip one to eight bits."""
    for _ in range(generator.integers(1, 9)):
        if contents:
            contents[_place(contents, generator)] ^= 1 << int(generator.integers(8))
    return contents


def truncate(contents, generator):
    """Cut off the end."""
    return contents[: _place(contents, generator)]


def giant(contents, generator):
    """Overwrite 4 or 8 bytes, perhaps a size, with a number that is far too large, 0 or 1, in either byte order."""
    code = str(generator.choice(["<I", ">I", "<Q", ">Q"]))
    number = int(GIANTS[generator.integers(len(GIANTS))]) % (1 << 8 * struct.calcsize(code))
    start = _place(contents, generator) // 4 * 4
    contents[start : start + struct.calcsize(code)] = struct.pack(code, number)
    return contents


MUTATIONS = (flip, truncate, giant)


def rbm_arrays():
    generator = np.random.default_rng(1)
    shapes = {"weights": (VISIBLE, HIDDEN), "visible_bias": VISIBLE, "hidden_bias": HIDDEN}
    return {name: generator.normal(size=shape) for name, shape in shapes.items()}


def examples():
    return np.random.default_rng(2).integers(0, 2, (EXAMPLES, VISIBLE)).astype(np.uint8)


def model_netcdf(folder):
    rbm = RBM(**rbm_arrays())
    rbm.save(folder / "model.nc")

    def read(folder):
        found = RBM.load(folder / "model.nc")
        description(folder / "model.nc")
        read_provenance(folder / "model.nc")
        return None if np.array_equal(found.weights, rbm.weights) else "other weights"

    return Format(folder, read, "model.nc")


def valid_model(rbm):
    shapes_match = rbm.weights.shape == (rbm.visible_bias.size, rbm.hidden_bias.size)
    finite = all(np.isfinite(part).all() for part in (rbm.weights, rbm.visible_bias, rbm.hidden_bias))
    return None if shapes_match and finite else "no valid model"


def matlab_model(folder):
    # Compressed: SciPy may crash on damaged variables without a checksum (SciPy 1.17: on 3 of 800 files).
    names = dict(zip(("vishid", "visbiases", "hidbiases"), rbm_arrays().values(), strict=True))
    scipy.io.savemat(folder / "model.mat", {**names, "more": {"field": 1.0}}, do_compression=True)
    return stored_model(folder, "model.mat")


def stored_model(folder, name, repack=None):
    return Format(folder, lambda folder: valid_model(RBM.load(folder / name)), name, repack)


def matlab_data(folder):
    variables = {f"{split}_data": examples() for split in SPLITS}
    variables |= {f"{split}_labels": np.arange(EXAMPLES)[:, None] for split in SPLITS}
    scipy.io.savemat(folder / "images.mat", variables, do_compression=True)
    options = {"file": "images.mat", "column_major": [3, 4]}
    options |= {split: {"data": f"{split}_data", "labels": f"{split}_labels"} for split in SPLITS}
    return Format(folder, lambda folder: valid_splits("matlab", folder, options), "images.mat")


def valid_splits(reader, folder, options):
    splits = READERS[reader]({path.name: path for path in folder.iterdir()}, options)
    right = all(data.dtype == np.uint8 and data.ndim == 2 for data in splits.data.values())
    return None if right else "no valid examples"


def model_arrays(folder):
    np.savez_compressed(folder / "model.npz", **rbm_arrays())
    return stored_model(folder, "model.npz", rezipped)


def hdf5_model(folder):
    write_hdf5(folder / "model.h5", checkpoint_content(RBM(**rbm_arrays())))
    return stored_model(folder, "model.h5")


def rezipped(contents, breaking):
    """An archive with broken members and the right checksums of these."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(contents)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, breaking(old.read(name)))
    return packed.getvalue()


def data_array(folder):
    np.save(folder / "data.npy", examples())

    def read(folder):
        found, _ = read_data(folder / "data.npy", "train")
        return None if found.dtype == np.uint8 and found.max() <= 1 else "no 0/1 matrix"

    return Format(folder, read, "data.npy")


def idx(array):
    header = struct.pack(">BBBB", 0, 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def idx_files(folder):
    for split in ("train", "test"):
        (folder / f"{split}-images").write_bytes(idx(examples().reshape(-1, 3, 4)))
        (folder / f"{split}-labels").write_bytes(idx(np.arange(EXAMPLES)))
    options = {split: {"images": f"{split}-images", "labels": f"{split}-labels"} for split in ("train", "test")}
    return Format(folder, lambda folder: valid_splits("idx", folder, options | {"validation": 5}), "train-images")


def regzipped(contents, breaking):
    return gzip.compress(breaking(gzip.decompress(contents)), mtime=0)


def text_files(folder):
    lines = "".join(",".join(map(str, row)) + "\n" for row in examples()).encode()
    return table_files(folder, "text", lines, {"separator": ","})


def libsvm_files(folder):
    rows = (" ".join(f"{unit + 1}:1" for unit in np.flatnonzero(row)) for row in examples())
    return table_files(folder, "libsvm", "".join(f"1 {row}\n" for row in rows).encode(), {"features": VISIBLE})


def table_files(folder, reader, lines, options):
    for split in SPLITS:
        (folder / split).write_bytes(gzip.compress(lines, mtime=0))
    options |= {"files": {split: split for split in SPLITS}}
    return Format(folder, lambda folder: valid_splits(reader, folder, options), "train", regzipped)


def checkpoint(folder):
    """Train with a checkpoint, which the training may use, ignore or refuse. A finished training has the same bits."""
    settings = {"hidden": 3, "updates": 8, "batch": 5}
    wanted = train_rbm(examples(), **settings)

    def half_way(self, update, parts):
        if update == 4:
            self.save(update, parts)

    with mock.patch.object(Checkpoint, "save_if_due", half_way):
        train_rbm(examples(), checkpoint=folder / "part.ckpt", **settings)

    def read(folder):
        found = train_rbm(examples(), checkpoint=folder / "part.ckpt", **settings)
        return None if np.array_equal(found.rbm.weights, wanted.rbm.weights) else "other weights"

    return Format(folder, read, "part.ckpt")


MODELS = (model_netcdf, matlab_model, model_arrays, hdf5_model, checkpoint)
DATA = (matlab_data, data_array, idx_files, text_files, libsvm_files)
FORMATS = {make.__name__.replace("_", "-"): make for make in (*MODELS, *DATA)}
