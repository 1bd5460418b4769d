"""The steps of docs/extending.md in a copy of the project: its estimator meets the contract, its figure is drawn."""

import re
import subprocess

import numpy as np
import pytest
from projects import ROOT, catalogue_of, copy_project, run_module, snakemake

from logzoo.models.rbm import RBM
from replication.papers.zoo.families import matrix_places

GUIDE = (ROOT / "docs" / "extending.md").read_text()
PYTHON = re.compile(r"`(src/\S+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)
DIFF = re.compile(r"```diff\n(.*?)```", re.DOTALL)
NAME = "ais-rounds"
FIGURE = "zoo-below"
FIGURE_FILE = f"figures/quick/zoo/{FIGURE}.png"
VERDICT = f"data/quick/verdicts/{FIGURE}.nc"
MODELS = matrix_places(catalogue_of().config)


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the project in which all steps of the guide were done."""
    folder = copy_project(tmp_path_factory.mktemp("extended"))
    files = PYTHON.findall(GUIDE)
    assert len(files) == 2
    for file, code in files:
        (folder / file).write_text(code)
    for patch in DIFF.findall(GUIDE):
        done = subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder


def test_the_contract_picks_it_up(extended):
    options = "-q", "-n", "0", "-p", "no:cacheprovider", "-k", NAME
    result = run_module(extended, "pytest", *options, "tests/test_estimators.py")
    assert result.returncode == 0, result.stdout
    assert int(re.search(r"(\d+) passed", result.stdout).group(1)) >= 5


@pytest.fixture(scope="module")
def plan(extended):
    """The output of a dry run for the zoo and its figure."""
    result = snakemake(extended, "-n", "--cores", "2", "data/quick/zoo.nc", FIGURE_FILE, VERDICT)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def read_by(plan, output):
    """The line of a plan that names the inputs of the job with that first output."""
    return re.search(rf"^    input: (.*)\n    output: {re.escape(output)}", plan, re.MULTILINE).group(1)


def test_the_command_line_and_the_zoo_pick_it_up(extended, plan):
    RBM(np.zeros((4, 3)), np.zeros(4), np.zeros(3)).save(extended / "flat.nc")
    estimate = "estimate", "flat.nc", "--method", NAME, "--sweeps", "100", "--chains", "4"
    result = run_module(extended, "logzoo", *estimate)
    assert result.returncode == 0, result.stderr
    models = set(re.findall(rf"data/quick/estimates/(\S+)/{NAME}\.nc", read_by(plan, "data/quick/zoo.nc")))
    assert {"mnist-cd25-500", "twins", "mnist-20-pcd", "dna-20-pcd"} <= models and len(models) == len(MODELS)


def test_the_figure_is_drawn_and_its_claim_judged(extended, plan):
    code = """
import matplotlib, numpy as np, xarray as xr
from replication.papers.zoo import zoo_below as below
errors = np.array([[[-1.0, -2.0]], [[-3.0, -1.0]]])[:, None]
zoo = xr.Dataset(
    {"log_z": (("model", "estimator", "budget", "replicate"), errors), "truth": ("model", [0.0, 0.0])},
    coords={"estimator": ["ais"], "model": ["a", "b"], "budget": [10]},
)
assert below.draw({"zoo": zoo}, estimator="ais").axes[0].get_lines()[0].get_ydata().tolist() == [-1.5, -2.0]
assert below.statistics({"zoo": zoo})["below"].value == -1.75
"""
    done = run_module(extended, "timeit", "-n", "1", "-r", "1", code)
    assert done.returncode == 0, done.stderr
    assert "data/quick/zoo.nc" in read_by(plan, VERDICT)
