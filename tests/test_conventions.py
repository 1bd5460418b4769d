"""What others and their tools read: the recipe of the container, the citation, the catalog's file, CONTRIBUTING.md."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from projects import ROOT

import logzoo

README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def instructions(text):
    """The instructions of a Dockerfile: (name, the rest), continued lines joined."""
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip() and not line.startswith("#")]


def test_the_recipe_of_the_container_is_that_of_the_readme():
    steps = instructions((ROOT / "Dockerfile").read_text())
    arguments = {name: [rest for other, rest in steps if other == name] for name, _ in steps}
    (version,) = re.findall(r"^python:(\d+\.\d+)-slim-\w+$", arguments["FROM"][0])
    assert version in SpecifierSet(PROJECT["requires-python"])
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]
    for copied in arguments["COPY"]:
        *sources, _ = [part for part in copied.split() if not part.startswith("--")]
        assert [source for source in sources if not (ROOT / source).exists()] == []
    command = " ".join(json.loads(arguments["ENTRYPOINT"][0]) + json.loads(arguments["CMD"][0]))
    first = re.search(r"^    (pip install .*) && (snakemake .*)$", README, re.MULTILINE)
    assert first[1] in arguments["RUN"] and command == first[2]
    assert arguments["USER"][-1] not in ("root", "0")


def test_what_git_ignores_is_not_copied_into_the_image():
    """Patterns of .gitignore without a slash hold at any depth, those of .dockerignore after **/ alone."""
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    lines = (ROOT / ".gitignore").read_text().splitlines()
    assert [line for line in lines if line not in ignored and f"**/{line}" not in ignored] == []
    assert ".git" in ignored


def test_every_library_that_is_imported_is_declared():
    """Those of environment.yml and requirements.txt are compared with pyproject.toml elsewhere."""
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
    assert CITATION["cff-version"] == "1.2.0" and CITATION["version"] == logzoo.__version__
    told = README.partition("## The papers")[2].replace("\n", " ")
    papers = re.findall(r"\*([^*]+)\* \((\w+) et al\. (\d{4})\)", told)
    assert len(papers) == len(CITATION["references"]) == 4
    for paper, (title, author, year) in zip(CITATION["references"], papers, strict=True):
        assert {"type", "title", "authors", "year", "conference"} <= paper.keys()
        # That of Hult et al. appeared a year after its preprint.
        assert paper["title"].startswith(title) and paper["authors"][0]["family-names"] == author
        assert year in f"{paper['year']} {paper.get('notes', '')}"
        assert paper.get("end", 1) >= paper.get("start", 1) and re.match(r"10\.\d+/", paper.get("doi", "10.1/"))


def test_the_catalog_of_workflows_finds_what_it_wants():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"] == {"conda": True} and usage["report"] is True
    assert usage["mandatory-flags"]["desc"] and usage["mandatory-flags"]["flags"] == []
    assert (ROOT / "workflow/Snakefile").is_file() and (ROOT / "config/README.md").is_file()
    # `--sdm conda` needs an environment for every rule with a script, and all name the one that is tested.
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    environments = re.findall(r'conda:\n +"(.+)"', rules)
    assert rules.count("script:") <= len(environments) and set(environments) == {"../../environment.yml"}


def test_links_of_the_guide_for_contributors_lead_somewhere():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = [*re.findall(r"\]\(([^)#]+)\)", text), *re.findall(r"`((?:\.ci|src|tests|config)/[\w./]+)`", text)]
    assert len(paths) > 5 and [path for path in paths if not (ROOT / path).exists()] == []
    assert "CONTRIBUTING.md" in README and README.count("\n") <= 100
