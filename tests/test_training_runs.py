"""Interrupted trainings continue to the same bits; early stopping and snapshots return the stated parameters."""

from itertools import count

import numpy as np
import pandas as pd
import pytest
from test_trackers import patterns

from logzoo.io.checkpoints import Checkpoint, identity_of
from logzoo.models.exact_sums import exact_log_z
from logzoo.training.trace import EarlyStopping
from logzoo.training.trackers import KalmanTracker, RtsTracker
from logzoo.training.trainers import TRAINERS, train_rbm

SMALL = {"hidden": 6, "batch": 20, "updates": 50, "learning_rate": 0.02, "every": 10, "snapshots": 3}
TEMPERED = {"rungs": 4, "particles": 10}
OPTIONS = {
    "cd": {"walkers": 8},
    "sml-pt": {**TEMPERED, "tracker": "kalman"},
    "sml-apt": {**TEMPERED, "tracker": "rts", "spawn_below": 0.999, "ladder_rate": 0.05},
    "ins": {"temperatures": [1.0, 2.0, 4.0], "particles": 10},
    "pins": {"temperatures": [1.0, 2.0, 4.0], "group": 2, "density": "joint"},
    "lvs": {"warm_up": 3, "k": None},
    "rms-spectral": {**TEMPERED, "k": 2, "rank": 2},
    "rmsprop": {**TEMPERED, "k": 2, "weight_decay": 0.1},
    "cd grey": {"values": "grey", "k": 2},
    "lvs grey": {"values": "grey", "k": 2, "warm_up": 3},
}


def trained(method, **settings):
    return train_rbm(patterns(), method.split()[0], **{**SMALL, **OPTIONS.get(method, {}), **settings})


def trained_until(saves, path, monkeypatch, method, **settings):
    """Train with a checkpoint that is written at every update, and stop after `saves`."""
    counted = count(1)

    def save_if_due(self, update, parts):
        self.save(update, parts)
        if next(counted) == saves:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Checkpoint, "save_if_due", save_if_due)
        trained(method, checkpoint=path, **settings)


def assert_same(one, other):
    for name in ("weights", "visible_bias", "hidden_bias"):
        np.testing.assert_array_equal(getattr(one.rbm, name), getattr(other.rbm, name))
    assert one.trace.identical(other.trace) and one.snapshots.identical(other.snapshots)


@pytest.mark.parametrize("method", sorted(TRAINERS | OPTIONS))
def test_a_training_interrupted_anywhere_ends_in_the_same_bits(method, tmp_path, monkeypatch):
    path = tmp_path / "folder" / "checkpoint.npz"
    validation = {"validation": patterns(50), "patience": 50} if method in ("exact", "sml-pt", "rmsprop") else {}
    whole = trained(method, **validation)
    for saves in (1, 17, 18):
        trained_until(saves, path, monkeypatch, method, **validation)
    assert_same(whole, trained(method, checkpoint=path, **validation))
    # The training continued: the checkpoint is of update 36 of 50.
    assert int(np.load(path)["step"]) == 36


def test_a_checkpoint_of_another_training_is_kept_and_a_broken_one_starts_over(tmp_path, monkeypatch, caplog):
    path = tmp_path / "checkpoint.npz"
    trained_until(40, path, monkeypatch, "pcd", learning_rate=0.01)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="^checkpoint: .*found a checkpoint of other work$"):
        trained("pcd", checkpoint=path)
    assert path.read_bytes() == before
    # The repr of a long table hides most rows.
    tables = [pd.DataFrame(examples) for examples in (patterns(100), patterns(100)[::-1])]
    trained_until(40, tmp_path / "other.npz", monkeypatch, "sml-pt", validation=tables[0])
    with pytest.raises(ValueError, match="^checkpoint: .*found a checkpoint of other work$"):
        trained("sml-pt", checkpoint=tmp_path / "other.npz", validation=tables[1])
    path.write_bytes(before[:-200])
    assert_same(trained("pcd"), trained("pcd", checkpoint=path))
    assert "cannot be read" in caplog.text


def test_identities_tell_settings_apart():
    # A repr would show no more than the ends of the last two.
    values = [1, "1", np.ones(2), np.ones((1, 2)), [np.zeros(5000)], [np.where(np.arange(5000) == 2500, 1.0, 0.0)]]
    assert len({identity_of({"a": value}) for value in values}) == len(values)
    assert identity_of([np.int64(1), np.float64(0.5), np.str_("a")]) == identity_of([1, 0.5, "a"])
    assert identity_of({"a": 1, "b": np.arange(3)}) == identity_of({"b": np.arange(3), "a": 1})


def test_an_equal_tracker_continues_a_training(tmp_path, monkeypatch):
    whole, path = trained("sml-pt", tracker=RtsTracker(0.5)), tmp_path / "checkpoint.npz"
    trained_until(20, path, monkeypatch, "sml-pt", tracker=RtsTracker(0.5), k=1)
    for other in (RtsTracker(0.4), KalmanTracker()):
        with pytest.raises(ValueError, match="other work"):
            trained("sml-pt", tracker=other, k=1, checkpoint=path)
    used = RtsTracker(0.5)
    assert_same(whole, trained("sml-pt", tracker=used, k=np.int64(1), checkpoint=path))
    with pytest.raises(ValueError, match="tracker: expected a new tracker"):
        trained("sml-pt", tracker=used)


def test_the_best_parameters_come_back_and_a_training_without_progress_ends():
    # Ten examples, learned by heart: their likelihood rises while that of others falls.
    data, others = patterns(10), patterns(210)[10:]
    settings = {"hidden": 20, "batch": 10, "learning_rate": 0.2, "tracker": "kalman", "particles": 50, "every": 10}
    run = train_rbm(data, "sml-pt", updates=4000, validation=others, patience=500, **settings)
    trace, best = run.trace, run.trace.attrs["best_update"]
    likelihood = trace["log_likelihood_validation"]
    assert best == trace["update"][int(np.argmax(likelihood.values))]
    assert trace["update"][-1] == best + 500 < 3999
    assert float(trace["log_likelihood_train"][-1]) > float(trace["log_likelihood_train"].sel(update=best))
    result = run.rbm.log_likelihood(others, exact_log_z(run.rbm)).mean()
    assert (result, result) == pytest.approx((float(likelihood.max()), trace.attrs["best_log_likelihood"]), abs=0.1)


def test_snapshots_are_the_parameters_that_an_update_started_from():
    run = train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=60, learning_rate=0.1, every=10, snapshots=3)
    assert list(run.snapshots["update"]) == [0, 20, 40, 59]
    half = train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=20, learning_rate=0.1)
    for name in ("weights", "visible_bias", "hidden_bias"):
        np.testing.assert_array_equal(run.snapshots[name].sel(update=20), getattr(half.rbm, name).astype(np.float32))
    assert train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=5).snapshots is None


def test_training_goes_on_from_an_rbm():
    first = train_rbm(patterns(), "cd", hidden=4, batch=20, updates=50).rbm
    after = train_rbm(patterns(), "pcd", hidden=4, batch=20, updates=1, learning_rate=1e-6, start=first).rbm
    np.testing.assert_allclose(after.weights, first.weights, atol=1e-5)


def test_a_tracker_that_says_nothing_ends_the_training():
    stopping = EarlyStopping(10)
    with pytest.raises(ValueError, match="^patience: expected a tracker .* found nan at update 5$"):
        stopping.see(5, np.nan, None)
