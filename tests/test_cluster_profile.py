"""The Slurm profile fits this workflow and this Snakemake."""

import re

import yaml
from projects import ROOT, catalogue_of
from snakemake.cli import get_argument_parser

SLURM = yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())


def test_timed_jobs_have_a_node_of_their_own():
    timed = [experiment for experiment in catalogue_of().experiments.values() if experiment.timed]
    assert len(timed) >= 3 and all("/timings/" in experiment.path for experiment in timed)
    rule = (ROOT / "workflow/rules/experiments.smk").read_text()
    assert re.search(r"slurm_extra=lambda wildcards: .*--exclusive.*experiment_at\(wildcards\)\.timed", rule)
    assert SLURM["cores"] == 1


def test_the_keys_of_the_profile_are_options_of_snakemake_and_a_failed_job_gets_more_memory():
    options = set(get_argument_parser()._option_string_actions)
    assert [key for key in SLURM if f"--{key}" not in options and not key.startswith("slurm-")] == []
    megabytes = [eval(SLURM["default-resources"]["mem_mb"], {"attempt": attempt}) for attempt in (1, 2, 3)]
    assert SLURM["retries"] == 2 and megabytes == sorted(set(megabytes))


def test_both_profiles_rerun_by_contents():
    default = yaml.safe_load((ROOT / "profiles/default/profile.yaml").read_text())
    for key in ("rerun-triggers", "max-checksum-file-size"):
        assert default[key] == SLURM[key]
    assert "code" not in default["rerun-triggers"]
