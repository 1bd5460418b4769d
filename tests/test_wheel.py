"""The package as it is installed: built from a copy, run outside of the checkout, with the light set only."""

import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from importlib.metadata import distribution, packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from projects import ROOT
from stories import blocks, differences

# Code put before a program, after which nothing outside the light set can be imported.
ONLY = """
import sys
REFUSED = {refused!r}
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Refuse())
"""
MODEL = """
import numpy as np
from logzoo import RBM
generator = np.random.default_rng(0)
RBM(*(generator.normal(0.0, 0.5, shape) for shape in ((12, 5), 12, 5))).save("model.nc")
"""


def build(source, kind, target):
    """Build a distribution (wheel or sdist) of a folder by its back end; its path."""
    program = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(target)!r}))"
    run = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return target / run.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(wheel, sdist) built from a copy of the sources."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "logzoo"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    return build(source, "wheel", folder), build(source, "sdist", folder)


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A folder with the wheel unpacked."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.unpack_archive(built[0], folder, "zip")
    return folder


def metadata(folder):
    """Fields of the wheel's metadata, in their order: (key, value)."""
    text = next(folder.glob("*.dist-info/METADATA")).read_text().partition("\n\n")[0]
    return re.findall(r"^([\w-]+): (.*)$", text, re.MULTILINE)


def light_set(folder):
    """Names of the distributions that the wheel needs, and those need in turn, without any extra."""
    waiting, names = [Requirement(value) for key, value in metadata(folder) if key == "Requires-Dist"], set()
    for requirement in waiting:
        name = canonicalize_name(requirement.name)
        if name not in names and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            names.add(name)
            waiting += map(Requirement, distribution(name).requires or [])
    return names


@cache
def refused(folder):
    """Top modules of everything that is installed here and not in the light set."""
    light = light_set(folder) | {"logzoo"}
    owners = packages_distributions().items()
    return sorted(module for module, names in owners if not light & set(map(canonicalize_name, names)))


def run(folder, program, cwd, *arguments):
    """Run a Python program with the unpacked wheel first on its path and only the light set to be imported."""
    lines = f"{ONLY.format(refused=refused(folder))}\nsys.path.insert(0, {str(folder)!r})\n{program}"
    return subprocess.run([sys.executable, "-P", "-c", lines, *arguments], cwd=cwd, capture_output=True, text=True)


def command(module, folder, cwd, *words):
    return run(folder, f"from {module} import main; sys.exit(main(sys.argv[1:]))", cwd, *words)


def test_the_light_set_is_small(installed):
    light = light_set(installed)
    assert len(light) <= 16, sorted(light)
    assert not light & {"snakemake", "matplotlib", "scikit-learn", "pymbar"}
    assert {"matplotlib", "sklearn", "snakemake", "pymbar", "yaml"} <= set(refused(installed))


def test_the_wheel_says_what_it_is(installed):
    fields = {}
    for key, value in metadata(installed):
        fields.setdefault(key, []).append(value)
    assert (fields["Name"], fields["License-Expression"]) == (["logzoo"], ["MIT"]) and len(fields["Classifier"]) > 5
    assert {value.partition(",")[0] for value in fields["Project-URL"]} >= {"Documentation", "Source"}
    assert {*fields["Provides-Extra"]} >= {"workflow", "test", "cluster"}
    assert (installed / "logzoo/py.typed").is_file()
    assert len([*(installed / "logzoo/reference_data").glob("*.json")]) > 12


def test_wheel_and_source_hold_all_modules(built, installed, tmp_path):
    expected = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    assert {str(path.relative_to(installed)) for path in installed.rglob("*.py")} == expected
    shutil.unpack_archive(built[1], tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    (tmp_path / "again").mkdir()
    with zipfile.ZipFile(build(folder, "wheel", tmp_path / "again")) as again, zipfile.ZipFile(built[0]) as wheel:
        first, second = ({name: file.read(name) for name in file.namelist()} for file in (wheel, again))
    assert first == second


def test_the_example_of_the_readme_needs_no_more(installed, tmp_path):
    (_, example), (_, output) = blocks(ROOT / "README.md")
    assert "estimate_log_z(rbm" in example
    result = run(installed, f"{example}\nimport logzoo; print(logzoo.__file__)", tmp_path)
    assert result.returncode == 0, result.stderr
    *printed, file = result.stdout.splitlines()
    assert file.startswith(str(installed)) and differences(["\n".join(printed)], [output]) == []


def test_the_commands_work_and_name_the_extra_where_one_is_missing(installed, tmp_path):
    done = run(installed, MODEL, tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("audit", "crate"):
        refusal = command("replication.cli", installed, tmp_path, word, str(ROOT))
        assert (refusal.returncode, refusal.stdout) == (1, ""), word
        (line,) = refusal.stderr.splitlines()
        assert line.startswith("replication: error: ") and line.endswith("pip install 'logzoo[workflow]'"), line
    words = ("estimate", "model.nc", "--method", "all", "--sweeps", "100")
    found = command("logzoo.cli.main", installed, tmp_path, *words)
    assert found.returncode == 0 and "pip install" not in found.stdout, found.stderr
    assert {"ais", "mbar", "log Z"} <= set(re.findall(r"log Z|[\w-]+", found.stdout))
