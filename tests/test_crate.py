"""A finished run described for archives: every file with its hash and its inputs, the same bytes each time."""

import json
import shutil
from pathlib import Path

import pytest
import xarray as xr
from projects import ROOT
from rocrate.rocrate import ROCrate
from trees import Tree

from logzoo.io.reading import sha256_of
from replication.audit.crate import CRATE, write_crate
from replication.audit.manifest import manifest_path, read_manifest
from replication.cli import main

TABLE, ZOO, RAW = "data/tiny/tables/t.nc", "data/tiny/zoo.nc", "data/raw/source/values.txt"
WRITTEN = {
    "Snakefile": "rule all:\n",
    "config/config.yaml": "scale: quick\n",
    "workflow/scripts/draw.py": "VALUE = 1\n",
    "src/logzoo/some.py": "VALUE = 1\n",
    "src/logzoo/__pycache__/some.pyc": "compiled\n",
}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    folder = Tree(tmp_path_factory.mktemp("crate") / "project").write()
    for path, text in WRITTEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for name in ("CITATION.cff", "LICENSE", "README.md"):
        shutil.copyfile(ROOT / name, folder / name)
    return folder


@pytest.fixture
def project(pristine, tmp_path):
    return Path(shutil.copytree(pristine, tmp_path / "project"))


def references(values):
    return {value["@id"] for value in (values if isinstance(values, list) else [values])}


def test_every_file_is_described_as_it_is_and_the_library_reads_it(project):
    jobs = json.loads((project / "jobs.json").read_text())
    content = json.loads(write_crate(project, "tiny", jobs={"tiny": jobs}, agent="Jane Doe").read_text())
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    files = read_manifest(project, "tiny").files
    described = {name for name, entity in entities.items() if "sha256" in entity}
    assert described == {*files, manifest_path("tiny"), *WRITTEN, "CITATION.cff", "LICENSE", "README.md"} - {
        "src/logzoo/__pycache__/some.pyc"
    }
    for name in described:
        assert entities[name]["sha256"] == sha256_of(project / name)
        assert entities[name]["contentSize"] == str((project / name).stat().st_size)
    run, root = entities["#run-tiny"], entities["./"]
    assert references(run["object"]) == {RAW, "config/config.yaml"}
    assert references(run["result"]) == set(files) - {RAW}
    assert root["mainEntity"] == run["instrument"] == {"@id": "Snakefile"} and root["mentions"] == {"@id": "#run-tiny"}
    assert entities["#agent"]["name"] == "Jane Doe" and {"Dataset"} == {root["@type"]}
    for key in ("name", "description", "license", "datePublished", "author"):
        assert root[key]
    assert "https://w3id.org/ro/wfrun/workflow/0.5" in references(root["conformsTo"])
    assert described <= references(root["hasPart"])
    with xr.open_dataset(project / ZOO) as zoo:
        measured = [entities[name] for name in references(entities[ZOO]["variableMeasured"])]
        assert {(entity["name"], entity["unitText"]) for entity in measured} == {
            (name, variable.attrs.get("units", "1")) for name, variable in zoo.variables.items()
        }
    assert {entity.id for entity in ROCrate(project).data_entities} >= described


def test_the_same_run_gives_the_same_bytes_but_for_the_day(project):
    first = write_crate(project, "tiny").read_text().splitlines()
    (project / CRATE).write_text("{")
    second = write_crate(project, "tiny").read_text().splitlines()
    differing = [line for line, other in zip(first, second, strict=True) if line != other]
    assert not [line for line in differing if "datePublished" not in line]  # the date may change at midnight


def refused(project, **options):
    with pytest.raises(ValueError) as caught:
        write_crate(project, "tiny", **options)
    assert "\n" not in str(caught.value) and not (project / CRATE).exists()
    return str(caught.value)


def test_a_run_with_faults_or_stale_files_is_refused(project):
    jobs = json.loads((project / "jobs.json").read_text())
    jobs[TABLE]["source"] = "0" * 64
    assert TABLE in refused(project, jobs={"tiny": jobs})
    (project / TABLE).write_bytes((project / TABLE).read_bytes() + b"\n")
    assert TABLE in refused(project)
    (project / manifest_path("tiny")).unlink()
    assert "run the workflow first" in refused(project)


@pytest.mark.parametrize("text", [None, "authors: [{}]"])
def test_a_project_that_does_not_say_what_it_is_is_refused(project, text):
    (project / "CITATION.cff").unlink()
    if text is not None:
        (project / "CITATION.cff").write_text(text)
    assert "CITATION.cff" in refused(project)


def test_the_command(project, capfd):
    assert main(["crate", str(project), "--scale", "tiny"]) == 0
    assert capfd.readouterr().out.split() == ["written", str(project / CRATE)]
    assert main(["crate", str(project), "--scale", "other"]) == 1
    assert capfd.readouterr().err.startswith("replication: error: data/other/manifest.json: no such file")
