"""The audit: no fault in an untouched tree, each check finds its fault, stale is no fault, nothing is written."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from damage import corrupt, missed, rewrite
from projects import ROOT
from trees import SOURCE, Tree

from logzoo.io.netcdf import content_sha256, load_raw
from replication.audit import checkout
from replication.audit.findings import Findings, report
from replication.audit.manifest import read_manifest, write_manifest
from replication.audit.tree import audit
from replication.cli import main
from replication.layout import files_of, is_timed, kind_of, walked

MANIFEST = "data/tiny/manifest.json"
ESTIMATE, LEAF, CARD = "data/tiny/estimates/a/rts.nc", "data/tiny/tables/t.nc", "data/tiny/scorecard.nc"
PICTURE, RAW = "figures/tiny/p/f.png", "data/raw/source/values.txt"
DECISIVE = ROOT / "results/decisive"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("audit") / "tree").write()


@pytest.fixture
def tree(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "tree"))


def jobs_of(tree):
    return json.loads((tree / "jobs.json").read_text())


def faults(tree, jobs=None):
    """{(file, check)} that an audit finds."""
    return {(fault.file, fault.check) for fault in audit(tree, jobs and {"tiny": jobs}).faults}


def edit(path, change, *, rehash=True):
    """Rewrite an artifact as `change(dataset)` returns it, by default with the hash of its content."""
    dataset = change(load_raw(path))
    if rehash:
        dataset.attrs["content_sha256"] = content_sha256(dataset)
    rewrite(dataset, path)


def nudged(name, value=None):
    """A change of the first number of a variable: by a millionth of a millionth, or to a value."""

    def change(dataset):
        values = dataset[name].values.copy()
        values.flat[0] = values.flat[0] * (1 + 1e-12) if value is None else value
        return dataset.assign({name: dataset[name].copy(data=values)})

    return change


def relisted(tree):
    """Have the manifest list all files as they are now."""
    write_manifest(tree, "tiny", [path for path in files_of(tree) if path.startswith(("data/raw/", "data/datasets/"))])


@pytest.mark.parametrize("known", [False, True])
def test_an_untouched_tree_has_no_faults_and_no_stale_files(pristine, known):
    findings = audit(pristine, {"tiny": jobs_of(pristine)} if known else None)
    assert (findings.faults, findings.stale) == ([], {})
    assert findings.files == len(files_of(pristine)) and None not in {kind_of(path) for path in files_of(pristine)}
    checks = {"readable", "schema", "provenance", "content", "inputs", "present", "stamp", "leftover", "manifest"}
    assert set(findings.checks) == checks | ({"raw"} if known else set())
    assert any("not compared" in note for note in findings.notes) == (not known)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda one: one.drop_vars("interval"), "schema"),
        (lambda one: one.assign_attrs(artifact_schema="truth/1"), "schema"),
        (nudged("log_z", np.nan), "schema"),
        (nudged("drift", np.inf), "schema"),
        (lambda one: one.assign_attrs(source_sha256="none"), "provenance"),
        (lambda one: one.assign_attrs(parameters_json="{"), "provenance"),
    ],
)
def test_an_artifact_that_makes_no_sense_is_a_fault_even_where_all_hashes_fit(tree, change, check):
    edit(tree / ESTIMATE, change)
    relisted(tree)
    assert (ESTIMATE, check) in faults(tree)


def test_missing_numbers_are_no_fault_where_the_kind_allows_them(tree):
    edit(tree / ESTIMATE, nudged("drift", np.nan))
    edit(tree / LEAF, nudged("log_z", np.nan))
    relisted(tree)
    assert faults(tree) == set()


def test_an_edit_with_its_hash_is_found_by_the_manifest_and_makes_what_was_made_from_it_stale(tree):
    edit(tree / ESTIMATE, nudged("log_z"))
    findings = audit(tree)
    assert {(fault.file, fault.check) for fault in findings.faults} == {(ESTIMATE, "manifest")}
    assert findings.stale == {"data/tiny/zoo.nc": f"made from another version of {ESTIMATE}"}


def test_a_file_made_before_its_input_was_made_again_is_stale_and_no_fault(tree):
    # As after `snakemake rts`, which makes a verdict again and not the scorecard of all papers.
    edit(tree / "data/tiny/verdicts/f.nc", nudged("value"))
    relisted(tree)
    findings = audit(tree, {"tiny": jobs_of(tree)})
    assert findings.faults == []
    assert set(findings.stale) == {CARD, PICTURE, "figures/tiny/p/f.pdf"}
    assert "stale files are no faults; snakemake" in report(findings)


def test_what_configuration_and_code_would_make_otherwise_is_stale_and_no_fault(tree):
    jobs = jobs_of(tree)
    jobs[ESTIMATE]["parameters"]["budgets"] = [10, 30]
    jobs[LEAF]["source"] = "1" * 64
    jobs[CARD]["inputs"] = ["data/tiny/zoo.nc"]
    jobs[PICTURE]["parameters"] = {"title": "another"}
    del jobs["data/tiny/truths/b.nc"]
    jobs["data/tiny/models/c.nc"] = jobs[LEAF]
    findings = audit(tree, {"tiny": jobs})
    assert findings.faults == []
    parameters = "made with other parameters than the configuration has"
    assert findings.stale == {
        ESTIMATE: parameters,
        PICTURE: parameters,
        LEAF: checkout.OTHER_CODE,
        CARD: "made from other inputs than the rule has",
        "data/tiny/truths/b.nc": "no job of the configuration makes it",
    }
    assert "tiny: 1 files of the configuration are not here, first data/tiny/models/c.nc" in findings.notes


def test_raw_files_have_a_checksum_of_the_configuration(tree):
    jobs = jobs_of(tree)
    jobs["data/raw/source/manifest.json"]["parameters"]["files"]["values.txt"]["sha256"] = "0" * 64
    assert faults(tree, jobs) == {(RAW, "raw")}


@pytest.mark.parametrize(
    "file", ["data/tiny/models/c.nc.checkpoint.npz", "figures/tiny/p/f.svg", "data/tiny/estimates/a/deeper/x.nc"]
)
def test_leftovers_are_faults(tree, file):
    (tree / file).parent.mkdir(exist_ok=True)
    (tree / file).write_bytes(b"left")
    found = {file for file, check in faults(tree) if check == "leftover"}
    assert found in ({file}, {str(Path(file).parent)})


def test_what_is_no_regular_file_is_named_and_neither_opened_nor_followed(tree):
    os.mkfifo(tree / "data/tiny/models/fifo.nc")
    (tree / "data/tiny/models/link.nc").symlink_to("a.nc")
    (tree / "figures/tiny/round").symlink_to("round")
    assert walked(tree)[1] == {
        "data/tiny/models/fifo.nc": "a device, FIFO or socket",
        "data/tiny/models/link.nc": "a link",
        "figures/tiny/round": "a link",
    }


def test_data_on_another_disk_is_audited_and_the_mirror_is_left_alone(tree, tmp_path):
    (tree / "data/mirror/mnist").mkdir(parents=True)
    (tree / "data/mirror/mnist/anything").write_text("mine")
    shutil.move(tree / "data", tmp_path / "disk")
    (tree / "data").symlink_to(tmp_path / "disk")
    assert faults(tree) == set()


@pytest.mark.parametrize("file", [PICTURE, "figures/tiny/p/f.pdf", "figures/tiny/scorecard.html"])
def test_pictures_and_pages_have_a_stamp(tree, file):
    content = (tree / file).read_bytes()
    assert content.count(b'{"inputs":') == 1
    (tree / file).write_bytes(content.replace(b'{"inputs":', b'{"outputs"'))
    assert faults(tree) == {(file, "stamp"), (file, "manifest")}


def test_the_manifest_lists_every_file_and_every_listed_file_is_there(tree):
    (tree / "figures/tiny/p/f.pdf").unlink()
    shutil.copyfile(tree / LEAF, tree / "data/tiny/tables/u.nc")
    assert faults(tree) == {("figures/tiny/p/f.pdf", "present"), ("data/tiny/tables/u.nc", "manifest")}


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"files": 1}'])
def test_a_manifest_of_another_form_is_a_fault(tree, text):
    (tree / MANIFEST).write_text(text)
    assert (MANIFEST, "manifest") in faults(tree)
    (tree / MANIFEST).unlink()
    assert (MANIFEST, "manifest") in faults(tree)


def test_no_corruption_at_random_is_missed(pristine, tmp_path):
    draws = np.random.Generator(np.random.Philox(key=2026))
    # Edits of a manifest are found where it no longer fits the files: docs/audit.md.
    files = [path for path in files_of(pristine) if kind_of(path) not in ("description", "manifest")]
    ways = set()
    for attempt in range(10):
        tree = Path(shutil.copytree(pristine, tmp_path / f"{attempt}"))
        chosen = [files[place] for place in draws.permutation(len(files))[:20]]
        log = {path: corrupt(tree / path, draws, []) for path in chosen}
        assert missed(audit(tree).faults, chosen) == [], log
        ways |= {way for way, _ in log.values()}
        shutil.rmtree(tree)
    assert len(ways) == 9  # a swap needs a second file


def test_the_command_prints_the_table_and_writes_only_what_is_asked_for(tree, tmp_path, capfd):
    (tree / "figures/tiny/p/a\x1b[2J.png").touch()
    before = {path: path.lstat().st_mtime_ns for path in tree.rglob("*")}
    assert main(["audit", str(tree), "--output", str(tmp_path / "report.json")]) == 1
    shown = capfd.readouterr().out
    assert "\x1b" not in shown and "1 faults in 1 files" in shown
    assert json.loads((tmp_path / "report.json").read_text())["passed"] is False
    assert before == {path: path.lstat().st_mtime_ns for path in tree.rglob("*")}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Published results of this repository, and the jobs of their configuration."""
    tree = Path(shutil.copytree(DECISIVE, tmp_path_factory.mktemp("published") / "decisive"))
    configfiles = checkout.configuration_files()
    return tree, {"decisive": checkout.jobs_of_scale("decisive", configfiles["decisive"])}, configfiles


def test_published_files_are_regenerated_by_the_rules_of_the_checkout(published):
    tree, jobs, configfiles = published
    findings, before = Findings(), {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    edited = "data/decisive/tables/zoo-trained.nc"
    for path in jobs["decisive"]:
        if path != edited and "tables/zoo-" not in path:
            findings.stale[path] = "left out here"
    kept = (tree / edited).read_bytes()
    name = next(name for name, column in load_raw(tree / edited).data_vars.items() if column.dtype.kind == "f")
    edit(tree / edited, nudged(name, 77.0))
    checkout.regenerate(findings, tree, jobs, configfiles, 100, 0)
    (tree / edited).write_bytes(kept)
    assert findings.checks["regenerated"] >= 2
    assert [(fault.file, fault.found) for fault in findings.faults] == [(edited, "other numbers or attributes")]
    changed = {path for path in tree.rglob("*") if path.is_file() and path.stat().st_mtime_ns != before.get(path)}
    assert changed == {tree / edited}


def test_only_files_with_sound_inputs_and_no_measured_times_are_regenerated(published):
    tree, jobs, _ = published
    regenerable = checkout._regenerable(tree, jobs["decisive"])
    here = set(files_of(tree))
    assert regenerable and not [path for path in regenerable if is_timed(path)]
    for path, job in regenerable.items():
        assert {path, *filter(kind_of, job["inputs"])} <= here
        assert not any(map(is_timed, job["inputs"])) and kind_of(path) not in ("dataset", "raw manifest")


def test_an_installed_package_without_a_checkout_compares_nothing(tree, monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    assert main(["audit", str(tree)]) == 0
    assert "not compared with configuration and code: tiny" in capfd.readouterr().out


def test_an_edit_that_leaves_the_hash_is_found_by_content_and_by_manifest(tree):
    edit(tree / LEAF, lambda one: one.assign_attrs(title="Another"), rehash=False)
    assert faults(tree) == {(LEAF, "content"), (LEAF, "manifest")}


@pytest.mark.parametrize("arguments", [["--regenerate", "-1"], ["--seed", "x"], ["--configfile", "none.yaml"]])
def test_wrong_use_is_one_line(tree, arguments, capfd):
    assert main(["audit", str(tree), *arguments]) == 1
    error = capfd.readouterr().err
    assert error.startswith("replication: error: ") and error.count("\n") == 1


def test_a_folder_without_files_of_a_run_is_refused(tmp_path, capfd):
    assert main(["audit", str(tmp_path)]) == 1
    assert "expected the folder of a project" in capfd.readouterr().err


def test_the_manifest_of_a_tree_has_the_bytes_of_its_files(pristine):
    manifest = read_manifest(pristine, "tiny")
    assert set(manifest.files) == set(files_of(pristine)) - {MANIFEST, "data/README.md", "figures/README.md"}
    assert SOURCE not in manifest.files.values() and manifest.left_out == manifest.hours == {}
