"""A finished run described for archives: every file with its hash and its inputs, the same bytes each time."""

import json
import shutil

import pytest
import xarray as xr
from projects import ROOT
from rocrate.rocrate import ROCrate
from trees import jobs_of

from logzoo.io.reading import sha256_of
from replication.audit.crate import CRATE, write_crate
from replication.audit.manifest import manifest_path, read_manifest
from replication.cli import main

TABLE, ZOO, RAW = "data/tiny/tables/t.nc", "data/tiny/zoo.nc", "data/raw/source/values.txt"
DESCRIBING = ("CITATION.cff", "LICENSE", "README.md")
COMPILED = "src/logzoo/__pycache__/some.pyc"
WRITTEN = ("Snakefile", "config/config.yaml", "workflow/scripts/draw.py", "src/logzoo/some.py", COMPILED)


@pytest.fixture
def project(tree):
    """A project with a finished run."""
    for path in WRITTEN:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(f"# {path}\n")
    for name in DESCRIBING:
        shutil.copyfile(ROOT / name, tree / name)
    return tree


def references(values):
    return {value["@id"] for value in (values if isinstance(values, list) else [values])}


def test_every_file_is_described_as_it_is_and_the_library_reads_it(project):
    content = json.loads(write_crate(project, "tiny", jobs={"tiny": jobs_of(project)}, agent="Jane Doe").read_text())
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    files = read_manifest(project, "tiny").files
    described = {name for name, entity in entities.items() if "sha256" in entity}
    assert described == {*files, manifest_path("tiny"), *WRITTEN, *DESCRIBING} - {COMPILED}
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
    measured = [entities[name] for name in references(entities[ZOO]["variableMeasured"])]
    with xr.open_dataset(project / ZOO) as zoo:
        units = {name: variable.attrs.get("units", "1") for name, variable in zoo.variables.items()}
    assert {entity["name"]: entity["unitText"] for entity in measured} == units
    assert {entity.id for entity in ROCrate(project).data_entities} >= described


def test_the_same_run_gives_the_same_bytes_but_for_the_day(project):
    first = write_crate(project, "tiny").read_text().splitlines()
    (project / CRATE).write_text("{")
    second = write_crate(project, "tiny").read_text().splitlines()
    for line, other in zip(first, second, strict=True):
        assert line == other or "datePublished" in line  # the date may change at midnight


def refused(project, **options):
    with pytest.raises(ValueError) as caught:
        write_crate(project, "tiny", **options)
    assert "\n" not in str(caught.value) and not (project / CRATE).exists()
    return str(caught.value)


def test_a_project_that_does_not_say_what_it_is_and_a_run_with_faults_or_stale_files_are_refused(project):
    (project / "CITATION.cff").write_text("authors: [{}]")
    assert "CITATION.cff" in refused(project)
    (project / "CITATION.cff").unlink()
    assert "CITATION.cff" in refused(project)
    jobs = jobs_of(project)
    jobs[TABLE]["source"] = "0" * 64
    assert TABLE in refused(project, jobs={"tiny": jobs})
    (project / TABLE).write_bytes((project / TABLE).read_bytes() + b"\n")
    assert TABLE in refused(project)
    (project / manifest_path("tiny")).unlink()
    assert "run the workflow first" in refused(project)


def test_the_configuration_of_a_user_is_an_input_of_the_run(project):
    (project / "mine.yaml").write_text("scale: tiny\n")
    content = json.loads(write_crate(project, "tiny", configuration=project / "mine.yaml").read_text())
    run = next(entity for entity in content["@graph"] if entity["@id"] == "#run-tiny")
    assert "mine.yaml" in references(run["object"])
    (project / CRATE).unlink()
    assert refused(project, configuration="/mine.yaml").startswith("/mine.yaml: expected a configuration in ")


def test_the_command(project, capfd):
    assert main(["crate", str(project), "--scale", "tiny"]) == 0
    assert capfd.readouterr().out.split() == ["written", str(project / CRATE)]
    assert main(["crate", str(project), "--scale", "other"]) == 1
    assert capfd.readouterr().err.startswith("replication: error: data/other/manifest.json: no such file")
