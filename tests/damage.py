"""Ways to damage a file of a tree: each changes one file, or swaps two, and describes it, or returns None."""

import os
import shutil

import numpy as np

from logzoo.io.netcdf import content_sha256, load_raw, seal


def flip_a_bit(path, draws, _others):
    content = bytearray(path.read_bytes())
    place = int(draws.integers(len(content)))
    content[place] ^= 1 << int(draws.integers(8))
    path.write_bytes(content)
    return f"flipped a bit of byte {place}"


def truncate(path, draws, _others):
    length = int(draws.integers(path.stat().st_size))
    os.truncate(path, length)
    return f"cut after {length} bytes"


def append(path, _draws, _others):
    path.write_bytes(path.read_bytes() + b"\n")
    return "added a line feed"


def blank(path, draws, _others):
    """Overwrite some bytes with zeros, where they are not zeros already."""
    content = bytearray(path.read_bytes())
    places = np.flatnonzero(np.frombuffer(bytes(content), np.uint8))
    start = int(draws.choice(places))
    content[start : start + 64] = bytes(len(content[start : start + 64]))
    path.write_bytes(content)
    return f"zeros from byte {start}"


def delete(path, _draws, _others):
    path.unlink()
    return "deleted"


def swap(path, draws, others):
    """Swap the file with a different file of the same kind, if there is any."""
    same = [one for one in others if one.suffix == path.suffix and one.read_bytes() != path.read_bytes()]
    if not same:
        return None
    other = same[int(draws.integers(len(same)))]
    content = path.read_bytes()
    shutil.copyfile(other, path)
    other.write_bytes(content)
    return f"swapped with {other}"


def edit_a_value(path, draws, _others, rehash=False):
    """Change one number by a relative 1e-12 or the least step, by default without updating the hash."""
    if path.suffix != ".nc":
        return None
    dataset = load_raw(path)
    names = [name for name, one in dataset.data_vars.items() if one.dtype.kind == "f" and one.notnull().any()]
    if not names:
        return None
    name = names[int(draws.integers(len(names)))]
    values = dataset[name].values.copy()
    places = np.argwhere(np.isfinite(values))
    place = tuple(places[int(draws.integers(len(places)))])
    values[place] = np.nextafter(values[place] * (1 + 1e-12), np.inf, dtype=values.dtype)
    dataset[name] = dataset[name].copy(data=values)
    if rehash:
        dataset.attrs["content_sha256"] = content_sha256(dataset)
    rewrite(dataset, path)
    return f"changed {name}{list(map(int, place))}" + (" and the hash" if rehash else "")


def edit_and_rehash(path, draws, others):
    return edit_a_value(path, draws, others, rehash=True)


def edit_an_attribute(path, draws, _others):
    if path.suffix != ".nc":
        return None
    dataset = load_raw(path)
    names = sorted(name for name, value in dataset.attrs.items() if isinstance(value, str))
    name = names[int(draws.integers(len(names)))]
    dataset.attrs[name] += "x"
    rewrite(dataset, path)
    return f"edited the attribute {name}"


def edit_text(path, draws, _others):
    if path.suffix not in (".md", ".html", ".csv", ".json", ".txt"):
        return None
    text = path.read_text()
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return None
    place = places[int(draws.integers(len(places)))]
    path.write_text(f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}")
    return f"changed the digit at {place}"


def rewrite(dataset, path):
    """Write a dataset without updating its hash, to a new file, because HDF5 keeps a damaged file open."""
    encoding = {name: {"_FillValue": None} for name in dataset.variables}
    fresh = path.with_name(f".{path.name}.tmp")
    dataset.to_netcdf(fresh, engine="netcdf4", encoding=encoding)
    seal(fresh)
    os.replace(fresh, path)


WAYS = (flip_a_bit, truncate, append, blank, delete, swap, edit_a_value, edit_and_rehash, edit_an_attribute, edit_text)


def corrupt(path, draws, others):
    """Damage a file in a random way that fits its kind; returns (name of the way, description)."""
    for choice in draws.permutation(len(WAYS)):
        before, done = path.read_bytes(), WAYS[choice](path, draws, others)
        if done is not None and (not path.exists() or path.read_bytes() != before):
            return WAYS[choice].__name__, done
    raise AssertionError(f"{path}: nothing fits it")


def missed(faults, corrupted):
    """Corrupted files that no reported fault names."""
    return sorted({*corrupted} - {fault.file for fault in faults})
