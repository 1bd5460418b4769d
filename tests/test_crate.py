"""A run described for archives: every file once and as it is, all that the profiles demand, nothing that is not so."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from crates import TERMS, breaches, finished_project, graph_of, listed, read_crate, references
from damage import rewrite
from trees import task_of

from logzoo.artifacts.netcdf import load_raw
from logzoo.artifacts.provenance import PACKAGE_FOLDER
from logzoo.audit.crate import write_crate
from logzoo.audit.manifest import listed_files, read_manifest, write_manifest
from logzoo.audit.tasks import Tasks, read_tasks
from logzoo.audit.tree import audit
from logzoo.cli.main import main

ROOT = Path(__file__).parents[1]
RAW = "data/raw/source/values.txt"
MANIFEST = "data/tiny/manifest.json"
TABLE = "data/tiny/tables/t.nc"
CRATE = "ro-crate-metadata.json"
CONFIGURATION = {"config/config.yaml", "config/datasets.yaml", "config/papers/rts.yaml", "config/small.yaml"}
DATES = {"datePublished", "startTime", "endTime"}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    return finished_project(tmp_path_factory.mktemp("crate") / "project")


@pytest.fixture
def project(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "project"))


@pytest.fixture(scope="module")
def content(pristine, tmp_path_factory):
    folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("crate") / "described"))
    write_crate(folder, "tiny", tasks=read_tasks(folder / "logs/expected.json"), agent="Jane Doe")
    return read_crate(folder)


@pytest.fixture(scope="module")
def graph(content):
    return graph_of(content)


def refused(folder, *, scale="tiny", **options):
    """The one line that a crate is refused with; nothing is written."""
    before = sorted(path for path in folder.rglob("*") if path.is_file())
    with pytest.raises(ValueError) as caught:
        write_crate(folder, scale, **options)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_it_is_all_that_the_profiles_demand(content):
    assert list(breaches(content)) == []


@pytest.mark.parametrize(
    ("identifier", "key", "value", "breach"),
    [
        ("./", "license", None, "the root has no license"),
        ("./", "datePublished", "today", "the root has no date"),
        ("./", "conformsTo", None, "the root does not conform to https://w3id.org/ro/wfrun/workflow/"),
        ("./", "mainEntity", {"@id": "README.md"}, "the main entity is no workflow"),
        ("./", "hasPart", {"@id": "Snakefile"}, f"{RAW} is no part of the root"),
        ("Snakefile", "programmingLanguage", "Snakemake", "the workflow has no language"),
        ("#run-tiny", "instrument", {"@id": "README.md"}, "#run-tiny has no instrument"),
        ("#run-tiny", "agent", {"@type": "Person"}, "#run-tiny: agent is not flat"),
        ("LICENSE", "@id", "the licence", "'the licence' is no relative or absolute IRI"),
        ("LICENSE", "@id", "README.md", "two entities of one identifier"),
        (CRATE, "conformsTo", None, "the descriptor does not conform to RO-Crate 1.1"),
    ],
)
def test_a_planted_breach_is_found(content, identifier, key, value, breach):
    broken = json.loads(json.dumps(content))
    entity = next(one for one in broken["@graph"] if one["@id"] == identifier)
    entity[key] = value
    if value is None:
        del entity[key]
    assert breach in list(breaches(broken))


def test_every_word_is_of_the_vocabulary(content):
    # A reader of JSON-LD drops all others without a word.
    terms = set(json.loads(TERMS.read_text())["@context"]) | set(content["@context"][1])
    used = {key for one in content["@graph"] for key in one if not key.startswith("@")}
    assert used | {kind for one in content["@graph"] for kind in listed(one["@type"])} == terms


def test_every_file_is_there_once_and_as_it_is(pristine, graph):
    files, _, _ = read_manifest(pristine, "tiny")
    assert set(files) == set(listed_files(pristine, "tiny"))
    described = {name: one for name, one in graph.items() if "File" in listed(one["@type"])}
    assert set(files) | {MANIFEST, "Snakefile", "src/logzoo/some.py", "LICENSE"} <= set(described)
    for name, one in described.items():
        held = (pristine / name).read_bytes()
        assert one["sha256"] == hashlib.sha256(held).hexdigest() and one["contentSize"] == str(len(held)), name
        assert "/" in one["encodingFormat"] and one["name"], name
    assert {name: described[name]["sha256"] for name in files} == files
    assert described[TABLE]["encodingFormat"] == "application/x-netcdf"
    parts = references({"hasPart": graph["./"]["hasPart"]})
    assert len(parts) == len(set(parts)) and set(described) <= set(parts)


def test_all_identifiers_lead_somewhere(pristine, graph):
    outside = ("http://", "https://")
    for name, one in graph.items():
        for identifier in references(one):
            assert identifier in graph or identifier.startswith(outside), f"{name} refers to {identifier}"
    reached, waiting = set(), [CRATE]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += set(references(graph.get(name, {}))) - reached
    assert set(graph) <= reached
    for name in graph:
        assert name.startswith((*outside, "#")) or name == CRATE or (pristine / name).exists()


def test_the_run_is_given_raw_files_and_configuration_and_makes_the_rest(pristine, graph):
    run, files = graph["#run-tiny"], read_manifest(pristine, "tiny")[0]
    given, made = (set(references({"are": run[key]})) for key in ("object", "result"))
    assert given == {RAW, *CONFIGURATION}
    assert made == set(files) - {RAW}
    assert run["instrument"] == graph["./"]["mainEntity"] == {"@id": "Snakefile"}
    assert graph["./"]["mentions"] == {"@id": "#run-tiny"}
    assert graph[run["agent"]["@id"]] == {"@id": "#person-jane-doe", "@type": "Person", "name": "Jane Doe"}
    code = references({"are": graph["Snakefile"]["hasPart"]})
    assert code == ["workflow/scripts/double.py", "src/logzoo/some.py"]


def test_times_are_those_of_files(project):
    own = [project / path for path in listed_files(project, "tiny") if path.split("/")[1] == "tiny"]
    for number, path in enumerate([*own, project / MANIFEST]):
        os.utime(path, (0, 1e9 + number))
    os.utime(project / RAW, (0, 1e8))  # fetched long ago
    run = graph_of(read_crate(write_crate(project, "tiny").parent))["#run-tiny"]
    times = [datetime.fromisoformat(run[key]) for key in ("startTime", "endTime")]
    assert times == [datetime.fromtimestamp(1e9 + after, UTC) for after in (0, len(own))]
    assert "agent" not in run


def test_papers_terms_and_software_are_named(graph):
    papers = [one for one in graph.values() if one["@type"] == "ScholarlyArticle"]
    (paper,) = [one for one in papers if one["name"] == "On Tracking the Partition Function"]
    assert paper["datePublished"] == "2011" and len(papers) == 4
    assert [graph[one]["name"] for one in references({"are": paper["author"]})][0] == "Guillaume Desjardins"
    assert set(references({"are": graph["./"]["citation"]})) == {one["@id"] for one in papers}
    assert graph["data/datasets/digits.nc"]["name"] == "a data set"
    source = graph["data/raw/source/"]
    assert (source["name"], source["license"], source["citation"]) == ("Some numbers", "CC BY 4.0", "Somebody (1999)")
    assert references({"are": source["hasPart"]}) == [RAW]
    assert graph[RAW]["description"] == "Source: kept"
    assert graph[graph["./"]["license"]["@id"]]["name"] == "MIT"
    software = {one["name"]: one["softwareVersion"] for one in graph.values() if one["@type"] == "SoftwareApplication"}
    assert {"python", "numpy", "numba", "logzoo"} <= set(software)
    assert software["python"] == sys.version.split()[0]


def test_the_same_run_gives_the_same_bytes_but_for_dates(pristine, tmp_path):
    texts = []
    for name, when in (("first", None), ("second", None), ("third", 1e9)):
        folder = shutil.copytree(pristine, tmp_path / name)
        if when is not None:
            for path in listed_files(folder, "tiny"):
                os.utime(folder / path, (when, when))
        texts.append(write_crate(folder, "tiny").read_text().splitlines())
    others = [
        {line.split('"')[1] for line, before in zip(text, texts[0], strict=True) if line != before}
        for text in texts[1:]
    ]
    assert others[0] <= {"datePublished"}  # at midnight
    assert "startTime" in others[1] and others[1] <= DATES


def test_a_run_that_is_described_already_is_described_again(project):
    write_crate(project, "tiny")
    (project / CRATE).write_text("{")
    write_crate(project, "tiny")
    assert list(breaches(read_crate(project))) == []


def test_files_that_are_not_as_they_were_listed_are_refused(project):
    held = (project / TABLE).read_bytes()
    (project / TABLE).write_bytes(held + b"\n")
    assert f"lists them: {TABLE}; run" in refused(project)
    (project / TABLE).unlink()
    assert f"lists them: {TABLE}; run" in refused(project)
    (project / TABLE).write_bytes(held)
    (project / "data/tiny/tables/u.nc").write_bytes(held)
    (project / RAW).write_text("other numbers\n")
    assert f"lists them: {RAW}, data/tiny/tables/u.nc; run" in refused(project)
    for number in range(8):
        (project / f"data/tiny/tables/u{number}.nc").write_bytes(held)
    assert "and 5 more" in refused(project)


def test_what_could_not_be_had_is_said(project):
    lost = project / "data/raw/lost/manifest.json"
    lost.parent.mkdir()
    lost.write_text(json.dumps({"name": "lost", "files": {}, "unavailable": "no mirror has it"}))
    path = project / "data/datasets/digits.nc"
    rewrite(load_raw(path).assign_attrs(stand_in_for="Lost digits"), path)
    content = read_tasks(project / "logs/expected.json").content
    fetched = json.dumps(next(task for task in content["tasks"] if task["rule"] == "fetch"))
    content["tasks"].append(json.loads(fetched.replace("data/raw/source/", "data/raw/lost/")))
    write_manifest(project, "tiny", Tasks(content))
    found = graph_of(read_crate(write_crate(project, "tiny").parent))
    assert found["data/raw/lost/"]["description"] == "Not to be had: no mirror has it"
    assert "data/raw/lost/manifest.json" in references({"are": found["#run-tiny"]["result"]})
    assert found["data/datasets/digits.nc"]["description"] == "NOT Lost digits but a stand-in for it"


def test_what_other_scales_add_is_left_out(project):
    for path in ("data/large/models/a.nc", "data/datasets/more.nc", "data/raw/more/a.txt"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("made by another run\n")
    found = graph_of(read_crate(write_crate(project, "tiny").parent))
    assert not [name for name in found if "more" in name or "large" in name]


def test_other_configuration_or_code_is_refused(project):
    tasks = json.loads((project / "logs/expected.json").read_text())
    task_of(tasks, TABLE)["params"]["names"]["settings"] = {"rows": "others"}
    said = refused(project, tasks=Tasks(tasks))
    assert "configuration or code" in said and TABLE in said
    tasks["tasks"] = []
    assert "and " in refused(project, tasks=Tasks(tasks))


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (MANIFEST, None, f"{MANIFEST}: no such file in"),
        (MANIFEST, "{}", f"{MANIFEST}: not a manifest"),
        ("CITATION.cff", None, "CITATION.cff: expected a file of the project"),
        ("CITATION.cff", "title: [", "CITATION.cff: not YAML"),
        ("CITATION.cff", "title: a\n", "CITATION.cff: expected the keys title, version"),
        (
            "CITATION.cff",
            "{title: a, version: 1, license: b, abstract: c, authors: [{}]}",
            "CITATION.cff: expected names",
        ),
        ("config/datasets.yaml", "- 1\n", "config/datasets.yaml: expected the keys sources"),
        ("config/small.yaml", "[", "config/small.yaml: not YAML"),
        ("config/datasets.yaml", None, "config/datasets.yaml: expected a file of the project"),
    ],
)
def test_what_is_missing_is_named_in_one_line(project, path, text, said):
    (project / path).unlink()
    if text is not None:
        (project / path).write_text(text)
    assert refused(project).startswith(said)


def test_a_person_has_a_name(project):
    assert refused(project, agent=" ? ") == "agent: expected the name of a person, found ' ? '"


def test_the_audit_finds_nothing_wrong_with_it(project):
    write_crate(project, "tiny")
    assert audit(project, read_tasks(project / "logs/expected.json")).faults == []


def test_the_command(project, capfd):
    assert main(["crate", str(project), "--scale", "tiny", "--agent", "Jane Doe"]) == 0
    out, err = capfd.readouterr()
    assert (out.split(), err) == (["written", str(project / CRATE)], "")
    assert graph_of(read_crate(project))["#person-jane-doe"]["name"] == "Jane Doe"
    assert main(["crate", str(project)]) == 1
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("logzoo: error: data/quick/manifest.json: no such file") and "run the workflow first" in err


def test_the_library_that_writes_crates_is_loaded_for_them_alone():
    modules = "logzoo.cli.main, logzoo.pipeline.jobs, logzoo.audit.tree"
    script = f"import sys, {modules}; assert 'rocrate' not in sys.modules"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE_FOLDER.parent)}
    assert subprocess.run([sys.executable, "-c", script], env=environment, timeout=60).returncode == 0
