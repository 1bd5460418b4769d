"""Commands in the README and in docs/ are valid: their options, targets and files exist."""

import re
import shlex

import pytest
import yaml
from projects import ROOT, catalogue_of
from snakemake.cli import get_argument_parser, parse_args

from logzoo.cli import main
from replication import cli
from replication.layout import kind_of

PAGES = ["README.md", "config/README.md", "data/README.md", *(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))]
PROGRAM = r"(?:LOGZOO_MIRROR=\S+ )?(?:snakemake|logzoo|replication)"
IN_BLOCK = re.compile(rf"^ {{4}}(?:.*&& )?({PROGRAM} .*?)(?:\s+#.*)?$", re.MULTILINE)
IN_TEXT = re.compile(r"`((?:LOGZOO_MIRROR=\S+ )?snakemake -[^`]*)`")
# Placeholders that the reader replaces.
_LEFT_OUT = re.compile(r"\.\.\.|<\w+>")
SLURM = yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())
_PROFILE = re.compile(r"--workflow-profile (\S+)|--slurm-\S+( \S+)?")


def printed(program):
    """(page, command) of every command of a program that a page prints."""
    result = set()
    for page in PAGES:
        text = (ROOT / page).read_text().replace("\\\n", " ")
        for command in IN_BLOCK.findall(text) + IN_TEXT.findall(text):
            command = re.sub(r"^LOGZOO_MIRROR=\S+ ", "", command)
            if command.startswith(program) and not _LEFT_OUT.search(command):
                result.add((page, " ".join(command.split())))
    return sorted(result)


def rules():
    """Names of the rules of the workflow."""
    text = "".join(path.read_text() for path in (ROOT / "Snakefile", *ROOT.glob("workflow/rules/*.smk")))
    return {"all", *re.findall(r"^(?:use )?rule (\w+)", text, re.MULTILINE), *catalogue_of().config["papers"]}


def test_commands_are_found():
    assert len(printed("snakemake")) > 20 and len(printed("logzoo")) > 12 and len(printed("replication")) > 3


@pytest.mark.parametrize(("page", "command"), printed("snakemake"))
def test_a_printed_snakemake_command_asks_for_what_there_is(page, command):
    # The plugin of the profile is an extra.
    assert all((ROOT / profile / "config.yaml").is_file() for profile, _ in _PROFILE.findall(command) if profile)
    words = shlex.split(_PROFILE.sub("", command).replace("--cores N", "--cores 2"))[1:]
    try:
        _, options = parse_args(words)
    except SystemExit:
        pytest.fail(f"{page}: {command}")
    # A file of the project, or a file that the page asks its reader to write.
    written = re.findall(r"^Write `(\S+)`", (ROOT / page).read_text(), re.MULTILINE)
    assert all((ROOT / path).is_file() or str(path) in written for path in options.configfile or [])
    assert all(target in rules() or kind_of(target) for target in options.targets)
    assert set(options.until) | set(options.forcerun) <= rules()


@pytest.mark.parametrize(("page", "command"), printed("logzoo") + printed("replication"))
def test_a_printed_command_of_ours_is_understood(page, command):
    program, *words = shlex.split(command)
    {"logzoo": main, "replication": cli}[program].command_parser().parse_args(words)


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
