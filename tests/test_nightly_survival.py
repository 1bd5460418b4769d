"""The drill of kills and full disks on a part of the workflow; with a planted fault it must fail."""

import subprocess
import sys
from pathlib import Path

import pytest
from projects import CONFIGURATION, snakemake

DRILL = Path(__file__).parent / "drills" / "survival.py"
TARGETS = ["figures/tiny/rts/rts-f2.png", "data/tiny/estimates/mnist-cd25-500/ais.nc", "data/tiny/models/mnist-10.nc"]

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return tmp_path_factory.mktemp("undisturbed")


def drill(reference, *arguments):
    command = [sys.executable, str(DRILL), "--reference", str(reference), "--targets", *TARGETS, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_nothing_is_lost(reference):
    done = drill(reference, "--moments", "30")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "30 disturbances" in done.stdout and "nothing was lost" in done.stdout


def test_files_that_are_not_moved_in_one_step_are_lost(reference):
    done = drill(reference, "--moments", "4", "--kind", "group", "--moment", "write", "--plant")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "LOST" in done.stdout and "Traceback" not in done.stderr


def test_what_a_run_did_not_list_before_it_was_killed_is_listed_when_nothing_else_is_left(reference):
    drill(reference, "--moments", "0")
    manifest, lock = reference / "data/tiny/manifest.json", reference / ".snakemake/locks/0.output.lock"
    content = manifest.read_bytes()
    manifest.unlink()
    lock.parent.mkdir(exist_ok=True)
    lock.write_text(f"{TARGETS[2]}\n")
    arguments = ("--cores", "1", *CONFIGURATION, "--", *TARGETS)
    planned = snakemake(reference, "--dry-run", *arguments)
    assert "Nothing to be done" in planned.stdout + planned.stderr and not manifest.exists()
    lock.parent.mkdir(exist_ok=True)
    lock.write_text(f"{TARGETS[2]}\n")
    done = snakemake(reference, *arguments)
    assert done.returncode == 0 and "Nothing to be done" in done.stdout + done.stderr
    assert "a run was killed here; its lock is removed" in done.stderr and not lock.exists()
    assert manifest.read_bytes() == content
