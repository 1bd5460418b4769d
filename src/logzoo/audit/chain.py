"""What files were made from: the hashes of inputs that they record, back to the raw files."""

import json

from logzoo.artifacts.made import raw_hashes
from logzoo.datasets.sources import digests, matches


def check_raw(findings, folder, manifest, files, expected=None):
    """Enter the checks of the raw files of a source; returns {path: sha256} of those that are as its manifest says.

    manifest: its path from the folder; files: all files of the tree; expected: {file name: entry of
    config/datasets.yaml} where it is known.
    """
    try:
        text = (folder / manifest).read_text()
        content, stated = json.loads(text), raw_hashes(manifest, text)
        sizes = {path: content["files"][path.rsplit("/", 1)[1]]["bytes"] for path in stated}
        passed = json.dumps(content, indent=1, sort_keys=True) + "\n" == text
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        findings.check(manifest, "raw manifest", "readable", False, error, "the manifest that fetch writes")
        return {}
    findings.check(manifest, "raw manifest", "readable", passed, "another layout", "JSON as fetch writes it")
    intact = {}
    for path, digest in stated.items():
        if not findings.check(
            path, "raw file", "present", path in files, "no such file", f"a file named by {manifest}"
        ):
            continue
        found = digests(folder / path)
        same = (found.sha256, found.bytes) == (digest, sizes[path])
        expectation = f"{sizes[path]} bytes of sha256 {digest}"
        if findings.check(path, "raw file", "raw", same, f"{found.bytes} bytes of sha256 {found.sha256}", expectation):
            intact[path] = digest
        if expected is not None:
            entry = expected.get(path.rsplit("/", 1)[1])
            accepted = entry is not None and matches(found, entry)
            findings.check(
                path, "raw file", "configuration", accepted, f"sha256 {found.sha256}", "a configured checksum"
            )
    if expected is not None and "unavailable" not in content:
        names = sorted(path.rsplit("/", 1)[1] for path in stated)
        findings.check(manifest, "raw manifest", "configuration", names == sorted(expected), names, sorted(expected))
    for path in files:
        if path.startswith(manifest.rsplit("/", 1)[0] + "/") and path != manifest and path not in stated:
            findings.check(path, "raw file", "leftover", False, "a file", f"only what {manifest} names")
    return intact


def check_inputs(findings, path, kind, inputs, hashes):
    """Enter whether each input that a file records ({path: hash}) is there and has that hash.

    hashes: {path: content hash, or sha256 of a raw file; None for what is there and cannot be read}.
    """
    for name, stated in inputs.items():
        if name not in hashes:
            findings.check(path, kind, "inputs", False, f"made from {name}, which is not there", "a file of the tree")
        elif hashes[name] is not None:
            found, expected = f"{name} has {hashes[name]}", f"{stated}, which this was made from"
            findings.check(path, kind, "inputs", hashes[name] == stated, found, expected)
