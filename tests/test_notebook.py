"""The notebook of examples/: its cells run in their order, and print what the stored outputs show."""

import json
import re

import matplotlib.pyplot
import pytest
from projects import ROOT
from stories import NUMBER, differences, printed

NOTEBOOKS = [ROOT / "examples/own_rbm.ipynb"]


def code_cells(path):
    """(source, printed text) of every code cell of a notebook."""
    cells = json.loads(path.read_text())["cells"]
    return [
        ("".join(cell["source"]), "".join("".join(out["text"]) for out in cell["outputs"] if "text" in out))
        for cell in cells
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path, monkeypatch):
    monkeypatch.setattr(matplotlib.pyplot, "show", lambda: matplotlib.pyplot.close())
    sources, stored = zip(*code_cells(path), strict=True)
    found = printed(sources)
    assert differences(found, stored) == []
    assert differences(found, [NUMBER.sub("99.9", text, count=1) for text in stored])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_reads_well_where_it_is_not_run(path):
    cells = json.loads(path.read_text())["cells"]
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    assert any("image/png" in out.get("data", {}) for out in outputs)
    assert not any(out["output_type"] == "error" or out.get("name") == "stderr" for out in outputs)
    assert path.stat().st_size < 200_000
    links = re.findall(r"\]\((\.\./[^)#]+)", "".join("".join(cell["source"]) for cell in cells))
    assert links and all((path.parent / link).is_file() for link in links)
