"""The Slurm profile fits this workflow and this Snakemake."""

import re

import yaml
from projects import ROOT, catalogue_of
from snakemake.cli import get_argument_parser

PROFILE = ROOT / "workflow/profiles/slurm/config.yaml"


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


def test_both_profiles_rerun_by_contents():
    default = yaml.safe_load((ROOT / "profiles/default/profile.yaml").read_text())
    slurm = yaml.safe_load(PROFILE.read_text())
    for key in ("rerun-triggers", "max-checksum-file-size"):
        assert default[key] == slurm[key]
    assert "code" not in default["rerun-triggers"]


def test_a_failed_job_gets_more_memory():
    profile = yaml.safe_load(PROFILE.read_text())
    asked = [eval(profile["default-resources"]["mem_mb"], {"attempt": attempt}) for attempt in (1, 2, 3)]
    assert profile["retries"] == 2 and asked == sorted(set(asked))
