"""Files for others and their tools: declared libraries, the citation, CONTRIBUTING.md."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from projects import ROOT

README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_every_library_that_is_imported_is_declared():
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *extras["workflow"], *extras["files"]]
    declared = {canonicalize_name(Requirement(text).name) for text in texts}
    owners = packages_distributions()
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow/scripts").glob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_bytes()))]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    tops = {name.split(".")[0] for name in imported} - set(sys.stdlib_module_names) - {"logzoo", "replication"}
    assert "numba" in tops
    assert {top for top in tops if not declared & set(map(canonicalize_name, owners[top]))} == set()


def test_the_citation_names_the_papers_as_the_readme_does():
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys()
    assert CITATION["cff-version"] == "1.2.0"
    section = README.partition("## The papers")[2].replace("\n", " ")
    papers = re.findall(r"\*([^*]+)\* \((\w+) et al\. (\d{4})\)", section)
    assert len(papers) == len(CITATION["references"]) == 4
    for paper, (title, author, year) in zip(CITATION["references"], papers, strict=True):
        assert {"type", "title", "authors", "year", "conference"} <= paper.keys()
        # The paper of Hult et al. appeared a year after its preprint.
        assert paper["title"].startswith(title) and paper["authors"][0]["family-names"] == author
        assert year in f"{paper['year']} {paper.get('notes', '')}"
        assert paper.get("end", 1) >= paper.get("start", 1) and re.match(r"10\.\d+/", paper.get("doi", "10.1/"))


def test_links_of_the_guide_for_contributors_lead_somewhere():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = [*re.findall(r"\]\(([^)#]+)\)", text), *re.findall(r"`((?:\.ci|src|tests|config)/[\w./]+)`", text)]
    assert len(paths) > 5 and [path for path in paths if not (ROOT / path).exists()] == []
    assert "CONTRIBUTING.md" in README and README.count("\n") <= 100
