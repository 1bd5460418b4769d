"""A wrong configuration gives one line before anything runs; missing data can stop the run with one line."""

import re

from projects import CONFIGURATION, copy_project, snakemake


def test_a_wrong_configuration_is_one_line_before_anything_runs(tmp_path):
    folder = copy_project(tmp_path)
    result = snakemake(folder, "--cores", "1", "--config", "chians=3")
    assert result.returncode == 1
    lines = [line for line in result.stderr.splitlines() if line.startswith("logzoo: error:")]
    assert len(lines) == 1 and "Traceback" not in result.stderr
    assert re.search("top level: .*'chians'.*expected one of .*seed", lines[0])
    assert not (folder / "data/raw").exists()


def test_missing_data_can_stop_the_run_with_one_line(tmp_path):
    folder = copy_project(tmp_path)
    arguments = ("--cores", "1", *CONFIGURATION, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    result = snakemake(folder, *arguments)
    assert result.returncode == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
    assert len(errors) == 1 and "dna" in errors[0] and "https://www.csie.ntu.edu.tw" in errors[0]
    assert "Traceback" not in result.stderr
    assert not list((folder / "data/raw/dna").glob("*"))


def test_a_stand_in_is_refused_where_missing_data_stop_the_run(tmp_path):
    folder = copy_project(tmp_path)
    arguments = ("--cores", "1", *CONFIGURATION)
    assert snakemake(folder, *arguments, "--", "data/datasets/dna.nc").returncode == 0
    (folder / "data/datasets/dna.nc").unlink()
    result = snakemake(folder, *arguments, "--config", "missing_data=stop", "--", "data/datasets/dna.nc")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "logzoo: error: data/raw/dna/manifest.json lists files that were not available" in result.stderr
