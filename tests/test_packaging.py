"""Files for others and their tools: what to install, declared libraries, the citation, CONTRIBUTING.md."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires, version

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from projects import ROOT

import logzoo
from logzoo.cli.main import main

# The extras that requirements.txt brings.
EXTRAS = ("workflow", "files", "test", "docs")
CONDA_NAMES = {"matplotlib-base": "matplotlib", "pymbar-core": "pymbar", "snakemake-minimal": "snakemake"}
# Spelled in halves, so that this file does not name them itself.
HOSTS = "py-pi.org python-hosted.org ana-conda.org ana-conda.com pre-fix.dev npm-js.org docker-.io gh-cr.io qu-ay.io"
HOST_PATTERN = re.compile("|".join(re.escape(host.replace("-", "")) for host in HOSTS.split()), re.IGNORECASE)
TEXT_SUFFIXES = {".cff", ".md", ".toml", ".txt", ".yml", ".yaml"}
CACHE = "__pycache__"
FOLDERS = ("src", "workflow", "config", "docs", "tests", "benchmarks", ".ci")


README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def direct_dependencies():
    """The requirements in pyproject.toml, those of pipeline and tests included: canonical name -> Requirement."""
    texts = [*PROJECT["dependencies"], *(text for name in EXTRAS for text in PROJECT["optional-dependencies"][name])]
    return {canonicalize_name(requirement.name): requirement for requirement in map(Requirement, texts)}


def read_pins():
    """The exact pins of requirements.txt that apply here: canonical name -> version."""
    pins = {}
    *lines, last = (ROOT / "requirements.txt").read_text().splitlines()
    assert last == "-e ."
    for line in lines:
        exact = re.fullmatch(r"([\w.-]+)(\[[\w,]+\])?==([\w.+!-]+)( ?;.*)?", line)
        assert exact, f"not an exact pin: {line!r}"
        if (marker := Requirement(line).marker) is None or marker.evaluate():
            pins[canonicalize_name(exact[1])] = exact[3]
    return pins


def test_the_files_agree():
    pins = read_pins()
    limits = {name: requirement.specifier for name, requirement in direct_dependencies().items()}
    assert [name for name, limit in limits.items() if not limit or pins[name] not in limit] == []
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python = "python" + PROJECT["requires-python"]
    assert environment["channels"] == ["conda-forge", "bioconda"] and python in environment["dependencies"]
    named = (Requirement(item) for item in environment["dependencies"] if item != python)
    assert {canonicalize_name(CONDA_NAMES.get(item.name, item.name)): item.specifier for item in named} == limits
    assert (CITATION["version"], CITATION["license"]) == (logzoo.__version__, PROJECT["license"])


def test_pins_are_complete_and_installed():
    waiting, seen = list(direct_dependencies().values()), set()
    for requirement in waiting:
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) not in seen:
            seen.add((name, extras))
            markers = [{"extra": extra} for extra in {"", *extras}]
            below = map(Requirement, requires(name) or [])
            waiting += [item for item in below if not item.marker or any(map(item.marker.evaluate, markers))]
    assert read_pins() == {name: version(name) for name, _ in seen}


def test_one_version(capsys):
    assert version("logzoo") == logzoo.__version__
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"logzoo {logzoo.__version__}\n"


def test_no_file_names_a_registry():
    files = [path for path in ROOT.iterdir() if path.name == "Snakefile" or path.suffix in TEXT_SUFFIXES]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = {path: path.read_bytes().decode(errors="ignore") for path in files if CACHE not in path.parts}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if HOST_PATTERN.search(text)] == []


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
