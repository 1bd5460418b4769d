"""No edit of a finished tree passes the audit, which ends in its table whatever lies in the tree."""

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from damage import missed
from tampering import CRAFTED, EDITS, a_name_with_an_escape
from trees import Tree, task_of

from logzoo.audit import scripts
from logzoo.audit.layout import walked
from logzoo.audit.manifest import read_manifest, write_manifest
from logzoo.audit.tasks import Tasks, read_tasks
from logzoo.audit.tree import audit
from logzoo.cli.main import main

DOUBLED = "data/tiny/figures/doubled.nc"
# Seconds that no audit of the small tree takes, also on a busy machine.
_HANGS = 60


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("tampering") / "tree").write()


@pytest.fixture
def tree(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "tree", symlinks=True))


def escaped(pristine, place, edit, draws, *, configured):
    """Files that an edit of a copy of the tree touches and no fault names."""
    tree = Path(shutil.copytree(pristine, place))
    wanted = edit(tree, draws)
    started = time.monotonic()
    found = audit(tree, read_tasks(tree / "logs/expected.json") if configured else None)
    assert time.monotonic() - started < _HANGS
    shutil.rmtree(tree)
    # Without a configuration nobody knows the name of a scale that is not there.
    return missed([fault._replace(file=fault.file.replace("<scale>", "tiny")) for fault in found.faults], wanted)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_no_edit_is_missed(pristine, tmp_path, edit):
    draws = np.random.Generator(np.random.Philox(key=EDITS.index(edit)))
    assert escaped(pristine, tmp_path / "edited", edit, draws, configured=EDITS.index(edit) % 2) == []


@pytest.mark.nightly
def test_none_of_500_edits_is_missed(pristine, tmp_path):
    draws = np.random.Generator(np.random.Philox(key=500))
    for number in range(500):
        edit = EDITS[number % len(EDITS)]
        lost = escaped(pristine, tmp_path / "edited", edit, draws, configured=draws.random() < 0.5)
        assert lost == [], (number, edit.__name__)


def test_what_is_no_file_is_named_and_never_walked(tree):
    (tree / "data/tiny/again").symlink_to("models")
    (tree / "data/tiny/tables/elsewhere").mkdir()
    (tree / "figures/tiny/round").symlink_to("round")
    assert walked(tree)[1] == {
        "data/tiny/again": "a link to a folder that is here already",
        "data/tiny/tables/elsewhere": "a folder that no file of a run lies in",
        "figures/tiny/round": "links in a circle",
    }


def test_data_on_another_disk_is_walked(tree, tmp_path):
    shutil.move(tree / "data", tmp_path / "disk")
    (tree / "data").symlink_to(tmp_path / "disk")
    assert audit(tree).faults == []


def test_the_table_shows_names_that_would_steer_a_terminal(tree, capfd):
    draws = np.random.Generator(np.random.Philox(key=1))
    a_name_with_an_escape(tree, draws)
    assert main(["audit", str(tree)]) == 1
    shown = capfd.readouterr().out
    assert "\x1b" not in shown and "a\\x1b[2J" in shown and "1 faults in 1 files" in shown


@pytest.mark.parametrize("text", CRAFTED)
def test_crafted_expectations_are_one_line(tree, text, capfd):
    (tree / "wrong.json").write_text(text)
    assert main(["audit", str(tree), "--expected", str(tree / "wrong.json")]) == 1
    error = capfd.readouterr().err
    assert error.startswith("logzoo: error: ") and error.count("\n") == 1 and "wrong.json" in error


def _with_task(tree, **changes):
    """The tree with another job for one artifact in its manifest, and the audit's replay of all."""
    content = read_manifest(tree, "tiny")[1].content
    task_of(content, DOUBLED).update(changes)
    write_manifest(tree, "tiny", Tasks(content))
    return [main(["audit", str(tree), "--replay", "1"]), json.loads((tree / "audit.json").read_text())["faults"]]


@pytest.mark.parametrize("script", ["../evil.py", "workflow/scripts/evil.py", "workflow/scripts/../../evil.py", "{}"])
def test_no_program_of_the_audited_tree_runs(tree, tmp_path, monkeypatch, script):
    monkeypatch.setattr(scripts, "SCRIPTS", tmp_path)
    script = script.format(tree / "evil.py")
    for place in (tree / script, tree / "evil.py"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    code, faults = _with_task(tree, script=script)
    assert code == 1 and not (tmp_path / "ran").exists()
    assert [(one["file"], one["check"]) for one in faults] == [(DOUBLED, "replay")]
    assert "is no script in" in faults[0]["found"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"output": {"items": [DOUBLED, "../outside.nc"], "names": {}}}, "../outside.nc is no place"),
        ({"input": {"items": ["/etc/passwd"], "names": {}}}, "/etc/passwd is no place"),
        ({"params": {"items": [], "names": {"run": "os:system", "source": "0"}}}, "run os:system is no code"),
        ({"params": {"items": [], "names": {"module": "antigravity", "source": "0"}}}, "module antigravity is no code"),
    ],
)
def test_no_place_and_no_code_that_a_manifest_names_is_used(tree, pristine, monkeypatch, changes, found):
    monkeypatch.setattr(scripts, "SCRIPTS", pristine / "workflow/scripts")
    code, faults = _with_task(tree, **changes)
    assert code == 1 and found in next(one["found"] for one in faults if one["check"] == "replay")


@pytest.mark.parametrize(("script", "found"), [("", "made no such file"), ("raise SystemExit(3)", "it failed")])
def test_a_script_that_makes_nothing_is_a_fault_in_the_table(tree, tmp_path, monkeypatch, script, found):
    monkeypatch.setattr(scripts, "SCRIPTS", tmp_path)
    (tmp_path / "double.py").write_text(script)
    code, faults = _with_task(tree)
    assert code == 1 and len(faults) == 1 and found in faults[0]["found"]


def test_without_any_job_replay_is_a_fault_in_the_table(tree, capfd):
    (tree / "data/tiny/manifest.json").unlink()
    assert main(["audit", str(tree), "--replay", "1"]) == 1
    assert "nothing that says how an artifact is made" in capfd.readouterr().out


def test_a_report_that_cannot_be_written_is_a_fault_in_the_table(tree, capfd):
    (tree / "audit.json").mkdir()
    assert main(["audit", str(tree)]) == 1
    assert "audit.json" in capfd.readouterr().out
