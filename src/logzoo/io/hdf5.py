"""Arrays of HDF5 files, read by h5py, which the extra `files` installs."""

import contextlib

from logzoo.io.sizes import Header


def list_arrays(path, text):
    """List the arrays of a file, {"group/array": Header}, and the text of the given name at its root, or None.

    Raises ValueError, one line without the path, for a file that h5py cannot read.
    """
    arrays = {}
    with _opened(path) as (h5py, file):

        def add(name, item):
            if isinstance(item, h5py.Dataset) and item.shape is not None:
                arrays[name] = Header(item.shape, item.dtype)

        file.visititems(add)
        found = file[text][()] if text in arrays and arrays[text].shape == () else None
    return arrays, found.decode(errors="replace") if isinstance(found, bytes) else found


def read_arrays(path, names):
    """Read the named arrays of a file, in this order. Their size is not checked.

    Errors as of `list_arrays`; also for numbers that NetCDF has scaled, which h5py does not scale back.
    """
    with _opened(path) as (_, file):
        scaled = [name for name in names if {"scale_factor", "add_offset"} & set(file[name].attrs)]
        arrays = [file[name][()] for name in names]
    if scaled:
        raise ValueError(f"{scaled[0]!r:.40}: expected plain numbers, found scaled ones (scale_factor, add_offset)")
    return arrays


@contextlib.contextmanager
def _opened(path):
    try:
        import h5py
    except ModuleNotFoundError:
        raise ValueError("HDF5 files need h5py: pip install 'logzoo[files]'") from None
    try:
        with h5py.File(path, "r") as file:
            yield h5py, file
    except Exception as error:  # h5py raises whatever a damaged file happens to break
        reason = " ".join(str(error).split())
        raise ValueError(f"expected a whole HDF5 file, found a damaged or another one ({reason:.100})") from None
