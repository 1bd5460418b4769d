"""Published results: what is copied, what is not, the same bytes; the audit of them alone finds every edit."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from damage import CORRUPTIONS, HASHED, corrupt, missed, rewrite
from published_runs import FIGURE, TABLE, Run
from trees import task_of

from logzoo.artifacts.made import content_hash
from logzoo.artifacts.netcdf import content_sha256, load_raw
from logzoo.artifacts.stamps import read_stamp
from logzoo.audit import publish as publishing
from logzoo.audit import scripts
from logzoo.audit.layout import files_of, kind_of
from logzoo.audit.manifest import manifest_text, read_manifest, sha256_of
from logzoo.audit.publish import publish
from logzoo.audit.published import PUBLISHED, audit_published, published_text, read_published
from logzoo.audit.tasks import Tasks, read_tasks
from logzoo.cli.main import main
from logzoo.reporting.style import new_figure, save
from logzoo.reporting.verdicts import NOT_REPRODUCED, REPRODUCED

MANIFEST = "data/tiny/manifest.json"
PICTURE, PDF = (f"figures/tiny/rts/{FIGURE}.{form}" for form in ("png", "pdf"))
VERDICT, ROWS = f"data/tiny/verdicts/{FIGURE}.nc", f"data/tiny/tables/{TABLE}.nc"
TIMINGS = f"data/tiny/timings/{FIGURE}.nc"
OTHER = "data/tiny/timings/other.nc"
NEVER = {"model", "snapshots", "dataset", "raw file", "raw manifest"}
# Damaged trees, and files damaged in each.
TREES, DAMAGED = 6, 5


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run(tmp_path_factory.mktemp("publish") / "run").write()


@pytest.fixture(scope="module")
def pristine(run):
    publish(run, "tiny", tasks=read_tasks(run / "logs/expected.json"))
    return run / "results/tiny"


@pytest.fixture
def project(run, tmp_path):
    """A copy of the run, without what is published of it."""
    return Path(shutil.copytree(run, tmp_path / "run", symlinks=True, ignore=shutil.ignore_patterns("results")))


@pytest.fixture
def results(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "tiny"))


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def faults_of(folder, **options):
    return audit_published(folder, **{"remake": False, **options}).faults


def refused(folder, **options):
    """The one line that a publication is refused with; nothing is written or left."""
    before = bytes_of(folder)
    with pytest.raises(ValueError) as caught:
        publish(folder, "tiny", **options)
    assert bytes_of(folder) == before and "\n" not in str(caught.value)
    return str(caught.value)


def hashes_redone(folder):
    """Have both manifests vouch for all files as they are now: who edits a file may do so."""
    content = read_published(folder)
    listed, made, _ = read_manifest(folder, "tiny")
    there = [path for path, entry in content["files"].items() if entry["published"] and (folder / path).is_file()]
    text = manifest_text(listed | {path: sha256_of(folder / path) for path in there}, "tiny", made)
    (folder / MANIFEST).write_text(text)
    run = json.loads(text)["sha256"]
    (folder / PUBLISHED).write_text(published_text(content["files"], "tiny", run, complete=content["complete"]))


def edited(path, change):
    """Change an artifact in place, its content hash and its seal with it."""
    dataset = load_raw(path)
    change(dataset)
    dataset.attrs[HASHED] = content_sha256(dataset)
    rewrite(dataset, path)


def test_what_is_shown_and_what_it_is_made_from_is_published(run, pristine):
    listed, made, _ = read_manifest(run, "tiny")
    there = files_of(pristine)
    assert set(there) <= {*listed, MANIFEST}
    kinds = {path: kind_of(path) for path in there}
    assert not NEVER & set(kinds.values()) and {kind_of(path) for path in listed} >= NEVER
    assert not [path for path in there if path.endswith(".pdf")]
    shown = [path for path in listed if kind_of(path) in ("picture", "page", "table text", "verdict", "scorecard")]
    assert {path for path in shown if not path.endswith(".pdf")} <= set(there)
    assert {"data/tiny/zoo.nc", TIMINGS, ROWS} <= set(there)
    # It is what the table of all estimates was made from, and nothing that is shown.
    assert "data/tiny/estimates/a/rts.nc" not in there
    for path in there:
        assert (pristine / path).read_bytes() == (run / path).read_bytes()


def test_every_file_of_the_run_is_named_and_nothing_of_the_machine(run, pristine):
    content = read_published(pristine)
    listed, _, stated = read_manifest(run, "tiny")
    assert set(content["files"]) == set(listed)
    assert (content["run"], content["complete"], content["scale"]) == (stated, True, "tiny")
    published = {path for path, entry in content["files"].items() if entry["published"]}
    assert published | {MANIFEST} == set(files_of(pristine))
    model = content["files"]["data/tiny/models/a.nc"]
    assert model["content"] == load_raw(run / "data/tiny/models/a.nc").attrs[HASHED]
    text = (pristine / PUBLISHED).read_text()
    assert json.dumps(json.loads(text), sort_keys=True, indent=0) + "\n" == text and str(run) not in text


def test_an_audit_of_it_alone_finds_no_fault(results, capfd):
    assert main(["audit", str(results)]) == 0
    found = capfd.readouterr().out
    assert "0 faults in 0 files" in found and "partial" not in found
    assert "made once more: 6 files" in found, found
    assert "ins-f1.png, from data/datasets/digits.nc, which is not published" in found
    assert "would make anew 0 of " in found
    # Nor does what it left; and neither do replays, which need models.
    assert faults_of(results) == [] and (results / "audit.json").is_file()
    assert main(["audit", str(results), "--replay", "1"]) == 1
    assert "expected a project, found published results" in capfd.readouterr().err


def test_edits_with_all_hashes_redone_are_found(results):
    def other_word(dataset):
        words = dataset["verdict"].values
        words[0] = NOT_REPRODUCED if words[0] == REPRODUCED else REPRODUCED

    edited(results / f"data/tiny/verdicts/{TABLE}.nc", other_word)
    edited(results / ROWS, lambda dataset: dataset["seconds"].values.__setitem__(0, 77.0))
    stamp = read_stamp(PICTURE, (results / PICTURE).read_bytes())
    figure = new_figure(7.2, 3.4)
    figure.subplots().plot([3, 1, 2])
    save(figure, results / PICTURE, results / "other.pdf", stamp)
    (results / "other.pdf").unlink()
    card = results / "figures/tiny/scorecard.md"
    card.write_text(card.read_text().replace("MBAR", "AIS"))
    page = results / "figures/tiny/scorecard.html"
    page.write_text(page.read_text().replace("MBAR", "AIS"))
    hashes_redone(results)
    found = {(fault.file, fault.check) for fault in faults_of(results, remake=True)}
    wanted = {
        (f"data/tiny/verdicts/{TABLE}.nc", "replay"),
        (ROWS, "replay"),
        (PICTURE, "replay"),
        ("figures/tiny/scorecard.html", "replay"),
        ("figures/tiny/scorecard.md", "text"),
        (f"figures/tiny/tracking/{TABLE}.csv", "text"),
        # It was made from another verdict.
        ("data/tiny/scorecard.nc", "inputs"),
    }
    assert wanted <= found
    assert not [fault for fault in found if fault[1] in ("manifest", "content", "readable", "leftover")]


@pytest.mark.parametrize("seed", range(TREES))
def test_no_corruption_passes(results, seed):
    draws = np.random.Generator(np.random.Philox(key=seed))
    files = [path for path in files_of(results) if path != MANIFEST]
    chosen = [files[number] for number in draws.choice(len(files), DAMAGED, replace=False)]
    done = {path: corrupt(results / path, draws, []) for path in chosen}
    assert len(CORRUPTIONS) > DAMAGED and missed(faults_of(results), chosen) == [], done


@pytest.mark.parametrize(
    ("edit", "file", "check"),
    [
        (lambda folder: (folder / TIMINGS).unlink(), TIMINGS, "present"),
        (lambda folder: (folder / TIMINGS).rename(folder / OTHER), OTHER, "leftover"),
        (lambda folder: shutil.copy(folder / PICTURE, folder / PDF), PDF, "leftover"),
        (lambda folder: (folder / "notes.txt").touch(), "notes.txt", "leftover"),
        (lambda folder: (folder / "data/more").mkdir(), "data/more", None),
        (lambda folder: os.mkfifo(folder / "data/tiny/f.nc"), "data/tiny/f.nc", "leftover"),
        (lambda folder: (folder / MANIFEST).unlink(), MANIFEST, "manifest"),
        (lambda folder: (folder / MANIFEST).write_text("{}"), MANIFEST, "manifest"),
        (lambda folder: (folder / PUBLISHED).write_text("[" * 100_000), PUBLISHED, "manifest"),
        (lambda folder: _replaced(folder / MANIFEST, "rts", "ais"), MANIFEST, "manifest"),
        (lambda folder: _replaced(folder / PUBLISHED, "true", "false"), PUBLISHED, "manifest"),
    ],
)
def test_each_edit_of_the_folder_is_named(results, edit, file, check):
    edit(results)
    found = {(fault.file, fault.check) for fault in faults_of(results)}
    assert (file, check) in found if check else found == set()


def _replaced(path, old, new):
    path.write_text(path.read_text().replace(old, new, 1))


def test_a_manifest_of_another_run_and_other_hashes_of_what_is_missing_are_found(results):
    content = read_published(results)
    content["files"]["data/tiny/models/a.nc"]["content"] = "0" * 64
    content["files"]["figures/tiny/rts/none.png"] = {"published": False}
    (results / PUBLISHED).write_text(published_text(content["files"], "tiny", "2" * 64, complete=True))
    found = [(fault.file, fault.check) for fault in faults_of(results)]
    assert found.count((PUBLISHED, "manifest")) == 2
    assert (TIMINGS, "inputs") in found


def test_what_is_withdrawn_with_its_hashes_redone_is_found(results):
    withdrawn, content = f"data/tiny/verdicts/{TABLE}.nc", read_published(results)
    content["files"][withdrawn] = {"content": content_hash(results / withdrawn), "published": False}
    (results / withdrawn).unlink()
    (results / PUBLISHED).write_text(published_text(content["files"], "tiny", content["run"], complete=True))
    found = {(fault.file, fault.check) for fault in faults_of(results)}
    assert {(PUBLISHED, "manifest"), (withdrawn, "present")} <= found


@pytest.mark.parametrize("change", [{"more": 1}, {"hours": {TABLE: True}}])
def test_what_publish_does_not_write_is_not_as_written(results, change):
    content = {**read_published(results), **change}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (results / PUBLISHED).write_text(json.dumps({**content, "sha256": digest}, indent=0, sort_keys=True) + "\n")
    with pytest.raises(ValueError, match="other content"):
        read_published(results)


def test_other_code_is_told_and_no_fault(results, monkeypatch, tmp_path):
    shutil.copytree(scripts.SCRIPTS, tmp_path / "scripts")
    with (tmp_path / "scripts/verdict.py").open("a") as file:
        file.write("\n# edited\n")
    monkeypatch.setattr(scripts, "SCRIPTS", tmp_path / "scripts")
    found = audit_published(results, remake=False)
    assert found.faults == []
    (told,) = [note for note in found.notes if "would make anew" in note]
    assert "anew 2 of " in told and VERDICT in told
    # With the configuration all is compared, what was measured too.
    tasks = json.loads((results / MANIFEST).read_text())["tasks"]
    task_of(tasks, TIMINGS)["params"]["names"]["source"] = "0" * 64
    (told,) = [note for note in audit_published(results, Tasks(tasks), remake=False).notes if "anew" in note]
    assert f"anew 1 of {len(files_of(results)) - 1} files: {TIMINGS}" in told


def test_without_a_checkout_what_was_not_done_is_said(results, monkeypatch, tmp_path):
    monkeypatch.setattr(scripts, "SCRIPTS", tmp_path / "none")
    found = audit_published(results)
    assert found.faults == [] and any("nothing was made once more" in note for note in found.notes)


def test_the_same_run_gives_the_same_bytes_and_replaces_what_was_there(project, pristine):
    target = project / "results/tiny"
    told = publish(project, "tiny")
    assert f"published: results/tiny, {len(bytes_of(target))} files, " in told
    assert bytes_of(target) == {path: held for path, held in bytes_of(pristine).items() if path != "audit.json"}
    (target / "data/old.nc").touch()
    leftover = project / "results/.tiny.ab-new.tmp"
    leftover.mkdir()
    publish(project, "tiny")
    assert "data/old.nc" not in bytes_of(target) and sorted(path.name for path in target.parent.iterdir()) == ["tiny"]


def test_an_interrupted_publication_leaves_the_old_one(project, monkeypatch):
    publish(project, "tiny")
    before = bytes_of(project)

    def full(*_):
        raise OSError(28, "No space left on device", "f.nc")

    monkeypatch.setattr(publishing.shutil, "copyfile", full)
    with pytest.raises(OSError):
        publish(project, "tiny")
    assert bytes_of(project) == before
    # Nor does one that was killed when the old one was out of the way.
    published = project / "results/tiny"
    published.rename(published.with_name(".tiny.0123abcd-old.tmp"))
    with pytest.raises(OSError):
        publish(project, "tiny")
    assert bytes_of(project) == before


def test_what_is_too_much_unfinished_faulty_or_not_ours_is_refused(project):
    hint = "(--config publish_megabytes=1 allows it)"
    assert refused(project, most=0.01).endswith(f"MB to publish, expected at most 0.01 MB {hint}")
    other = json.loads((project / "logs/expected.json").read_text())
    task_of(other, TIMINGS)["params"]["names"]["source"] = "0" * 64
    said = refused(project, tasks=Tasks(other))
    assert "the audit of tiny finds 1 faults" in said and f"first {TIMINGS} (source" in said
    held = (project / ROWS).read_bytes()
    (project / ROWS).write_bytes(held + b"\n")
    assert f"first {ROWS} (readable" in refused(project)
    (project / ROWS).write_bytes(held)
    (project / MANIFEST).unlink()
    assert "run the workflow first, or publish what is finished" in refused(project)
    mine = project / "results/tiny/notes.txt"
    mine.parent.mkdir(parents=True)
    mine.touch()
    assert "expected published results or nothing" in refused(project)


def test_what_is_finished_of_a_run_is_published_as_partial(project):
    tasks = read_tasks(project / "logs/expected.json")
    for path in (MANIFEST, ROWS, "figures/tiny/scorecard.html"):
        (project / path).unlink()
    # Unsound: what was made from it is left out as well.
    corrupt(project / VERDICT, np.random.Generator(np.random.Philox(key=0)), [])
    (project / "data/tiny/timings/.f.nc.1-0.tmp").touch()
    told = publish(project, "tiny", tasks=tasks, partial=True)
    assert "partial: the run is not finished" in told
    target = project / "results/tiny"
    there = set(files_of(target))
    assert {TIMINGS, f"data/tiny/verdicts/{TABLE}.nc", "data/tiny/zoo.nc"} <= there
    gone = {ROWS, VERDICT, PICTURE, "data/tiny/scorecard.nc", f"figures/tiny/tracking/{TABLE}.md"}
    assert not gone & there
    found = audit_published(target, remake=False)
    assert found.faults == [] and "partial: published from a run that was not finished" in found.notes
    files = read_published(target)["files"]
    assert VERDICT not in files and files[TIMINGS]["published"]
    assert read_manifest(target, "tiny")[0][TIMINGS] == sha256_of(project / TIMINGS)


def test_nothing_finished_is_refused(project):
    tasks = read_tasks(project / "logs/expected.json")
    shutil.rmtree(project / "figures")
    for part in ("verdicts", "tables", "timings"):
        shutil.rmtree(project / "data/tiny" / part)
    for name in ("scorecard.nc", "zoo.nc"):
        (project / "data/tiny" / name).unlink()
    assert "nothing to publish" in refused(project, tasks=tasks, partial=True)
