"""HDF5 files as the package rbms and MATLAB 7.3 write them."""

from pathlib import Path

import h5py
import numpy as np


def write_hdf5(path, content, *, before=b""):
    """Write {"group/name": array or text}; before: at most 512 bytes that come first."""
    with h5py.File(path, "w", userblock_size=512 if before else None) as file:
        for name, value in content.items():
            file.create_dataset(name, data=value)
    with Path(path).open("r+b") as written:
        written.write(before)


def checkpoint_content(rbm, updates=(1, 7, 100), kind="BBRBM"):
    """The content that the package rbms saves: `rbm` at the last update, half its parameters at earlier updates."""
    content = {"hyperparameters/learning_rate": np.array(0.01), "hyperparameters/filename": "RBM.h5"}
    for update in updates:
        scale = 1.0 if update == max(updates) else 0.5
        group = f"update_{update}"
        content |= {
            f"{group}/params/weight_matrix": scale * rbm.weights,
            f"{group}/params/vbias": scale * rbm.visible_bias,
            f"{group}/params/hbias": scale * rbm.hidden_bias,
            f"{group}/torch_rng_state": np.zeros(100, np.uint8),
            f"{group}/numpy_rng_arg0": "MT19937",
            f"{group}/numpy_rng_arg4": np.array(0.0),
            f"{group}/time": np.array(3.5),
        }
    content["parallel_chains"] = np.zeros((4, rbm.visible), np.float32)
    return content | {"model_type": kind}
