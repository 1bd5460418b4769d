"""The Slurm profile says what this workflow and this Snakemake know; the drill sees what differs."""

import re
import sys

import pytest
import yaml
from projects import ROOT, catalogue_of
from slurm_node import job_record, memory_of
from snakemake.cli import get_argument_parser

sys.path.insert(0, str(ROOT / "tests/drills"))
from slurm import differing  # noqa: E402

PROFILE = ROOT / "workflow/profiles/slurm/config.yaml"
# One line of jobcomp/filetxt as Slurm 22.05 writes it, cut to the fields read.
LINE = "JobId=7 UserId=root(0) Name=0a-b JobState=FAILED ProcCnt=1 Tres=cpu=1,mem=100M,node=1,billing=1 ExitCode=1:0 "


def test_timed_jobs_have_a_node_of_their_own():
    timed = [experiment for experiment in catalogue_of().experiments.values() if experiment.timed]
    assert len(timed) >= 3 and all("/timings/" in experiment.path for experiment in timed)
    rule = (ROOT / "workflow/rules/experiments.smk").read_text()
    assert re.search(r"slurm_extra=lambda wildcards: .*--exclusive.*experiment_at\(wildcards\)\.timed", rule)
    assert yaml.safe_load(PROFILE.read_text())["cores"] == 1


def test_every_key_of_the_profile_is_an_option_of_snakemake():
    options = set(get_argument_parser()._option_string_actions)
    ours = [key for key in yaml.safe_load(PROFILE.read_text()) if not key.startswith("slurm-")]
    assert [key for key in ours if f"--{key}" not in options] == []


def test_a_failed_job_gets_more_memory():
    profile = yaml.safe_load(PROFILE.read_text())
    asked = [eval(profile["default-resources"]["mem_mb"], {"attempt": attempt}) for attempt in (1, 2, 3)]
    assert profile["retries"] == 2 and asked == sorted(set(asked))


def test_records_of_slurm_are_read():
    job = job_record(LINE)
    assert (job["JobId"], job["Name"], job["JobState"]) == ("7", "0a-b", "FAILED")
    assert memory_of(job) == 100
    assert memory_of({"Tres": "cpu=1,mem=3.50G,node=1"}) == 3584


@pytest.mark.parametrize(
    ("second", "names"),
    [({"a": 1, "b": 2}, []), ({"a": 1, "b": 3}, ["b"]), ({"a": 1}, ["b"]), ({"a": 1, "b": 2, "c": 0}, ["c"])],
)
def test_the_drill_sees_what_differs(second, names):
    assert differing({"a": 1, "b": 2}, second) == names
