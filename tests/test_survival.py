"""After a killed process or a full disk: whole files, checkpoints that continue."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import xarray as xr
from projects import wait_for
from test_trackers import patterns

from logzoo.estimators.estimator_registry import estimate_together
from logzoo.io import atomic, checkpoints
from logzoo.io.checkpoints import Checkpoint
from logzoo.io.netcdf import read_artifact, write_artifact
from logzoo.io.schema import labelled
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream
from logzoo.training.trainers import train_rbm
from replication.jobs import checkpoint_of, discard_beside, path_beside
from replication.matrix import estimate_matrix

PROVENANCE = {"parameters": {}, "source": "0" * 64, "inputs": {}, "seed_path": ""}


def write_truth(path, log_z):
    names = {"log_z": "log partition function", "std_error": "standard error", "more": "ballast"}
    values = {"log_z": ((), log_z), "std_error": ((), 0.0), "more": (("i",), np.full(20_000, log_z))}
    truth = xr.Dataset({name: labelled(*values[name], text, "nat") for name, text in names.items()})
    write_artifact(truth, path, kind="truth", **PROVENANCE)


def killed(work, seconds, begun=lambda: True):
    """Do work in a separate process and kill it `seconds` after it has begun; returns whether it was still working."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    wait_for(begun)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_writers_killed_at_any_moment_leave_whole_files(tmp_path):
    path, draws = tmp_path / "a.nc", np.random.default_rng(0)
    write_truth(path, 0.0)

    def work():
        for number in range(10_000):
            write_truth(path, float(number % 3))

    left = 0
    for seconds in draws.uniform(0.01, 0.1, 15):
        assert killed(work, seconds)
        left = max(left, len(os.listdir(tmp_path)) - 1)
        assert float(read_artifact(path)["log_z"]) in (0.0, 1.0, 2.0)
    # The next writer removes the temporary file of a killed one.
    assert left == 1
    write_truth(path, 1.0)
    assert os.listdir(tmp_path) == ["a.nc"]


def test_the_file_of_a_writer_at_work_is_left_alone(tmp_path):
    with atomic.beside(tmp_path / "a.txt") as mine:
        mine.write_text("half")
        atomic.write_text(tmp_path / "a.txt", "whole")
        assert mine.read_text() == "half"
        (tmp_path / ".b.txt.4194303999-00.tmp").touch()
        atomic.clear_leftovers(tmp_path / "b.txt")
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "small", folder], capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_full_disk_is_one_line_that_names_the_file(small_disk):
    write_truth(small_disk / "old.nc", 1.0)
    before = (small_disk / "old.nc").read_bytes()
    space = os.statvfs(small_disk)
    with (small_disk / "ballast").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, space.f_bavail * space.f_frsize)
    for name, write, content in (
        *(("old.nc", write_truth, 2.0), ("new.nc", write_truth, 2.0)),
        *(("new.txt", atomic.write_text, "x" * 10_000), ("new.png", atomic.write_bytes, bytes(10_000))),
    ):
        with pytest.raises(OSError, match="No space left on device") as caught:
            write(small_disk / name, content)
        assert caught.value.filename == str(small_disk / name)
    script = "from logzoo.io.atomic import write_text\nfrom replication.jobs import job\n"
    script += "with job('logs/job.log'): write_text('new.txt', 'x' * 10_000)"
    done = subprocess.run([sys.executable, "-c", script], cwd=small_disk, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "ERROR new.txt: No space left on device\n")
    assert (small_disk / "old.nc").read_bytes() == before
    assert {path.name for path in small_disk.iterdir()} <= {"old.nc", "ballast", "logs"}


def test_an_error_that_no_job_expects_is_in_its_log(tmp_path):
    script = "from replication.jobs import job\nwith job('job.log'): [][7]"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("Traceback") == 1
    assert (tmp_path / "job.log").read_text() == done.stderr


def test_a_training_killed_five_times_ends_in_the_same_file(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "_SECONDS", 0.02)
    settings = {"method": "sml-apt", "hidden": 6, "batch": 20, "updates": 1500}
    settings |= {"rungs": 4, "particles": 10, "tracker": "kalman"}

    def train(name):
        rbm = train_rbm(patterns(), checkpoint=path_beside(tmp_path / name), **settings).rbm
        write_artifact(rbm.to_dataset(), tmp_path / name, kind="model", **PROVENANCE)

    def step():
        return int(np.load(path)["step"]) if path.exists() else 0

    train("whole.nc")
    path, reached = path_beside(tmp_path / "killed.nc"), [0]
    for seconds in np.random.default_rng(1).uniform(0.0, 0.05, 5):
        assert killed(lambda: train("killed.nc"), seconds, begun=lambda: step() > reached[-1])
        reached.append(step())
    assert reached == sorted(reached) and reached[-1] < 1500
    train("killed.nc")
    assert (tmp_path / "killed.nc").read_bytes() == (tmp_path / "whole.nc").read_bytes()
    for name in ("killed.nc", "whole.nc"):
        discard_beside(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["killed.nc", "whole.nc"]


def test_estimates_go_on_after_the_last_that_was_finished(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "_SECONDS", 0.0)
    draws = np.random.default_rng(2)
    rbm = RBM(draws.normal(0.0, 0.3, (8, 5)), draws.normal(0.0, 0.3, 8), draws.normal(0.0, 0.3, 5))
    made, budgets = [], {"rts": [60, 90], "sd": [90, 60], "tap": [60, 90]}
    asked = {name: {"method": name, "options": {}, "budgets": budgets[name], "replicates": 2} for name in budgets}
    asked["short"] = {"method": "ais", "options": {"base": "uniform"}, "budgets": [60], "replicates": 1}

    def estimate(allowed, checkpoint):
        def counted(*arguments):
            if len(made) == allowed:
                raise KeyboardInterrupt
            made.append(arguments[-1])
            return estimate_together(*arguments)

        monkeypatch.setattr("replication.matrix.estimate_together", counted)
        stream = root_stream(0).child("matrix")
        return estimate_matrix(rbm, asked, chains=6, stream=stream, checkpoint=checkpoint)

    def identical(some, others):
        return some.keys() == others.keys() and all(some[name].identical(others[name]) for name in some)

    whole = estimate(None, None)
    assert whole["rts"].log_z.shape == (2, 2) and whole["short"].log_z.shape == (1, 1)
    assert np.ptp(whole["rts"].log_z.values, axis=0).all() and not np.ptp(whole["tap"].log_z.values, axis=0).any()
    made.clear()
    for allowed in (1, 1, 3):
        with pytest.raises(KeyboardInterrupt):
            estimate(allowed, Checkpoint(tmp_path / "c.npz", "mine"))
    again = estimate(None, Checkpoint(tmp_path / "c.npz", "mine"))
    assert identical(again, whole) and len(made) == len(set(made)) == 4
    # The checkpoint has all the work; a checkpoint of other work is not used.
    assert identical(estimate(4, Checkpoint(tmp_path / "c.npz", "mine")), whole)
    with pytest.raises(KeyboardInterrupt):
        estimate(4, Checkpoint(tmp_path / "c.npz", "other"))


def test_checkpoints_of_jobs_are_good_for_the_same_inputs_params_and_code(tmp_path):
    inputs = [tmp_path / name for name in ("a.nc", "b.nc")]
    for number, path in enumerate(inputs):
        write_truth(path, float(number))
    settings = {"settings": {"rts": {"seed": 0}}, "sources": {"rts": "1"}, "stream": "estimate"}
    changes = [{}, {"settings": {"rts": {"seed": 1}}}, {"sources": {"rts": "2"}}]
    tasks = [(inputs[1], settings), *((inputs[0], settings | change) for change in changes)]
    tasks = [SimpleNamespace(input=[str(path)], output=[tmp_path / "o.nc"], params=params) for path, params in tasks]
    identities = [checkpoint_of(task).identity for task in tasks]
    assert len({*identities, checkpoint_of(tasks[0], name="0.1").identity}) == 5
    assert checkpoint_of(tasks[0]).identity == identities[0]
    assert checkpoint_of(tasks[0], name="0.1").path == tmp_path / "o.nc.0.1.checkpoint.npz"


def test_a_checkpoint_that_has_no_room_is_a_warning(tmp_path, monkeypatch, caplog):
    whole = train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=30).rbm
    monkeypatch.setattr(checkpoints, "_SECONDS", 0.0)
    monkeypatch.setattr("logzoo.io.atomic.os.fsync", Mock(side_effect=OSError(28, "No space left on device")))
    run = train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=30, checkpoint=tmp_path / "c.npz")
    np.testing.assert_array_equal(run.rbm.weights, whole.weights)
    (record,) = caplog.records
    assert record.message.startswith(f"{tmp_path / 'c.npz'}: No space left on device; the work continues")
    assert os.listdir(tmp_path) == []


def test_checkpoints_are_discarded_with_what_their_writers_left(tmp_path):
    gone = ["m.nc.checkpoint.npz", "m.nc.0.05.3.checkpoint.npz", ".m.nc.1.checkpoint.npz.4194303999-0a.tmp"]
    kept = ["m.nc", "m.trace.nc.checkpoint.npz", ".m.nc.4194303999-0a.tmp"]
    for name in (*gone, *kept):
        Checkpoint(tmp_path / name, "mine").save(0, {})
    discard_beside(tmp_path / "m.nc")
    assert sorted(os.listdir(tmp_path)) == sorted(kept)
