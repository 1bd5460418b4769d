"""The workflow through a real Slurm on this machine: tests/drills/slurm.py, minutes; only with `pytest -m nightly`."""

import subprocess
import sys

import pytest
from projects import ROOT


@pytest.mark.nightly
def test_a_slurm_cluster_makes_the_same_bits():
    done = subprocess.run([sys.executable, ROOT / "tests/drills/slurm.py"], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip().splitlines()[-1])
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
