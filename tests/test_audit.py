"""The audit: no fault in an untouched tree, each check finds its fault, stale is no fault, nothing is written."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from damage import corrupt, missed, rewrite
from projects import ROOT, catalogue_of
from trees import jobs_of

from logzoo.io.netcdf import content_sha256, load_raw
from replication.audit import checkout
from replication.audit import tree as auditing
from replication.audit.findings import Findings, report, write_report
from replication.audit.manifest import read_manifest, write_manifest
from replication.audit.tree import audit
from replication.cli import main
from replication.layout import files_of, is_timed, kind_of, walked

MANIFEST = "data/tiny/manifest.json"
ESTIMATE, LEAF, CARD = "data/tiny/estimates/a/rts.nc", "data/tiny/tables/t.nc", "data/tiny/scorecard.nc"
PICTURE, PDF = "figures/tiny/p/f.png", "figures/tiny/p/f.pdf"


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
    """A change of the first number of a variable: by a relative 1e-12, or to a value."""

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
    manifest, files = read_manifest(pristine, "tiny"), files_of(pristine)
    assert findings.files == len(files) and None not in {kind_of(path) for path in files}
    assert set(manifest.files) == set(files) - {MANIFEST, "data/README.md", "figures/README.md"}
    assert manifest.left_out == manifest.hours == {}
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


def test_numbers_that_may_be_missing_a_mirror_and_data_on_another_disk_are_no_faults(tree, tmp_path):
    edit(tree / ESTIMATE, nudged("drift", np.nan))
    edit(tree / LEAF, nudged("log_z", np.nan))
    relisted(tree)
    (tree / "data/mirror/mnist").mkdir(parents=True)
    (tree / "data/mirror/mnist/anything").write_text("mine")
    shutil.move(tree / "data", tmp_path / "disk")
    (tree / "data").symlink_to(tmp_path / "disk")
    assert faults(tree) == set()


def test_an_edit_is_found_by_the_manifest_and_by_its_hash_or_makes_what_was_made_from_it_stale(tree):
    edit(tree / ESTIMATE, nudged("log_z"))
    edit(tree / LEAF, lambda one: one.assign_attrs(title="Another"), rehash=False)
    assert faults(tree) == {(ESTIMATE, "manifest"), (LEAF, "content"), (LEAF, "manifest")}
    (stale,) = audit(tree).stale.items()
    assert stale[0] == "data/tiny/zoo.nc" and ESTIMATE in stale[1]


def test_a_file_made_before_its_input_was_made_again_is_stale_and_no_fault(tree):
    # `snakemake rts` regenerates a verdict, but not the scorecard of all papers.
    edit(tree / "data/tiny/verdicts/f.nc", nudged("value"))
    relisted(tree)
    findings = audit(tree, {"tiny": jobs_of(tree)})
    assert findings.faults == []
    assert set(findings.stale) == {CARD, PICTURE, PDF} and "snakemake" in report(findings)


def test_what_configuration_and_code_would_make_otherwise_is_stale_and_no_fault(tree):
    jobs = jobs_of(tree)
    jobs[ESTIMATE]["parameters"]["budgets"] = [10, 30]
    jobs[LEAF]["source"] = "1" * 64
    jobs[CARD]["inputs"] = ["data/tiny/zoo.nc"]
    jobs[PICTURE]["parameters"] = {"title": "another"}
    del jobs["data/tiny/truths/b.nc"]
    jobs["data/tiny/models/c.nc"] = jobs[LEAF]
    # A file that only a user requests is not missing.
    jobs["data/tiny/models/d.nc"] = {**jobs[LEAF], "default": False}
    findings = audit(tree, {"tiny": jobs})
    assert findings.faults == []
    stale = {name: reason for name, reason in findings.stale.items() if reason != checkout.OTHER_CODE}
    assert set(findings.stale) == {*stale, LEAF} and set(stale) == {ESTIMATE, PICTURE, CARD, "data/tiny/truths/b.nc"}
    for path, words in (
        (ESTIMATE, "parameters"),
        (PICTURE, "parameters"),
        (CARD, "inputs"),
        ("data/tiny/truths/b.nc", "no job"),
    ):
        assert words in stale[path]
    assert any(note.startswith("tiny: 1 ") and "data/tiny/models/c.nc" in note for note in findings.notes)


def test_a_data_set_is_stale_if_every_scale_would_make_it_otherwise(tree):
    data = "data/datasets/digits.nc"
    jobs, others = jobs_of(tree), jobs_of(tree)
    jobs[data]["parameters"]["visible"] = 7
    findings = audit(tree, {"tiny": jobs})
    assert findings.faults == [] and set(findings.stale) == {data} and "parameters" in findings.stale[data]
    assert audit(tree, {"tiny": jobs, "other": others}).stale == {}
    others[data]["source"] = "1" * 64
    assert set(audit(tree, {"tiny": jobs, "other": others}).stale) == {data}


def test_raw_files_have_a_checksum_of_the_configuration(pristine):
    jobs = jobs_of(pristine)
    jobs["data/raw/source/manifest.json"]["parameters"]["files"]["values.txt"]["sha256"] = "0" * 64
    assert faults(pristine, jobs) == {("data/raw/source/values.txt", "raw")}


def test_leftovers_and_what_is_no_regular_file_are_faults_and_are_neither_opened_nor_followed(tree):
    left = ["data/tiny/models/c.nc.checkpoint.npz", "figures/tiny/p/f.svg", "data/tiny/estimates/a/deeper/x.nc"]
    for file in left:
        (tree / file).parent.mkdir(exist_ok=True)
        (tree / file).write_bytes(b"left")
    os.mkfifo(tree / "data/tiny/models/fifo.nc")
    (tree / "data/tiny/models/link.nc").symlink_to("a.nc")
    (tree / "figures/tiny/round").symlink_to("round")
    links = {"data/tiny/models/link.nc", "figures/tiny/round"}
    odd = {*links, "data/tiny/models/fifo.nc"}
    assert walked(tree)[1].keys() == odd and {path for path, kind in walked(tree)[1].items() if "link" in kind} == links
    assert {file for file, check in faults(tree) if check == "leftover"} == {*left, *odd}


@pytest.mark.parametrize("file", [PICTURE, PDF, "figures/tiny/scorecard.html"])
def test_pictures_and_pages_have_a_stamp(tree, file):
    content = (tree / file).read_bytes()
    assert content.count(b'{"inputs":') == 1
    (tree / file).write_bytes(content.replace(b'{"inputs":', b'{"outputs"'))
    assert faults(tree) == {(file, "stamp"), (file, "manifest")}


def test_the_manifest_lists_every_file_and_every_listed_file_is_there(tree):
    (tree / PDF).unlink()
    shutil.copyfile(tree / LEAF, tree / "data/tiny/tables/u.nc")
    assert faults(tree) == {(PDF, "present"), ("data/tiny/tables/u.nc", "manifest")}


FORM = '{"scale": "tiny", "files": {}, "left_out": {}, "hours": {"f": %s}}'


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"files": 1}', FORM % "NaN"])
def test_a_manifest_of_another_form_is_a_fault(tree, text):
    (tree / MANIFEST).write_text(text)
    assert (MANIFEST, "manifest") in faults(tree)
    (tree / MANIFEST).unlink()
    assert (MANIFEST, "manifest") in faults(tree)


def test_no_corruption_at_random_is_missed(pristine, tmp_path):
    draws, ways = np.random.Generator(np.random.Philox(key=2026)), set()
    # Manifests are left out, because an edit is detected only if the manifest no longer fits the files (docs/audit.md).
    files = [path for path in files_of(pristine) if kind_of(path) not in ("description", "manifest")]
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
    tree = Path(shutil.copytree(ROOT / "results/decisive", tmp_path_factory.mktemp("published") / "decisive"))
    configfiles = checkout.configuration_files()
    return tree, {"decisive": checkout.jobs_of_scale("decisive", configfiles["decisive"])}, configfiles


def test_files_that_only_a_user_requests_have_jobs(published):
    jobs, config = published[1]["decisive"], catalogue_of("config/decisive.yaml").config
    requested = {f"data/decisive/{kind}/{name}.nc" for kind in ("models", "truths") for name in config["models"]}
    requested |= {f"data/decisive/estimates/{name}/rts.nc" for name in config["models"]}
    requested |= {f"data/datasets/{name}.nc" for name in config["datasets"]}
    requested |= {f"data/raw/{name}/manifest.json" for name in config["sources"]}
    assert requested <= set(jobs)
    default = {path for path, job in jobs.items() if job["default"]}
    assert default - requested and requested - default
    assert default >= {path for path in jobs if path.startswith("figures/")}


def test_published_files_are_regenerated_by_the_rules_of_the_checkout(published):
    tree, jobs, configfiles = published
    findings, before = Findings(), {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    edited = "data/decisive/tables/zoo-trained.nc"
    findings.stale |= {path: "left out here" for path in jobs["decisive"] if "tables/zoo-" not in path}
    kept = (tree / edited).read_bytes()
    name = next(name for name, column in load_raw(tree / edited).data_vars.items() if column.dtype.kind == "f")
    edit(tree / edited, nudged(name, 77.0))
    checkout.regenerate(findings, tree, jobs, configfiles, 100, 0)
    (tree / edited).write_bytes(kept)
    assert findings.checks["regenerated"] >= 2
    assert [fault.file for fault in findings.faults] == [edited]
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


def test_unchecked_large_files_are_in_both_reports(pristine, tmp_path, monkeypatch):
    monkeypatch.setattr(auditing, "_MOST_BYTES", 200)
    findings = audit(pristine)
    write_report(findings, tmp_path / "report.json")
    note = f"too large, numbers not checked: {ESTIMATE}"
    assert findings.faults == [] and ESTIMATE in findings.large and note in report(findings)
    assert note in json.loads((tmp_path / "report.json").read_text())["notes"]


@pytest.mark.parametrize("text", ["seed: 1", "scale: 5", "scale: [a]", "scale: 2024-01-01", "scale: {a: 1}", "[1]"])
def test_a_users_configuration_names_its_scale(tmp_path, text):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(ValueError, match="^[^\n]*mine.yaml: [^\n]*expected [^\n]*$"):
        checkout.configuration_files(tmp_path / "mine.yaml")


@pytest.mark.parametrize("arguments", ["{} --regenerate -1", "{} --seed x", "{} --configfile none.yaml", "."])
def test_wrong_use_is_one_line(pristine, tmp_path, monkeypatch, arguments, capfd):
    monkeypatch.chdir(tmp_path)
    assert main(["audit", *arguments.format(pristine).split()]) == 1
    error = capfd.readouterr().err
    assert error.startswith("replication: error: ") and error.count("\n") == 1
