"""What files were made from: the hashes of inputs that they record, back to the raw files."""

from logzoo.artifacts.json_objects import json_object
from logzoo.datasets.sources import digests, matches


def check_raw(findings, folder, manifest, files, expected=None):
    """Enter the checks of the raw files that a manifest names; returns {path: sha256} of those that are there.

    files: all files of the tree; expected: {file name: entry of config/datasets.yaml} where it is known.
    """

    def read():
        content = json_object((folder / manifest).read_text())
        return content, {name: (entry["bytes"], entry["sha256"]) for name, entry in content["files"].items()}

    broken = (OSError, ValueError, KeyError, TypeError, AttributeError)
    content, stated = findings.read(manifest, "readable", read, "the manifest that fetch writes", broken) or ({}, {})
    present = {}
    for name, (size, digest) in stated.items():
        path = manifest.rpartition("/")[0] + f"/{name}"
        if not findings.check(path, "present", path in files, "no such file", f"a file named by {manifest}"):
            continue
        actual = digests(folder / path)
        held, wanted = f"{actual.bytes} bytes of sha256 {actual.sha256}", f"{size} bytes of sha256 {digest}"
        findings.check(path, "raw", held == wanted, held, wanted)
        present[path] = actual.sha256
        if expected is not None:
            accepted = matches(actual, expected.get(name, {"sources": []}))
            findings.check(path, "configuration", accepted, held, "a configured checksum")
    if content and expected is not None and "unavailable" not in content:
        names = sorted(stated)
        findings.check(manifest, "configuration", names == sorted(expected), names, sorted(expected))
    return present


def check_inputs(findings, path, inputs, hashes):
    """Enter whether each input that a file records is there and has that hash, None for what cannot be read."""
    for name, stated in inputs.items():
        if name not in hashes:
            findings.check(path, "inputs", False, f"made from {name}, which is not there", "a file of the tree")
        elif hashes[name] is not None:
            expected = f"{stated}, which this was made from"
            findings.check(path, "inputs", hashes[name] == stated, f"{name} has {hashes[name]}", expected)
