"""Publication: files that readers see and their inputs, with hashes of all others; only of finished, faultless runs."""

import re
import shutil
from unittest.mock import Mock

import pytest
from trees import jobs_of

from logzoo.io.netcdf import load_raw
from replication.audit import publish as publishing
from replication.audit.manifest import manifest_path, read_manifest, write_manifest
from replication.audit.publish import publish
from replication.audit.tree import audit
from replication.layout import files_of, kind_of, scale_of

MANIFEST, ROWS, MODEL = manifest_path("tiny"), "data/tiny/tables/t.nc", "data/tiny/models/a.nc"
NEVER = {"model", "snapshots", "dataset", "raw file", "raw manifest"}


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(tree, jobs=None, **options):
    """The one line that a publication is refused with; nothing is written or left."""
    before = bytes_of(tree)
    with pytest.raises(ValueError) as caught:
        publish(tree, "tiny", jobs or jobs_of(tree), **options)
    assert bytes_of(tree) == before and "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_shown_and_what_it_is_made_from_is_published(tree):
    report = publish(tree, "tiny", jobs_of(tree), hours={"f": 0.5})
    target = tree / "results/tiny"
    assert f"{len(bytes_of(target))} files" in report
    there, whole = set(files_of(target)), read_manifest(tree, "tiny")
    for path in there - {MANIFEST}:
        assert (target / path).read_bytes() == (tree / path).read_bytes()
    assert not NEVER & {kind_of(path) for path in there} and not [path for path in there if path.endswith(".pdf")]
    assert {"data/tiny/zoo.nc", ROWS, "data/tiny/verdicts/f.nc", "figures/tiny/p/f.png"} <= there
    # This file is an input of data/tiny/zoo.nc alone, which holds its estimates.
    assert "data/tiny/estimates/a/rts.nc" not in there
    manifest = read_manifest(target, "tiny")
    assert set(manifest.files) == there - {MANIFEST} and manifest.hours == {"f": 0.5}
    assert manifest.protocol == whole.protocol == "0123abcd"
    assert {**manifest.files, **manifest.left_out}.keys() == whole.files.keys()
    assert manifest.left_out[MODEL] == load_raw(tree / MODEL).attrs["content_sha256"]
    assert str(tree) not in manifest.text()


def test_published_results_are_sound_by_themselves_and_published_in_the_same_bytes(tree, monkeypatch):
    publish(tree, "tiny", jobs_of(tree))
    first = bytes_of(tree / "results/tiny")
    findings = audit(tree / "results/tiny", {"tiny": jobs_of(tree)})
    assert (findings.faults, findings.stale) == ([], {})
    # A project that is restored from the publication publishes the same bytes.
    for part in ("data", "figures"):
        shutil.rmtree(tree / part)
        shutil.copytree(tree / "results/tiny" / part, tree / part)
    publish(tree, "tiny", jobs_of(tree))
    assert bytes_of(tree / "results/tiny") == first
    # An interrupted publication leaves the old one.
    monkeypatch.setattr(publishing.shutil, "copyfile", Mock(side_effect=OSError))
    before = bytes_of(tree)
    with pytest.raises(OSError):
        publish(tree, "tiny", jobs_of(tree))
    assert bytes_of(tree) == before


def test_a_run_without_some_files_adds_to_the_publication_that_has_them(tree):
    publish(tree, "tiny", jobs_of(tree))
    whole, lost = bytes_of(tree / "results/tiny"), [ROWS, *tree.glob("figures/tiny/p/t.*")]
    for path in lost:
        (tree / path).unlink()
    write_manifest(tree, "tiny", [path for path in files_of(tree) if scale_of(path) is None], "0123abcd")
    # As after a publication that was killed between its two renames.
    (tree / "results/tiny").rename(tree / "results/.tiny.old.tmp")
    publish(tree, "tiny", jobs_of(tree), add=True)
    assert bytes_of(tree / "results/tiny") == whole
    text = tree / "results/tiny/figures/tiny/p/t.csv"
    text.write_bytes(whole["figures/tiny/p/t.csv"] + b"\n")
    assert "faulty or stale, for example figures/tiny/p/t.csv (manifest)" in refused(tree, add=True)
    text.write_bytes(whole["figures/tiny/p/t.csv"])
    jobs = jobs_of(tree)
    jobs[ROWS]["source"] = "0" * 64
    assert ROWS in refused(tree, jobs, add=True)
    publish(tree, "tiny", jobs)
    assert ROWS not in bytes_of(tree / "results/tiny")


def test_what_is_too_large_unfinished_faulty_stale_or_not_ours_is_refused(tree):
    assert re.search(r"0\.01 MB .*--megabytes 1\b", refused(tree, most=0.01))
    jobs = jobs_of(tree)
    jobs[ROWS]["source"] = "0" * 64
    assert refused(tree, jobs).startswith("1 ") and ROWS in refused(tree, jobs)
    held = (tree / ROWS).read_bytes()
    (tree / ROWS).write_bytes(held + b"\n")
    assert ROWS in refused(tree)
    (tree / ROWS).write_bytes(held)
    (tree / MANIFEST).unlink()
    assert "run the workflow" in refused(tree)
    (tree / "results/tiny").mkdir(parents=True)
    assert "expected published results or nothing" in refused(tree)


def test_leftovers_of_any_kind_do_not_stop_a_publication(tree, tmp_path):
    publish(tree, "tiny", jobs_of(tree))
    first = bytes_of(tree / "results/tiny")
    (tree / "results/.tiny.new.tmp").symlink_to(tmp_path)
    (tree / "results/.tiny.old.tmp").touch()
    publish(tree, "tiny", jobs_of(tree))
    assert bytes_of(tree / "results/tiny") == first and [path.name for path in (tree / "results").iterdir()] == ["tiny"]


def test_files_of_the_user_and_links_are_not_replaced(tree):
    publish(tree, "tiny", jobs_of(tree))
    target, notes = tree / "results/tiny", tree / "results/tiny/data/notes.md"
    notes.touch()
    assert "found 'data/notes.md'" in refused(tree) == refused(tree, add=True)
    notes.unlink()
    manifest = target / manifest_path("tiny")
    content = manifest.read_text()
    manifest.write_text("{")
    assert refused(tree).startswith("results/tiny/data/tiny/manifest.json: not a manifest of tiny; restore it")
    manifest.write_text(content)
    target.symlink_to(target.rename(tree / "elsewhere"))
    assert "found a link" in refused(tree)


def test_an_error_in_a_page_comes_before_the_publication_and_line_ends_stay(tree):
    page, end = tree / "README.md", b"-->x<!-- / -->\r\n"
    for content, error in (
        (b"\xe9", "expected text in UTF-8: "),
        (b"<!-- tiny: none " + end, "<!-- tiny: none -->: expected a claim"),
        (b"<!-- mine: summary " + end, "<!-- mine: summary -->: no published results of mine"),
    ):
        page.write_bytes(content)
        assert refused(tree).startswith(f"README.md: {error}")
    page.write_bytes(b"<!-- tiny: papers " + end)
    assert publish(tree, "tiny", jobs_of(tree)).endswith("updated: README.md\n")
    assert page.read_bytes().count(b"\r\n") == page.read_bytes().count(b"\n") > 5
