"""The audit: nothing is wrong with an untouched tree, each check sees the fault it is for, no corruption passes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from damage import corrupt, missed, rewrite
from trees import Tree, labelled, task_of

from logzoo.artifacts.netcdf import content_sha256, load_raw
from logzoo.audit import scripts
from logzoo.audit.layout import files_of, is_timed, kind_of
from logzoo.audit.manifest import read_manifest, write_manifest
from logzoo.audit.replay import pick, replay_some
from logzoo.audit.tasks import Tasks, named_parts, read_tasks
from logzoo.audit.tree import audit
from logzoo.cli.main import main

MANIFEST = "data/tiny/manifest.json"
ESTIMATE = "data/tiny/estimates/a/rts.nc"
LEAF = "data/tiny/tables/t.nc"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("audit") / "tree").write()


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    """The same tree from other data, parameters alike: an older version of every file."""
    return Tree(tmp_path_factory.mktemp("audit") / "older", seed=1).write()


@pytest.fixture
def tree(pristine, tmp_path, monkeypatch):
    """A copy of the tree; it belongs to a checkout whose one script is here."""
    monkeypatch.setattr(scripts, "SCRIPTS", pristine / "workflow/scripts")
    return Path(shutil.copytree(pristine, tmp_path / "tree"))


def expected(tree):
    return read_tasks(tree / "logs/expected.json")


def faults(tree, *, manifest=True, tasks=False):
    """{(file, check)} that an audit finds, with the manifest of the run or without."""
    if not manifest:
        (tree / MANIFEST).unlink(missing_ok=True)
    found = {(fault.file, fault.check) for fault in audit(tree, expected(tree) if tasks else None).faults}
    return found if manifest else found - {(MANIFEST, "manifest")}


def edit(path, change, *, rehash=False):
    """Rewrite an artifact as `change(dataset)` returns it."""
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


@pytest.mark.parametrize("tasks", [False, True])
def test_an_untouched_tree_has_no_faults(pristine, tasks):
    found = audit(pristine, expected(pristine) if tasks else None)
    assert found.faults == []
    kinds = {kind_of(path) for path in files_of(pristine)}
    assert None not in kinds and found.files == len(files_of(pristine))
    names = {"parameters", "source", "configuration"}
    assert set(found.checks) & names == (names if tasks else set())
    others = {"readable", "schema", "provenance", "values", "distributions", "budget", "content", "inputs", "present"}
    assert set(found.checks) - names == others | {"raw", "stamp", "text", "leftover", "manifest"}
    assert any("snakemake audit" in note for note in found.notes) == (not tasks)


@pytest.mark.parametrize(
    ("file", "change", "check"),
    [
        (ESTIMATE, lambda one: one.drop_vars("interval"), "schema"),
        (ESTIMATE, lambda one: one.assign(log_z=one["log_z"].assign_attrs(units="bit")), "schema"),
        (ESTIMATE, lambda one: one.assign_attrs(artifact_schema="truth/1"), "schema"),
        (ESTIMATE, nudged("log_z", np.nan), "values"),
        (ESTIMATE, nudged("log_z", np.inf), "values"),
        (ESTIMATE, nudged("drift", np.inf), "values"),
        (ESTIMATE, nudged("transition_matrix", 2.0), "distributions"),
        (ESTIMATE, nudged("sweeps_spent", 11), "budget"),
        (ESTIMATE, nudged("sweeps_spent", 0), "budget"),
        (ESTIMATE, lambda one: one.isel(replicate=[0, 1]), "budget"),
        (ESTIMATE, lambda one: one.assign_attrs(chains=6), "budget"),
        (ESTIMATE, lambda one: one.assign_attrs(source_sha256="none"), "provenance"),
        (ESTIMATE, lambda one: one.assign_attrs(parameters_json="{"), "provenance"),
        ("data/tiny/zoo.nc", nudged("log_z", np.nan), "values"),
        ("data/tiny/zoo.nc", nudged("sweeps_spent", 11), "budget"),
        ("data/tiny/verdicts/f.nc", nudged("value", np.nan), "values"),
        ("data/tiny/scorecard.nc", nudged("low", np.nan), "values"),
        ("data/tiny/models/b.nc", nudged("weights", np.nan), "values"),
        ("data/tiny/timings/f.nc", nudged("values", -np.inf), "values"),
    ],
)
def test_an_artifact_that_makes_no_sense_is_a_fault_even_with_a_new_hash(tree, file, change, check):
    edit(tree / file, change, rehash=True)
    assert (file, check) in faults(tree, manifest=False)


def test_what_the_schema_allows_is_no_fault(tree):
    edit(tree / ESTIMATE, nudged("drift", np.nan), rehash=True)
    edit(tree / LEAF, nudged("log_z", np.nan), rehash=True)
    assert not {check for _, check in faults(tree, manifest=False)} & {"values", "schema", "content"}


def test_an_edit_shows_in_the_content_hash_alone(tree):
    edit(tree / LEAF, lambda one: one.assign_attrs(title="Another"))
    assert (LEAF, "content") in faults(tree, manifest=False)


def test_a_rewritten_hash_shows_to_those_that_read_the_file(tree):
    edit(tree / ESTIMATE, nudged("log_z"), rehash=True)
    found = faults(tree, manifest=False)
    assert found == {("data/tiny/zoo.nc", "inputs")}


def test_a_rewritten_hash_of_what_nothing_reads_shows_in_the_manifest_alone(tree):
    leaf = "data/tiny/figures/doubled.nc"
    edit(tree / leaf, nudged("values", 1.0), rehash=True)
    assert faults(tree) == {(leaf, "manifest")}
    assert faults(tree, manifest=False) == set()


def test_swapped_files_show(tree):
    one, other = "data/tiny/models/a.nc", "data/tiny/models/b.nc"
    kept = (tree / one).read_bytes()
    shutil.copyfile(tree / other, tree / one)
    (tree / other).write_bytes(kept)
    assert (ESTIMATE, "inputs") in faults(tree)
    assert {(one, "manifest"), (other, "manifest")} <= faults(tree)
    found = faults(tree, manifest=False)
    assert {file for file, check in found if check == "inputs"} >= {ESTIMATE, "data/tiny/estimates/b/rts.nc"}


def test_swapped_leaves_show_where_the_configuration_is_known(tree):
    one, other = "data/tiny/truths/a.nc", "data/tiny/truths/b.nc"
    (tree / "data/tiny/zoo.nc").unlink()
    kept = (tree / one).read_bytes()
    shutil.copyfile(tree / other, tree / one)
    (tree / other).write_bytes(kept)
    assert {(one, "inputs"), (other, "inputs")} <= faults(tree, manifest=False, tasks=True)


def test_an_older_version_of_a_file_shows(tree, older):
    for file in files_of(tree):
        if kind_of(file) not in ("description", "raw file", "manifest"):
            kept = (tree / file).read_bytes()
            shutil.copyfile(older / file, tree / file)
            if (tree / file).read_bytes() != kept:
                assert (file, "manifest") in faults(tree), file
            (tree / file).write_bytes(kept)


@pytest.mark.parametrize("change", ["a byte", "a length", "a missing file", "another file", "no manifest"])
def test_raw_files_are_what_their_manifest_says(tree, change):
    raw, manifest = tree / "data/raw/source/values.txt", tree / "data/raw/source/manifest.json"
    if change == "a byte":
        raw.write_bytes(b"R" + raw.read_bytes()[1:])
        wanted = {("data/raw/source/values.txt", "raw")}
    elif change == "a length":
        manifest.write_text(manifest.read_text().replace('"bytes": ', '"bytes": 1'))
        wanted = {("data/raw/source/values.txt", "raw"), ("data/raw/source/manifest.json", "manifest")}
    elif change == "a missing file":
        raw.unlink()
        wanted = {("data/raw/source/values.txt", "present"), ("data/datasets/digits.nc", "inputs")}
    elif change == "another file":
        (raw.parent / "more.txt").write_text("more")
        wanted = {("data/raw/source/more.txt", "leftover")}
    else:
        manifest.unlink()
        wanted = {("data/raw/source/values.txt", "leftover"), ("data/datasets/digits.nc", "inputs")}
    assert wanted <= faults(tree)


def test_raw_files_are_those_of_the_configuration(tree):
    content = json.loads((tree / "logs/expected.json").read_text())
    content["tasks"][0]["params"]["names"]["files"]["values.txt"]["sha256"] = "0" * 64
    (tree / "logs/expected.json").write_text(json.dumps(content))
    wanted = {("data/raw/source/values.txt", "configuration"), ("data/raw/source/manifest.json", "parameters")}
    assert faults(tree, tasks=True) == wanted


def test_parameters_sources_and_inputs_are_those_of_the_configuration(tree):
    content = json.loads((tree / "logs/expected.json").read_text())
    wanted = set()
    for file, change, check in (
        (ESTIMATE, {"budgets": [10, 30]}, "parameters"),
        ("figures/tiny/p/f.png", {"title": "another"}, "parameters"),
        ("figures/tiny/index.html", {"titles": {}}, "parameters"),
    ):
        task_of(content, file)["params"]["names"] |= {"settings": change, "source": "1" * 64}
        wanted |= {(file, check), (file, "source")}
    task_of(content, LEAF)["input"] = {"items": ["data/tiny/truths/a.nc"], "names": {}}
    content["tasks"].remove(task_of(content, "data/tiny/truths/b.nc"))
    wanted |= {(LEAF, "inputs"), ("data/tiny/truths/b.nc", "leftover")}
    wanted |= {("figures/tiny/p/f.pdf", check) for check in ("parameters", "source")}
    (tree / "logs/expected.json").write_text(json.dumps(content))
    assert faults(tree, tasks=True) == wanted


def test_data_of_another_scale_are_no_leftovers(tree):
    content = json.loads(json.dumps(expected(tree).content).replace("data/datasets/digits", "data/datasets/mine"))
    other = Tasks(
        {"scale": "mine", "tasks": [task for task in content["tasks"] if "mine.nc" in json.dumps(task["output"])]}
    )
    shutil.copy(tree / "data/datasets/digits.nc", tree / "data/datasets/mine.nc")
    (tree / "data/mine/truths").mkdir(parents=True)
    assert ("data/datasets/mine.nc", "leftover") in faults(tree, tasks=True)
    write_manifest(tree, "mine", other)
    assert ("data/datasets/mine.nc", "leftover") not in faults(tree, tasks=True)
    # Nor does the manifest of this scale list them.
    write_manifest(tree, "tiny", expected(tree))
    listed, tasks, _ = read_manifest(tree, "tiny")
    assert "data/datasets/mine.nc" not in listed and "data/raw/source/values.txt" in listed


@pytest.mark.parametrize(
    "file",
    [
        "data/tiny/models/c.nc.checkpoint.npz",
        "data/tiny/models/.a.nc.17-0a1b2c3d.tmp",
        "data/raw/source/.values.txt.17-0a1b2c3d.tmp",
        "data/tiny/notes.txt",
        "data/tiny/estimates/stray.nc",
        "figures/tiny/p/f.svg",
        "figures/loose.png",
    ],
)
def test_leftovers_are_faults(tree, file):
    (tree / file).write_bytes(b"left")
    assert (file, "leftover") in faults(tree)


def test_the_mirror_of_the_user_is_left_alone(tree):
    (tree / "data/mirror/mnist").mkdir(parents=True)
    (tree / "data/mirror/mnist/anything").write_text("mine")
    assert faults(tree) == set()


@pytest.mark.parametrize("file", ["figures/tiny/p/f.png", "figures/tiny/p/f.pdf", "figures/tiny/scorecard.html"])
def test_pictures_and_pages_have_a_stamp(tree, file):
    content = (tree / file).read_bytes()
    assert content.count(b'{"inputs":') == 1
    (tree / file).write_bytes(content.replace(b'{"inputs":', b'{"outputs"'))
    assert faults(tree) == {(file, "stamp"), (file, "manifest")}


def test_pictures_show_what_was_drawn_from(tree):
    edit(tree / "data/tiny/verdicts/f.nc", nudged("value"), rehash=True)
    found = faults(tree, manifest=False)
    assert {("figures/tiny/p/f.png", "inputs"), ("figures/tiny/p/f.pdf", "inputs")} <= found


def test_tables_are_what_their_artifacts_give(tree):
    for file, old, new in (
        ("figures/tiny/p/t.md", "1.50", "1.51"),
        ("figures/tiny/p/t.html", "1.50", "1.51"),
        ("figures/tiny/p/t.csv", "1.5", "1.6"),
        ("figures/tiny/scorecard.md", "a claim", "a fact"),
        ("figures/tiny/scorecard.csv", "a claim", "a fact"),
    ):
        text = (tree / file).read_text()
        assert old in text
        (tree / file).write_text(text.replace(old, new))
        assert faults(tree, manifest=False) == {(file, "text")}
        (tree / file).write_text(text)


def test_a_manifest_that_was_edited_shows(tree):
    text = (tree / MANIFEST).read_text()
    for edited in (text + "\n", text.replace('"scale": "tiny"', '"scale": "tony"'), text[:-9], "{}", "[1]"):
        (tree / MANIFEST).write_text(edited)
        assert (MANIFEST, "manifest") in faults(tree)


def test_what_the_manifest_lists_is_there_and_what_is_there_is_listed(tree):
    (tree / "figures/tiny/p/f.pdf").unlink()
    shutil.copyfile(tree / LEAF, tree / "data/tiny/tables/u.nc")
    assert faults(tree) == {("figures/tiny/p/f.pdf", "manifest"), ("data/tiny/tables/u.nc", "manifest")}


def test_no_corruption_at_random_is_missed(pristine, tmp_path):
    draws = np.random.Generator(np.random.Philox(key=2026))
    files = [path for path in files_of(pristine) if kind_of(path) != "description"]
    tried = []
    for attempt in range(49):
        tree = Path(shutil.copytree(pristine, tmp_path / f"{attempt}"))
        # One whole manifest vouches for many damaged files; it is damaged alone.
        chosen = [MANIFEST] if attempt % 2 else batch(draws, [path for path in files if path != MANIFEST], 20)
        # Swaps change a second file, which is not damaged again.
        others = [tree / path for path in files if path not in (*chosen, MANIFEST)]
        log = {path: corrupt(tree / path, draws, others) for path in chosen}
        assert missed(audit(tree).faults, chosen) == [], log
        tried += [(kind_of(path), way) for path, (way, _) in log.items()]
        shutil.rmtree(tree)
    assert len(tried) == 25 * 20 + 24
    assert {kind for kind, _ in tried} == {kind_of(path) for path in files}
    assert len({way for _, way in tried}) == 10


def batch(draws, files, size):
    return [files[place] for place in draws.permutation(len(files))[:size]]


def test_an_artifact_made_once_more_is_the_same_bits(tree):
    findings = audit(tree)
    replay_some(findings, tree, None, 1, 0)
    assert findings.faults == [] and findings.checks["replay"] == 1
    assert "made once more: data/tiny/figures/doubled.nc: the same bits" in findings.notes


def test_an_artifact_that_was_changed_is_not_made_again(tree):
    edit(tree / "data/tiny/figures/doubled.nc", nudged("values", 1e-12), rehash=True)
    findings = audit(tree)
    replay_some(findings, tree, None, 1, 0)
    assert [one.found for one in findings.faults if one.check == "replay"] == ["other values"]


def test_what_was_given_something_else_is_not_made_again(tree):
    edit(tree / "data/tiny/models/a.trace.nc", nudged("values", 1.0), rehash=True)
    findings = audit(tree)
    replay_some(findings, tree, None, 1, 0)
    assert [one.found for one in findings.faults if one.check == "replay"] == ["other inputs than it records"]


def test_measured_times_and_what_is_made_from_them_are_never_picked(tree):
    content = json.loads((tree / MANIFEST).read_text())["tasks"]
    for task in content["tasks"]:
        task["script"] = "workflow/scripts/double.py"
    (tree / "logs/expected.json").write_text(json.dumps(content))
    picked = pick(tree, [expected(tree)], 100, 0)
    assert "data/tiny/figures/doubled.nc" in picked and ESTIMATE in picked
    assert not [path for path in picked if is_timed(path)]
    assert "data/tiny/figures/timed.nc" not in picked
    assert pick(tree, [expected(tree)], 3, 1) == pick(tree, [expected(tree)], 3, 1)


def test_the_manifest_is_the_same_each_time(pristine, tmp_path):
    again = Tree(tmp_path / "again").write()
    timed = read_manifest(pristine, "tiny")
    assert read_manifest(again, "tiny")[0] == timed[0]


def test_the_manifest_keeps_the_order_of_what_jobs_are_given(tree):
    content = json.loads((tree / "logs/expected.json").read_text())
    given = {"settings": {"sd": {"b": 1}, "rsd": {"a": 2}}, "sources": {"sd": "1" * 64, "rsd": "2" * 64}}
    task = task_of(content, LEAF)
    task["params"] = {"items": [], "names": given}
    write_manifest(tree, "tiny", Tasks(content))
    task = read_manifest(tree, "tiny")[1].of(LEAF)
    assert list(task.params["settings"]) == ["sd", "rsd"]
    assert (task.parameters, task.source) == ({"b": 1}, "1" * 64)


def test_what_is_expected_is_compared_as_it_is_written():
    params = {"items": [], "names": {"settings": {"pair": ("ais", 1)}, "source": "1" * 64}}
    nothing, made = {"items": [], "names": {}}, {"items": [LEAF], "names": {}}
    task = {"rule": "some", "script": "", "wildcards": nothing, "input": nothing, "output": made, "params": params}
    found = Tasks({"scale": "tiny", "tasks": [task]}).of(LEAF)
    assert found.parameters == {"pair": ["ais", 1]}


def test_lists_with_names_read_as_scripts_want_them():
    nothing = {"items": [], "names": {}}
    inputs = {"items": ["a", "b", "c"], "names": {"first": 0, "rest": [1, 3]}}
    given = named_parts({"wildcards": nothing, "input": inputs, "output": nothing, "params": nothing})["input"]
    assert given.first == given["first"] == given[0] == "a"
    assert given.rest == ["b", "c"] and given.keys() == ["first", "rest"]
    assert given.items() == [("first", "a"), ("rest", ["b", "c"])] and given.get("none", 3) == 3


@pytest.mark.parametrize("place", [3, -1, [1, 4], [2, 1], [0], "a", True])
def test_a_name_of_no_item_is_refused(place):
    nothing = {"items": [], "names": {}}
    inputs = {"items": ["a", "b", "c"], "names": {"one": place}}
    task = {"rule": "some", "script": "", "wildcards": nothing, "input": inputs, "output": nothing, "params": nothing}
    with pytest.raises(ValueError, match="expected the jobs of the workflow"):
        Tasks({"scale": "tiny", "tasks": [task]})


def test_the_command_says_what_is_wrong_and_ends_in_1(tree, capfd):
    assert main(["audit", str(tree), "--expected", str(tree / "logs/expected.json")]) == 0
    assert "0 faults in 0 files" in capfd.readouterr().out
    edit(tree / LEAF, nudged("log_z"))
    assert main(["audit", str(tree), "--output", str(tree / "found.json")]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split() == ["file", "check", "found", "expected"]
    assert any(line.startswith(LEAF) and " content " in line for line in lines)
    found = json.loads((tree / "found.json").read_text())
    assert not found["passed"] and {"file": LEAF, "check": "content"}.items() <= found["faults"][0].items()
    assert json.loads((tree / "audit.json").read_text())["passed"]


def test_the_command_makes_artifacts_once_more(tree, capfd):
    assert main(["audit", str(tree), "--replay", "1", "--seed", "5"]) == 0
    assert "the same bits" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "nowhere: expected the folder of a project"),
        ([".", "--expected", "nothing.json"], "nothing.json: expected a file that snakemake audit wrote"),
        ([".", "--expected", "wrong.json"], "wrong.json: expected a file that snakemake audit wrote"),
        ([".", "--replay", "-1"], "--replay: expected a whole number of at least 0"),
        ([".", "--output", "none/found.json"], "there is no folder none"),
    ],
)
def test_wrong_use_is_one_line(tree, monkeypatch, capfd, arguments, complaint):
    monkeypatch.chdir(tree)
    (tree / "wrong.json").write_text('{"scale": "tiny"}')
    (tree / MANIFEST).unlink()
    assert main(["audit", *arguments]) == 1
    error = capfd.readouterr().err
    assert error.startswith("logzoo: error: ") and error.count("\n") == 1 and complaint in error


def test_a_distribution_is_checked_wherever_it_is(tree):
    occupancy = xr.Dataset({"occupancy": labelled(("iteration", "rung"), [[0.5, 0.5], [0.5, 0.4]])})
    edit(tree / LEAF, lambda one: one.assign(occupancy=occupancy["occupancy"]), rehash=True)
    assert (LEAF, "distributions") in faults(tree, manifest=False)
