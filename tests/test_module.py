"""The workflow as a module of another workflow, and in an environment with nothing but its dependencies."""

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
import yaml
from projects import ROOT, closed_environment
from snakemake.utils import update_config

from logzoo.io.netcdf import read_provenance
from replication.configuration import laid_over
from replication.project import settings_files

IMPORTING = """
configfile: "tiny.yaml"

module logzoo:
    snakefile: "{root}/Snakefile"
    config: config

use rule * from logzoo as logzoo_*

# What tells of a whole project is left out.
names = {{rule.name for rule in workflow.rules}}
assert "logzoo_all" in names and not names & {{"logzoo_audit", "logzoo_cost", "logzoo_crate"}}

rule mine:
    default_target: True
    input: "data/tiny/models/small-twins.nc"
    output: "mine.txt"
    shell: "ls {{input}} > {{output}}"
"""
# Python runs this when it starts. The package is not installed, not as a link to the sources either, and scripts lose
# PYTHONPATH, as in a conda environment.
HIDING = """
import sys
SOURCES = {sources!r}
sys.path[:] = [path for path in sys.path if path != SOURCES]
class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name == "logzoo" and SOURCES not in sys.path:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hiding())
"""
RULES = re.compile(r"^(\w[\w-]*) +(\d+)$", re.MULTILINE)


@pytest.fixture
def importing(tmp_path):
    """A folder with a Snakefile that imports ours, and the environment of its processes."""
    (tmp_path / "Snakefile").write_text(IMPORTING.format(root=ROOT))
    shutil.copy(ROOT / "tests/tiny.yaml", tmp_path)
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding/sitecustomize.py").write_text(HIDING.format(sources=f"{ROOT}/src"))
    return tmp_path, {**closed_environment(ROOT), "PYTHONPATH": str(tmp_path / "hiding")}


def python(folder, environment, *arguments):
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def planned(result):
    """{rule: jobs} of a dry run."""
    assert result.returncode == 0, result.stderr
    return {name.removeprefix("logzoo_"): count for name, count in RULES.findall(result.stdout + result.stderr)}


def test_a_module_plans_what_the_workflow_plans(tmp_path):
    # The example of docs/elsewhere.md.
    (example,) = re.findall(r"\n    configfile: .*?\n\n(?=\S)", (ROOT / "docs/elsewhere.md").read_text(), re.DOTALL)
    (tmp_path / "Snakefile").write_text(textwrap.dedent(example))
    (tmp_path / "config.yaml").write_text("scale: mine\n")
    (tmp_path / "logzoo").symlink_to(ROOT)
    dry = ("-m", "snakemake", "-n", "--cores", "1")
    found = planned(python(tmp_path, closed_environment(ROOT), *dry, "logzoo_rts", "mine"))
    assert found.pop("mine") == "1" and int(found["total"]) > 50
    # The same from outside of the checkout.
    options = ("--config", "scale=mine", "--snakefile", str(ROOT / "workflow/Snakefile"))
    targets = ("rts", "data/mine/estimates/mnist-10/rts.nc")
    expected = planned(python(tmp_path, closed_environment(ROOT), *dry, *options, "--", *targets))
    assert found == {**expected, "total": str(int(expected["total"]) + 1)}


def test_an_environment_without_the_libraries_ends_in_one_line(importing):
    folder, environment = importing
    hiding = folder / "hiding/sitecustomize.py"
    hiding.write_text(hiding.read_text().replace('name == "logzoo" and SOURCES not in sys.path', 'name == "xarray"'))
    ended = python(folder, environment, "-m", "snakemake", "-n", "--cores", "1")
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1
    assert re.match("logzoo: error: .*xarray.*requirements.txt", ended.stderr)


def test_jobs_find_the_package_of_the_checkout(importing):
    folder, environment = importing
    hidden = python(folder, environment, "-c", "import logzoo")
    assert hidden.returncode == 1 and "No module named 'logzoo'" in hidden.stderr
    made = python(folder, environment, "-m", "snakemake", "--cores", "1")
    assert made.returncode == 0, made.stderr
    assert (folder / "mine.txt").read_text() == "data/tiny/models/small-twins.nc\n"
    attributes = read_provenance(folder / "data/tiny/models/small-twins.nc")
    assert "not installed" not in attributes["software_json"]
    assert str(folder) not in str(attributes) and str(ROOT) not in str(attributes)
    # The project belongs to another workflow, so no manifest is written.
    assert not list(folder.glob("data/tiny/manifest*"))
    assert os.listdir(folder / "data/tiny") and "All files are listed" not in made.stdout


def test_a_configuration_is_laid_over_as_snakemake_does():
    files = [*settings_files(ROOT), ROOT / "tests/tiny.yaml"]
    merged, change = {}, {"scale": "other", "matrix": {"chains": 7}}
    for part in (*(yaml.safe_load(file.read_text()) for file in files), change):
        update_config(merged, part)
    assert laid_over(files, change) == merged
