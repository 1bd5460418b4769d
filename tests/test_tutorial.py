"""The tutorial, the how-to pages with code and the notebook: their code runs, and prints the output that they show."""

import json
import re
import shlex
from hashlib import sha256
from pkgutil import resolve_name

import matplotlib.pyplot
import pytest
import yaml
from projects import ROOT, catalogue_of
from stories import blocks, differences, printed

from logzoo.cli.main import main
from logzoo.datasets.build import build_dataset
from logzoo.io.netcdf import write_artifact
from logzoo.streams import root_stream
from replication.reporting import style

DOCS, NOTEBOOK = ROOT / "docs", ROOT / "examples/own_rbm.ipynb"
# These lines make an environment and do not run here; test_wheel.py builds and imports the package.
INSTALL = "python3 -m venv .venv\n. .venv/bin/activate\npip install . scikit-learn\n"


def test_the_tutorial_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parts, namespace, outputs = blocks(DOCS / "tutorial.md"), {}, []
    assert {language for language, _ in parts} == {"bash", "python", "text"} and ("bash", INSTALL) in parts
    for language, text in parts:
        if language == "python":
            outputs += printed([text], namespace)
        elif text != INSTALL and language == "bash":
            for line in text.splitlines():
                assert main(shlex.split(line)[1:]) == 0
            output = capsys.readouterr().out
            assert len(re.findall(r"log Z\W+64\.0\d", output)) == 2 and "NOT CONVERGED" not in output
    # A block of output follows every block that prints.
    result, stored = list(filter(None, outputs)), [text for language, text in parts if language == "text"]
    assert differences(result, stored) == []


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the configuration of the project, and no artifacts."""
    for name in ("Snakefile", "config", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_figure_is_drawn_in_another_style_from_what_is_stored(project, monkeypatch):
    for settings in (style.SETTINGS, style.LOOKS, matplotlib.rcParams):
        for key, value in list(settings.items()):
            monkeypatch.setitem(settings, key, value)
    parts = blocks(DOCS / "redraw.md")
    assert {language for language, _ in parts} == {"python"}
    sources = [text for _, text in parts]
    (name,) = set(re.findall(r'shown\["([\w-]+)"\]', sources[0]))
    experiment = catalogue_of("tests/tiny.yaml").shown[name].inputs["mixture"]
    rows = resolve_name(experiment.run)({}, stream=root_stream(0), **experiment.settings)
    path = project / catalogue_of().shown[name].inputs["mixture"].path
    path.parent.mkdir(parents=True)
    write_artifact(rows, path, kind=experiment.kind, parameters={}, source="", inputs={}, seed_path="0")
    namespace = {}
    *_, sizes, paths = printed(sources, namespace)
    assert sizes.startswith("mixture {") and str(path.relative_to(project)) in paths
    picture = (project / f"{name}.svg").read_text()
    assert "<svg" in picture and (project / f"{name}.csv").read_text().count("\n") > 10
    # ggplot draws on grey; RTS is black.
    assert namespace["figure"].axes[0].get_facecolor()[:3] != (1.0, 1.0, 1.0)
    assert "black" in [line.get_color() for line in namespace["figure"].axes[0].get_lines()]


def test_a_data_set_of_ones_own_is_configured_and_read(project):
    (project / "data").mkdir()
    parts = blocks(DOCS / "your-own-data.md")
    sources, stored = ([text for language, text in parts if language == kind] for kind in ("python", "text"))
    assert differences(printed(sources), stored) == []
    first, second = (yaml.safe_load(text) for language, text in parts if language == "yaml")
    config = catalogue_of(first, second).config
    source = config["sources"]["mine"]
    ((file, entry),) = source["files"].items()
    raw = project / "data/mirror" / entry["sources"][0]["file"]
    assert sha256(raw.read_bytes()).hexdigest() == entry["sha256"] and raw.name == file
    dataset = build_dataset("mine", {**source, **config["datasets"]["mine"]}, raw.parent)
    assert dataset.sizes == {"example": 1797, "visible": 64}
    assert set(config["zoo"]["datasets"].values()) == {"mine"} and config["scale"] == "mine"


def code_cells(path):
    """(source, printed text) of every code cell of a notebook."""
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    texts = ["".join("".join(out["text"]) for out in cell["outputs"] if "text" in out) for cell in cells]
    return [("".join(cell["source"]), text) for cell, text in zip(cells, texts, strict=True)]


@pytest.mark.nightly
def test_a_notebook_prints_what_it_shows(monkeypatch):
    monkeypatch.setattr(matplotlib.pyplot, "show", matplotlib.pyplot.close)
    sources, stored = zip(*code_cells(NOTEBOOK), strict=True)
    assert differences(printed(sources), stored) == []


def test_a_notebook_reads_well_where_it_is_not_run():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    assert any("image/png" in out.get("data", {}) for out in outputs)
    assert not any(out["output_type"] == "error" or out.get("name") == "stderr" for out in outputs)
    assert NOTEBOOK.stat().st_size < 200_000
    links = re.findall(r"\]\((\.\./[^)#]+)", "".join("".join(cell["source"]) for cell in cells))
    assert links and all((NOTEBOOK.parent / link).is_file() for link in links)
