"""What files were made from: the hashes of inputs that they record, back to the raw files."""

import json

from logzoo.artifacts.made import raw_hashes
from logzoo.datasets.sources import digests, matches


def check_raw(findings, folder, manifest, files, expected=None):
    """Enter the checks of the raw files of a source; returns {path: sha256} of those that it names.

    manifest: its path from the folder; files: all files of the tree; expected: {file name: entry of
    config/datasets.yaml} where it is known.
    """
    try:
        content = json.loads((folder / manifest).read_text())
        stated = raw_hashes(manifest, content)
        sizes = {path: content["files"][_name(path)]["bytes"] for path in stated}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        findings.check(manifest, "readable", False, error, "the manifest that fetch writes")
        return {}
    findings.check(manifest, "readable", True)
    present = {}
    for path, digest in stated.items():
        if not findings.check(path, "present", path in files, "no such file", f"a file named by {manifest}"):
            continue
        actual = digests(folder / path)
        found, wanted = f"{actual.bytes} bytes of sha256 {actual.sha256}", f"{sizes[path]} bytes of sha256 {digest}"
        findings.check(path, "raw", found == wanted, found, wanted)
        present[path] = actual.sha256
        if expected is not None:
            accepted = matches(actual, expected.get(_name(path), {"sources": []}))
            findings.check(path, "configuration", accepted, found, "a configured checksum")
    if expected is not None and "unavailable" not in content:
        names = sorted(map(_name, stated))
        findings.check(manifest, "configuration", names == sorted(expected), names, sorted(expected))
    return present


def check_inputs(findings, path, inputs, hashes):
    """Enter whether each input that a file records ({path: hash}) is there and has that hash.

    hashes: {path: content hash, or sha256 of a raw file; None for what is there and cannot be read}.
    """
    for name, stated in inputs.items():
        if name not in hashes:
            findings.check(path, "inputs", False, f"made from {name}, which is not there", "a file of the tree")
        elif hashes[name] is not None:
            expected = f"{stated}, which this was made from"
            findings.check(path, "inputs", hashes[name] == stated, f"{name} has {hashes[name]}", expected)


def _name(path):
    return path.rsplit("/", 1)[1]
