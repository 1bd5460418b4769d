"""Publication: files that readers see and their inputs, with hashes of all others; only of finished, faultless runs."""

import json
import shutil
from pathlib import Path

import pytest
from trees import Tree

from logzoo.io.netcdf import load_raw
from logzoo.io.reading import sha256_of
from replication.audit import publish as publishing
from replication.audit.manifest import manifest_path, read_manifest, write_manifest
from replication.audit.publish import publish
from replication.audit.tree import audit
from replication.layout import files_of, kind_of, scale_of

MANIFEST, ROWS, MODEL = manifest_path("tiny"), "data/tiny/tables/t.nc", "data/tiny/models/a.nc"
NEVER = {"model", "snapshots", "dataset", "raw file", "raw manifest"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("publish") / "run").write()


@pytest.fixture
def project(run, tmp_path):
    return Path(shutil.copytree(run, tmp_path / "run"))


def jobs_of(project):
    return json.loads((project / "jobs.json").read_text())


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(project, jobs=None, **options):
    """The one line that a publication is refused with; nothing is written or left."""
    before = bytes_of(project)
    with pytest.raises(ValueError) as caught:
        publish(project, "tiny", jobs or jobs_of(project), **options)
    assert bytes_of(project) == before and "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_shown_and_what_it_is_made_from_is_published(project):
    report = publish(project, "tiny", jobs_of(project), hours={"f": 0.5})
    target = project / "results/tiny"
    assert f"{len(bytes_of(target))} files" in report
    there, whole = set(files_of(target)), read_manifest(project, "tiny")
    for path in there - {MANIFEST}:
        assert (target / path).read_bytes() == (project / path).read_bytes()
    assert not NEVER & {kind_of(path) for path in there} and not [path for path in there if path.endswith(".pdf")]
    assert {"data/tiny/zoo.nc", ROWS, "data/tiny/verdicts/f.nc", "figures/tiny/p/f.png"} <= there
    # This file is an input of the table of all estimates only, which stands in for it.
    assert "data/tiny/estimates/a/rts.nc" not in there
    manifest = read_manifest(target, "tiny")
    assert set(manifest.files) == there - {MANIFEST} and manifest.hours == {"f": 0.5}
    assert manifest.protocol == whole.protocol == "0123abcd"
    assert {**manifest.files, **manifest.left_out}.keys() == whole.files.keys()
    assert manifest.left_out[MODEL] == load_raw(project / MODEL).attrs["content_sha256"]
    assert str(project) not in manifest.text()


def test_published_results_are_sound_by_themselves_and_published_in_the_same_bytes(project):
    publish(project, "tiny", jobs_of(project))
    first = bytes_of(project / "results/tiny")
    findings = audit(project / "results/tiny", {"tiny": jobs_of(project)})
    assert (findings.faults, findings.stale) == ([], {})
    (project / "results/tiny/data/old.nc").touch()
    publish(project, "tiny", jobs_of(project))
    assert bytes_of(project / "results/tiny") == first


def test_a_run_without_some_files_adds_to_the_publication_that_has_them(project):
    publish(project, "tiny", jobs_of(project))
    whole, lost = bytes_of(project / "results/tiny"), [ROWS, *project.glob("figures/tiny/p/t.*")]
    for path in lost:
        (project / path).unlink()
    write_manifest(project, "tiny", [path for path in files_of(project) if scale_of(path) is None], "0123abcd")
    publish(project, "tiny", jobs_of(project), add=True)
    assert bytes_of(project / "results/tiny") == whole
    jobs = jobs_of(project)
    jobs[ROWS]["source"] = "0" * 64
    assert f"example {ROWS}" in refused(project, jobs, add=True)
    publish(project, "tiny", jobs)
    assert ROWS not in bytes_of(project / "results/tiny")


def test_an_interrupted_publication_leaves_the_old_one(project, monkeypatch):
    publish(project, "tiny", jobs_of(project))
    before = bytes_of(project)

    def full(*_):
        raise OSError(28, "No space left on device", "f.nc")

    monkeypatch.setattr(publishing.shutil, "copyfile", full)
    with pytest.raises(OSError):
        publish(project, "tiny", jobs_of(project))
    assert bytes_of(project) == before


def test_what_is_too_large_unfinished_faulty_stale_or_not_ours_is_refused(project):
    hint = "(--megabytes 1 allows it)"
    assert refused(project, most=0.01).endswith(f"MB to publish, expected at most 0.01 MB {hint}")
    jobs = jobs_of(project)
    jobs[ROWS]["source"] = "0" * 64
    assert f"1 files of tiny are faulty or stale, for example {ROWS}" in refused(project, jobs)
    held = (project / ROWS).read_bytes()
    (project / ROWS).write_bytes(held + b"\n")
    assert f"example {ROWS}" in refused(project)
    (project / ROWS).write_bytes(held)
    assert sha256_of(project / ROWS) == read_manifest(project, "tiny").files[ROWS]
    (project / MANIFEST).unlink()
    assert "run the workflow" in refused(project)
    (project / "results/tiny").mkdir(parents=True)
    assert "expected published results or nothing" in refused(project)
