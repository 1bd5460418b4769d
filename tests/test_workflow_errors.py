"""What a user gets wrong, or lacks, is one line before anything is made."""

import re

import pytest
from projects import CONFIGURATION, copy_project, snakemake

from logzoo.io.checkpoints import Checkpoint


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("chians=3", "top level: .*'chians'.*expected one of .*seed"),
        ("matrix={replicas: 3}", "matrix: .*'replicas'.*replicates"),
        ("matrix={budgets: [-5]}", r"matrix\.budgets\.0: .*-5"),
        ("matrix={estimators: [magic]}", "matrix.estimators: unknown name 'magic'; expected one of ais, .*rts"),
        ("estimators={rts: {method: magic}}", "estimators.rts.method: unknown name 'magic'"),
    ],
)
def test_a_wrong_configuration_is_one_line_before_anything_runs(tmp_path, setting, complaint):
    folder = copy_project(tmp_path)
    result = snakemake(folder, "--cores", "1", "--config", setting)
    assert result.returncode == 1
    lines = [line for line in result.stderr.splitlines() if line.startswith("logzoo: error:")]
    assert len(lines) == 1
    assert re.search(complaint, lines[0])
    assert "Traceback" not in result.stderr
    assert not (folder / "data/raw").exists()


def test_missing_data_can_stop_the_run_with_one_line(tmp_path):
    folder = copy_project(tmp_path)
    arguments = ("--cores", "1", *CONFIGURATION, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    result = snakemake(folder, *arguments)
    assert result.returncode == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
    assert len(errors) == 1
    assert "dna" in errors[0]
    assert "https://www.csie.ntu.edu.tw" in errors[0]
    assert "Traceback" not in result.stderr
    assert not list((folder / "data/raw/dna").glob("*"))


def test_a_training_of_other_settings_that_was_interrupted_is_made_anew(tmp_path):
    folder = copy_project(tmp_path)
    beside = folder / "data/tiny/models/mnist-10.nc.checkpoint.npz"
    Checkpoint(beside, "other settings").save(3, {})
    result = snakemake(folder, "--cores", "1", *CONFIGURATION, "--", "data/tiny/models/mnist-10.nc")
    assert result.returncode == 0, result.stderr
    assert (folder / "data/tiny/models/mnist-10.nc").is_file() and not beside.exists()


def test_data_are_those_of_every_scale_and_a_stand_in_is_none_where_it_may_not_be(tmp_path):
    folder = copy_project(tmp_path)
    asked = ("--cores", "1", *CONFIGURATION)
    assert snakemake(folder, *asked, "--", "data/datasets/dna.nc").returncode == 0
    (folder / "data/datasets/dna.nc").unlink()
    stop = (*asked, "--config", "missing_data=stop")
    refused = snakemake(folder, *stop, "--", "data/datasets/dna.nc")
    assert refused.returncode == 1 and "logzoo: error: data/raw/dna/manifest.json says that" in refused.stderr
    assert "Traceback" not in refused.stderr
    # Data that need no source are not made again.
    assert snakemake(folder, *asked, "--", "data/datasets/digits.nc").returncode == 0
    again = snakemake(folder, *stop, "-n", "--", "data/datasets/digits.nc")
    assert "Nothing to be done" in again.stdout + again.stderr
