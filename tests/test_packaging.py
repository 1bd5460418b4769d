"""The files that say what to install agree with each other and with what is installed."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import yaml
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

import logzoo
from logzoo.cli.main import main

ROOT = Path(__file__).parents[1]
# The extras that requirements.txt brings.
EXTRAS = ("workflow", "files", "test", "docs")
CONDA_NAMES = {"matplotlib-base": "matplotlib"}
# Spelled in halves, so that this file does not name them itself.
HOSTS = [
    ("py", "pi.org"),
    ("python", "hosted.org"),
    ("ana", "conda.org"),
    ("ana", "conda.com"),
    ("pre", "fix.dev"),
    ("npm", "js.org"),
    ("docker", ".io"),
    ("gh", "cr.io"),
    ("qu", "ay.io"),
]
HOST_PATTERN = re.compile("|".join(re.escape(first + second) for first, second in HOSTS), re.IGNORECASE)
TEXT_SUFFIXES = {".cff", ".md", ".toml", ".txt", ".yml", ".yaml"}
CACHE = "__pycache__"
FOLDERS = ("src", "workflow", "config", "docs", "tests", "benchmarks", ".ci")


def read_files():
    names = ("pyproject.toml", "requirements.txt", "environment.yml", "CITATION.cff")
    return {name: (ROOT / name).read_text() for name in names}


def direct_dependencies(files):
    """Read the requirements in pyproject.toml, those of pipeline and tests included: canonical name -> Requirement."""
    project = tomllib.loads(files["pyproject.toml"])["project"]
    texts = [*project["dependencies"], *(text for name in EXTRAS for text in project["optional-dependencies"][name])]
    return {canonicalize_name(found.name): found for found in map(Requirement, texts)}


def read_pins(files):
    """Read requirements.txt: canonical name -> version of the pins that apply here, and the faulty lines."""
    pins, faults = {}, []
    *lines, last = files["requirements.txt"].splitlines()
    if last != "-e .":
        faults.append(f"requirements.txt ends with {last!r}, not '-e .'")
    for line in lines:
        try:
            found = Requirement(line)
            (pin,) = found.specifier
        except (InvalidRequirement, ValueError):
            faults.append(f"requirements.txt: not one pin: {line!r}")
            continue
        if found.url or "://" in line or pin.operator != "==" or pin.version.endswith(".*"):
            faults.append(f"requirements.txt: not an exact pin: {line!r}")
        elif found.marker is None or found.marker.evaluate():
            pins[canonicalize_name(found.name)] = pin.version
    return pins, faults


def disagreements(files):
    """List how pyproject.toml, requirements.txt, environment.yml and CITATION.cff contradict each other."""
    direct, (pins, found) = direct_dependencies(files), read_pins(files)
    for name, requirement in direct.items():
        if name not in pins:
            found.append(f"{name} is not pinned in requirements.txt")
        elif not requirement.specifier or pins[name] not in requirement.specifier:
            found.append(f"{name}=={pins[name]} in requirements.txt does not satisfy {requirement}")
    found += conda_disagreements(files, direct)
    project, citation = (
        tomllib.loads(files["pyproject.toml"])["project"],
        yaml.safe_load(files["CITATION.cff"]),
    )
    for key, value in (("version", logzoo.__version__), ("license", project["license"])):
        if citation.get(key) != value:
            found.append(f"CITATION.cff: {key} {citation.get(key)!r} is not {value!r}")
    return found


def conda_disagreements(files, direct):
    """Yield how environment.yml differs: it holds Python and the direct dependencies, as pyproject.toml limits them."""
    environment = yaml.safe_load(files["environment.yml"])
    if environment["channels"] != ["conda-forge", "bioconda"]:
        yield "environment.yml: channels are not conda-forge, bioconda"
    python = "python" + tomllib.loads(files["pyproject.toml"])["project"]["requires-python"]
    if python not in environment["dependencies"]:
        yield f"environment.yml does not hold {python}"
    named = (Requirement(item) for item in environment["dependencies"] if item != python)
    found = {canonicalize_name(CONDA_NAMES.get(item.name, item.name)): item.specifier for item in named}
    for name in sorted(direct.keys() | found.keys()):
        if name not in found:
            yield f"{name} is missing in environment.yml"
        elif name not in direct or found[name] != direct[name].specifier:
            yield f"{name}: {found[name]} in environment.yml, otherwise in pyproject.toml"


def differences_from_installed(files):
    """List the direct dependencies whose pins differ from the installed versions."""
    pins, found = read_pins(files)
    waiting, seen = list(direct_dependencies(files).values()), set()
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            installed, below = version(name), map(Requirement, requires(name) or [])
        except PackageNotFoundError:
            found.append(f"{name} is needed and not installed")
            continue
        if name not in pins:
            found.append(f"{name} is needed and not pinned in requirements.txt")
        elif pins[name] != installed:
            found.append(f"{name}=={pins[name]} in requirements.txt, {installed} is installed")
        waiting.extend(
            item
            for item in below
            if not item.marker or any(item.marker.evaluate({"extra": extra}) for extra in {"", *extras})
        )
    unneeded = pins.keys() - {name for name, _ in seen}
    return found + [f"{name} is pinned and nothing needs it" for name in sorted(unneeded)]


def test_the_files_agree():
    assert disagreements(read_files()) == []


def test_pins_are_complete_and_installed():
    assert differences_from_installed(read_files()) == []


def test_one_version(capsys):
    assert version("logzoo") == logzoo.__version__
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"logzoo {logzoo.__version__}\n"


def test_no_file_names_a_registry():
    files = [path for path in ROOT.iterdir() if path.name == "Snakefile" or path.suffix in TEXT_SUFFIXES]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = {path: path.read_bytes().decode(errors="ignore") for path in files if CACHE not in path.parts}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if HOST_PATTERN.search(text)] == []
