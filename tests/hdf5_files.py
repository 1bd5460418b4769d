"""HDF5 files as h5py writes them, by the same calls of the compiled library, which netCDF4 brings along."""

import ctypes
from functools import cache
from pathlib import Path

import netCDF4  # noqa: F401, it loads the library
import numpy as np
import pytest

_TYPES = {"float64": "H5T_IEEE_F64LE_g", "float32": "H5T_IEEE_F32LE_g", ">f8": "H5T_IEEE_F64BE_g"}
_TYPES |= {"float16": "H5T_IEEE_F16LE_g", "int64": "H5T_STD_I64LE_g", "uint8": "H5T_STD_U8LE_g"}


@cache
def library():
    """The library that is loaded, or none: then the test is skipped."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.exists() else []
    paths = {line.split(maxsplit=5)[5] for line in lines if "/libhdf5" in line and "_hl" not in line}
    if not paths:
        pytest.skip("the HDF5 library that netCDF4 uses is not to be found")
    found = ctypes.CDLL(min(paths))
    for name in ("H5Fcreate", "H5Gcreate2", "H5Dcreate2", "H5Screate", "H5Screate_simple", "H5Tcopy", "H5Pcreate"):
        getattr(found, name).restype = ctypes.c_int64
    found.H5open()
    return found


def write_hdf5(path, content, *, newest=False, chunked=False, before=b""):
    """Write {"group/name": array or text}.

    newest: in the newest form, which h5py does not use unasked; before: at most 512 bytes that come first.
    """
    hdf5 = library()

    def identifier(name):
        return ctypes.c_int64.in_dll(hdf5, name)

    access = ctypes.c_int64(hdf5.H5Pcreate(identifier("H5P_CLS_FILE_ACCESS_ID_g")))
    # The newest of the forms that the library knows, of unknown number.
    assert any(hdf5.H5Pset_libver_bounds(access, high if newest else 0, high) >= 0 for high in range(9, 1, -1))
    none, groups = ctypes.c_int64(0), set()
    creation = ctypes.c_int64(hdf5.H5Pcreate(identifier("H5P_CLS_FILE_CREATE_ID_g")))
    assert hdf5.H5Pset_userblock(creation, ctypes.c_uint64(512 if before else 0)) >= 0
    file = ctypes.c_int64(hdf5.H5Fcreate(str(path).encode(), 2, creation, access))
    for name, value in content.items():
        parents = name.split("/")[:-1]
        for depth in range(len(parents)):
            group = "/".join(parents[: depth + 1])
            if group not in groups:
                groups.add(group)
                hdf5.H5Gclose(ctypes.c_int64(hdf5.H5Gcreate2(file, group.encode(), none, none, none)))
        creation = none
        if isinstance(value, str):
            kind = ctypes.c_int64(hdf5.H5Tcopy(identifier("H5T_C_S1_g")))
            hdf5.H5Tset_size(kind, ctypes.c_size_t(-1))
            hdf5.H5Tset_cset(kind, 1)
            space = ctypes.c_int64(hdf5.H5Screate(0))
            values = ctypes.byref(ctypes.c_char_p(value.encode()))
        else:
            value = np.asarray(value, order="C")
            kind = identifier(_TYPES.get(value.dtype.str, _TYPES.get(value.dtype.name)))
            sizes = (ctypes.c_uint64 * value.ndim)(*value.shape)
            space = ctypes.c_int64(hdf5.H5Screate_simple(value.ndim, sizes, None))
            values = value.ctypes.data_as(ctypes.c_void_p)
            if chunked:
                creation = ctypes.c_int64(hdf5.H5Pcreate(identifier("H5P_CLS_DATASET_CREATE_ID_g")))
                hdf5.H5Pset_chunk(creation, value.ndim, sizes)
        data = ctypes.c_int64(hdf5.H5Dcreate2(file, name.encode(), kind, space, none, creation, none))
        assert hdf5.H5Dwrite(data, kind, none, none, none, values) >= 0
        hdf5.H5Dclose(data)
    assert hdf5.H5Fclose(file) >= 0
    with Path(path).open("r+b") as written:
        written.write(before)


def checkpoint_content(rbm, updates=(1, 7, 100), kind="BBRBM"):
    """What the package rbms saves: at every update the parameters, at the last those of `rbm`, the others scaled."""
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
