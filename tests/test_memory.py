"""What jobs ask for: peaks as they were planted, and what a finished job held and took, from its log."""

import subprocess
import sys
import time

import numpy as np
import pytest

from logzoo import memory
from logzoo.pipeline.jobs import ended, job

PEAKS = {"draw": {"base": 250.0, "read": 0.0}, "train": {"base": 200.0, "read": 3.0}}


def planted(noise=0.0):
    generator = np.random.default_rng(5)
    reads = {"draw": np.zeros(20), "train": generator.uniform(1.0, 60.0, 20)}
    return [
        (kind, read, (one["base"] + one["read"] * read) * np.exp(-noise * generator.random()))
        for kind, one in PEAKS.items()
        for read in reads[kind]
    ]


def test_peaks_are_found_again():
    found = memory.fitted(planted())
    for kind, one in PEAKS.items():
        assert found[kind] == pytest.approx(one, rel=1e-6, abs=1e-9)


def test_no_job_is_given_less_than_it_held_nor_far_more():
    measured = planted(noise=0.1)
    found = memory.fitted(measured)
    asked = np.array([memory.declared(kind, read, found) / peak for kind, read, peak in measured])
    assert (asked >= memory.MARGIN).all() and (asked <= memory.WITHIN).all()
    # What reads nothing would be given far too much by the peaks of another kind, and the other way round too little.
    swapped = {"draw": found["train"], "train": found["draw"]}
    assert any(memory.declared(kind, read, swapped) < peak for kind, read, peak in measured)


def test_jobs_that_read_about_the_same_cannot_tell_what_reading_takes():
    assert memory.fitted([("a", 50.0, 300.0), ("a", 55.0, 310.0)]) == {"a": {"base": 310.0, "read": 0.0}}


def test_a_kind_that_was_never_measured_asks_for_what_the_dearest_needs():
    assert memory.declared("magic", 10.0, PEAKS) == 280
    peaks = PEAKS | {"train pcd": {"base": 300.0, "read": 0.0}}
    assert memory.declared("train magic", 0.0, peaks) == 330
    assert memory.declared("train", 0.0, PEAKS) == 220


def test_the_log_of_a_job_tells_what_it_held_and_took(tmp_path):
    log = tmp_path / "a.log"
    held, slept = 180, 0.3
    work = f"bytearray({held} << 20)\n    time.sleep({slept})"
    code = f"import time\nfrom logzoo.pipeline.jobs import job\nwith job({str(log)!r}):\n    {work}"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    spent = time.perf_counter() - start
    said = ended(log)
    assert slept <= said.took < spent
    assert 0.01 <= said.to_start < spent
    if not sys.platform.startswith("linux"):
        assert np.isnan(said.held)
        return
    assert held < said.held < held + 150


def test_a_job_that_failed_tells_nothing(tmp_path):
    log = tmp_path / "a.log"
    assert ended(log) is None
    with pytest.raises(SystemExit), job(log):
        raise ValueError("no")
    assert ended(log) is None
