"""Whether two finished trees have the same content: python tests/drills/compare.py OLD NEW [--renamed OLD=NEW ...].

Artifacts are compared by their values and attributes without provenance, and pictures by their pixels. New artifacts
may have more attributes. Measured times, and files made from them, differ from run to run.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from logzoo.io.netcdf import load_raw

_ORIGIN = {
    *("artifact_schema", "content_sha256", "inputs_json", "parameters_json", "seed_path", "software_json"),
    "source_sha256",
}


def differences(old, new, renamed):
    """Yield (path, what differs) of files that two trees do not share. renamed: {part of an old path: of a new one}."""
    old, new = Path(old), Path(new)
    paths = {path.relative_to(old).as_posix() for top in ("data", "figures") for path in (old / top).rglob("*")}
    for path in sorted(path for path in paths if path.endswith((".nc", ".png"))):
        other = path
        for part, instead in renamed.items():
            other = other.replace(part, instead)
        if not (new / other).is_file():
            yield path, f"no {other}"
            continue
        compare = _artifacts if path.endswith(".nc") else _pictures
        if said := compare(old / path, new / other):
            yield path, said


def _artifacts(old, new):
    """Names of the variables and attributes that differ."""
    before, after = load_raw(old), load_raw(new)
    names = {*before.variables, *after.variables}
    unlike = [name for name in names if not _same(before.variables.get(name), after.variables.get(name))]
    attributes = {*before.attrs} - _ORIGIN
    unlike += [name for name in attributes if not np.array_equal(before.attrs[name], after.attrs.get(name))]
    return ", ".join(sorted(map(str, unlike)))


def _same(before, after):
    if before is None or after is None or not before.equals(after):
        return False
    return all(np.array_equal(value, after.attrs.get(name)) for name, value in before.attrs.items())


def _pictures(old, new):
    """How many pixels differ, in words; empty if none does."""
    before, after = (np.asarray(Image.open(path).convert("RGB")) for path in (old, new))
    if before.shape != after.shape:
        return f"{before.shape[1]} x {before.shape[0]} pixels, now {after.shape[1]} x {after.shape[0]}"
    unlike = np.count_nonzero((before != after).any(axis=-1))
    return f"{unlike} pixels" if unlike else ""


def main(arguments=None):
    """Print every difference; exit code 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("old", help="folder of a project with a finished run")
    parser.add_argument("new", help="another one")
    parser.add_argument("--renamed", nargs="*", default=[], metavar="OLD=NEW", help="parts of paths that changed")
    given = parser.parse_args(arguments)
    unlike = list(differences(given.old, given.new, dict(pair.split("=", 1) for pair in given.renamed)))
    for path, said in unlike:
        print(f"{path}: {said}")
    print(f"{len(unlike)} files differ")
    sys.exit(1 if unlike else 0)


if __name__ == "__main__":
    main()
