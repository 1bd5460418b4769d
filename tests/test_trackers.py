"""The Kalman filter against conditioning of normal variables, its observations, and tracked log Z against exact."""

from importlib import import_module

import numpy as np
import pytest
import twins
from parts import from_python
from projects import ROOT

from logzoo.kernels import elementary, resampling
from logzoo.kernels.filtering import predicted, updated
from logzoo.kernels.fixed_point import new_chains
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM, snapshots_of
from logzoo.streams import root_stream
from logzoo.training import loop, trackers
from logzoo.training.trackers import KalmanTracker, RtsTracker
from logzoo.training.trainers import train_rbm


def conditioned(mean, covariance, reads, noise, seen):
    """Mean and covariance of a normal vector once reads @ x + noise was seen, by the textbook formula."""
    gain = covariance @ reads.T @ np.linalg.inv(reads @ covariance @ reads.T + np.diag(noise))
    return mean + gain @ (seen - reads @ mean), covariance - gain @ reads @ covariance


@pytest.mark.parametrize("rungs", [2, 10])
def test_a_change_and_differences_are_conditioned_on(rungs):
    generator, free = np.random.default_rng(rungs), rungs - 1
    root = generator.standard_normal((rungs, rungs))
    before, covariance = generator.standard_normal(rungs), root @ root.T + 0.1 * np.eye(rungs)
    change, variance = generator.standard_normal(rungs), generator.uniform(0.1, 1.0, rungs)
    result = predicted(before, covariance, change, variance, 0.3)
    # Joint normal of (old log Z, new log Z, new bias), next to no prior on the new log Z (the paper's figure 2).
    joint, old, new = np.zeros((2 * free + 1, 2 * free + 1)), np.arange(free), free + np.arange(free)
    joint[np.ix_([*old, -1], [*old, -1])] = covariance
    joint[-1, -1] += 0.3
    joint[new, new] = 1e6
    mean = np.concatenate([before[:free], np.zeros(free), before[free:]])
    reads = np.zeros((free, 2 * free + 1))
    reads[old, old], reads[old, new], reads[-1, -1] = -1.0, 1.0, 1.0
    mean, joint = conditioned(mean, joint, reads, variance[1:], change[1:])
    np.testing.assert_allclose(result[0], mean[free:], atol=1e-4)
    np.testing.assert_allclose(result[1], joint[free:, free:], atol=1e-3)

    seen, noise = generator.standard_normal(free), generator.uniform(0.1, 1.0, free)
    after = updated(*result, 0.7, seen, noise)
    reads = np.eye(free, rungs) - np.eye(free, rungs, -1)
    seen[0] += 0.7
    for part, expected in zip(after, conditioned(*result, reads, noise, seen), strict=True):
        np.testing.assert_allclose(part, expected, atol=1e-8)


def two_models():
    """Two RBMs a small step apart, 8 visible and 4 hidden units."""
    generator = np.random.default_rng(5)
    arrays = [generator.standard_normal(shape) for shape in ((8, 4), 8, 4)]
    return [RBM(*(array + 0.05 * step * generator.standard_normal(array.shape) for array in arrays)) for step in (0, 1)]


def exact_draws(rbm, count, generator):
    return twins.all_states(rbm.visible)[generator.choice(1 << rbm.visible, count, p=twins.visible_probabilities(rbm))]


def log_f_of(rbm, v):
    return twins.log_f_marginal(rbm, np.zeros(rbm.visible), v, 1.0)


def test_the_variance_of_an_observation_is_unbiased_for_few_particles():
    change, variance = trackers.importance_sampling(np.zeros((1, 2)), np.log([[1.0, 3.0]]))
    np.testing.assert_allclose([change[0], variance[0]], [np.log(2.0), 0.25], rtol=1e-8)


@pytest.mark.parametrize("log_ratio", [0.0, 0.5])
def test_observations_agree_with_exact_changes_within_their_variances(log_ratio):
    (first, second), generator, scores = two_models(), np.random.default_rng(6), []
    truth = exact_log_z(second) - exact_log_z(first)
    for _ in range(400):
        v, w = (exact_draws(rbm, 50, generator) for rbm in (first, second))
        change, variance = trackers.importance_sampling(log_f_of(first, v)[None], log_f_of(second, v)[None])
        up, down = (log_f_of(second, x) - log_f_of(first, x) for x in (v, w))
        bridged, noise, _ = trackers.bridge_sampling(up[:, None], down[:, None], np.array([truth + log_ratio]), 50)
        scores.append([(change[0] - truth) / np.sqrt(variance[0]), (bridged[0] - truth) / np.sqrt(noise[0])])
    assert np.all(np.abs(np.mean(scores, axis=0)) < 4 / np.sqrt(len(scores)) + 0.1)
    # The standard deviation of 400 scores is known to 3.5%; those of 50 particles have tails a little wider.
    assert np.all(np.abs(np.std(scores, axis=0) - 1.0) < 0.2)


def test_the_sweeps_of_a_ladder_count_as_dependent():
    up, down = np.random.default_rng(7).standard_normal((2, 20, 3))
    ratio = np.array([0.2, -0.1, 0.4])
    differences, variance, of_sum = trackers.bridge_sampling(up, down, ratio, 20)
    # Ten sweeps that change nothing give no more information than one.
    frozen = trackers.bridge_sampling(*np.repeat([up, down], 10, axis=1), ratio, 20)
    np.testing.assert_allclose(np.hstack(frozen), np.hstack([differences, variance, of_sum]), rtol=1e-9)
    # With one sweep, the observations are the plain ones, to the bit.
    plus = from_python(elementary.softplus)
    for i in range(3):
        logs = np.array([[-plus(ratio[i] - x) for x in up[:, i]], [-plus(x - ratio[i]) for x in down[:, i]]])
        (above, below), noise = trackers.importance_sampling(np.zeros((2, 20)), logs)
        assert (differences[i], variance[i]) == (ratio[i] + above - below, noise.sum())


def patterns(examples=200, visible=12):
    """Blocks of equal pixels, a few of them flipped."""
    generator = np.random.default_rng(1)
    data = np.repeat(generator.integers(0, 2, (examples, 3)), visible // 3, axis=1)
    return (data ^ (generator.random(data.shape) < 0.05)).astype(np.uint8)


@pytest.mark.parametrize(
    ("kind", "most", "bias", "covered"), [(KalmanTracker, 0.1, 0.1, 0.9), (lambda: RtsTracker(0.5), 0.15, 0.05, 0.75)]
)
def test_the_tracked_log_z_follows_the_exact_one(monkeypatch, kind, most, bias, covered):
    models, stated, tracker = [], [], kind()
    follow, parameters_from = tracker.particles_moved, loop.fixed_point_parameters

    def following(*arguments):
        follow(*arguments)
        stated.append([tracker.reading["log_z"], tracker.reading["log_z_std_dev"]])

    def kept(*values, into):
        models.append(RBM(*(array.copy() for array in values[:3])) if len(models) % 100 == 0 else None)
        return parameters_from(*values, into=into)

    monkeypatch.setattr(tracker, "particles_moved", following)
    monkeypatch.setattr(loop, "fixed_point_parameters", kept)
    settings = {"hidden": 6, "updates": 3000, "batch": 20, "learning_rate": 0.03, "particles": 50, "rungs": 5, "k": 1}
    train_rbm(patterns(), "sml-pt", tracker=tracker, **settings)
    exact = np.array([exact_log_z(rbm) for rbm in models[500::100]])
    mean, std_dev = np.array(stated)[500::100].T
    assert np.ptp(exact) > 1.0 and std_dev.max() < 0.2
    assert np.abs(mean - exact).mean() < most and abs((mean - exact).mean()) < bias
    assert np.mean(np.abs(mean - exact) < 3 * std_dev) >= covered


def test_rts_takes_the_whole_step_of_eq_12_and_a_part_of_it():
    prior, occupancy = np.array([0.2, 0.3, 0.5]), np.array([[0.5, 0.2, 0.3], [0.3, 0.4, 0.3]])
    whole, part = RtsTracker(1.0), RtsTracker(0.2)
    for tracker, share in ((whole, 1.0), (part, 0.2)):
        tracker.log_z_hat = np.zeros(3)
        tracker.follow(occupancy, prior, 7.0)
        assert tracker.reading["log_z"] == pytest.approx(7.0 + share * (np.log(0.3 / 0.4) + np.log(0.2 / 0.5)))
    # Delta method: the spread of c_K / mean c_K - c_1 / mean c_1 over two chains.
    spread = 0.5 / 0.4 - 0.3 / 0.4
    assert whole.reading["log_z_std_dev"] == pytest.approx(abs(spread) / 2)
    assert whole.reading["occupancy_error"] == pytest.approx(3 * 0.2)
    with pytest.raises(ValueError, match="alpha"):
        RtsTracker(1.5)


def rms_score(rbm, column, **settings):
    """Root mean square error of log Z in a column, in stated deviations, of trainings that hardly change the RBM."""
    settings |= {"hidden": 8, "batch": 5, "learning_rate": 1e-9, "start": rbm, "particles": 20, "rungs": 5}
    scores = []
    for seed in range(8):
        late = train_rbm(np.eye(5, 16), "sml-pt", seed=seed, **settings).trace.isel(update=slice(8, None))
        scores.append((late[column] - exact_log_z(rbm)) / late[f"{column}_std_dev"])
    return np.sqrt(np.mean(np.square(scores)))


GENERATOR = np.random.default_rng(5)
RANDOM = RBM(*(0.6 * GENERATOR.standard_normal(shape) for shape in ((16, 8), 16, 8)))
TWO_MODES = RBM(np.full((16, 8), 0.42), np.full(16, -1.65), np.full(8, -3.36))


def test_the_error_of_rts_is_that_of_ladders_whose_chains_do_not_follow_log_z_hat():
    # Of the 96 scores nearly all are independent, so their root mean square is known to 7%. It is 1.9 if the errors
    # are those of chains that follow log Zhat.
    assert 0.75 < rms_score(RANDOM, "log_z", tracker="rts", updates=1500, every=75) < 1.3


# Root mean square scores over 24 seeds are 1.0 and 1.1. If bridges counted as independent, the first would be 1.3; if
# the ten sweeps of an update did, the second would be 2.3.
@pytest.mark.parametrize(("rbm", "k", "most"), [(RANDOM, 1, 1.15), (TWO_MODES, 10, 1.5)])
def test_the_stated_error_of_a_bridge_is_that_of_dependent_sweeps_and_rungs(rbm, k, most):
    assert 0.8 < rms_score(rbm, "bridged_log_z", tracker="kalman", updates=400, every=20, k=k) < most


def test_the_trace_holds_what_the_tracker_says_and_names_it():
    settings = {"hidden": 4, "updates": 40, "batch": 20}
    run = train_rbm(patterns(), "sml-pt", learning_rate=0.01, tracker="kalman", **settings)
    assert {"log_z", "log_z_std_dev"} <= {*run.trace.data_vars} and run.trace["log_z"].attrs["units"] == "nat"
    every = train_rbm(patterns(), "sml-pt", tracker="kalman", every=1, **settings).trace
    summed = every["summed_log_z"].values
    np.testing.assert_allclose(np.diff(summed), every["observed_change"].values[1:])
    assert abs(summed[0] - every["log_z"].values[0]) < 0.05
    np.testing.assert_allclose(run.trace["log_z"][-1], exact_log_z(run.rbm), atol=0.02)
    plain = train_rbm(patterns(), "sml-pt", learning_rate=0.01, **settings)
    np.testing.assert_array_equal(plain.rbm.weights, run.rbm.weights)
    assert "log_z" not in plain.trace


def followed(method="pcd", seed=0, **settings):
    """A training on four noisy patterns with walkers, and its trace and exact log Z at its snapshots (update,)."""
    generator = np.random.default_rng(0)
    patterns = generator.integers(0, 2, (4, 20))
    data = (patterns[generator.integers(0, 4, 1000)] ^ (generator.random((1000, 20)) < 0.1)).astype(np.uint8)
    settings = {"updates": 400, "walkers": 100, "learning_rate": 0.02, **settings}
    run = train_rbm(data, method, hidden=6, batch=50, snapshots=20, seed=seed, **settings)
    truth = np.array([exact_log_z(rbm) for rbm in snapshots_of(run.snapshots)])
    return run, run.trace.sel(update=run.snapshots["update"]), truth


@pytest.mark.parametrize(("method", "settings"), [("cd", {}), ("sml-pt", {"rungs": 3, "particles": 20})])
def test_walkers_follow_log_z_of_any_training(method, settings):
    scores = []
    for seed in range(3):
        _, trace, truth = followed(method, seed, **settings)
        scores.append((trace["log_z"].values - truth) / trace["log_z_std_dev"].values)
    # Scores of one training are correlated: about six of them are independent.
    assert 0.5 < np.sqrt(np.mean(np.square(scores))) < 2.0 and np.abs(scores).max() < 7.0


def test_walkers_start_from_the_visible_bias():
    data = (np.random.default_rng(0).random((200, 784)) < 0.02).astype(np.uint8)
    settings = {"hidden": 6, "updates": 3, "walkers": 100, "every": 1, "snapshots": 3, "learning_rate": 0.01}
    for seed in range(3):
        run = train_rbm(data, batch=50, seed=seed, **settings)
        truth = [exact_log_z(rbm) for rbm in snapshots_of(run.snapshots)]
        # From uniform units, the errors would be 0.8 to 3.1 nats.
        np.testing.assert_allclose(run.trace["log_z"], truth, atol=0.01)


def test_grey_examples_are_traced_as_grey():
    grey = (0.9 * np.random.default_rng(0).random((60, 6))).astype(np.float32)
    settings = {"hidden": 3, "updates": 5, "batch": 10, "walkers": 8, "every": 1, "snapshots": 5}
    held_out = np.eye(6, dtype=np.uint8)
    run = train_rbm(grey, "cd", values="grey", validation=held_out, **settings)
    for split, examples in (("train", grey), ("validation", held_out)):
        expected = [rbm.log_f(examples).mean() for rbm in snapshots_of(run.snapshots)] - run.trace["log_z"].values
        np.testing.assert_allclose(run.trace[f"log_likelihood_{split}"].values, expected, atol=1e-4)


def test_log_z_of_walkers_and_the_parameters_are_those_of_one_update():
    run, trace, truth = followed(learning_rate=0.5, updates=60, walkers=2000, every=1)
    error = trace["log_z"].values - truth
    assert np.abs(np.diff(truth)).max() > 0.5
    assert np.sqrt(np.mean(error**2)) < 0.25 * np.sqrt(np.mean((trace["log_z"].values[1:] - truth[:-1]) ** 2))
    # 100 sweeps of each walker at first, then one an update; fifty chains make the gradient.
    sweeps = run.trace["chain_sweeps"].values
    np.testing.assert_array_equal(sweeps, 2000 * (100 + np.arange(60)) + 50 * np.arange(1, 61))


def test_benchmarks_time_trainings_and_ladders(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    swapping, training = map(import_module, ("infinite_swapping", "training"))
    rbm, _ = two_models()
    for kind in (training.Untracked, training.KalmanTracker):
        assert np.all(training.updates_of(rbm, np.eye(40, 8, dtype=np.uint8), kind)() > 0.0)
    swapping.moving(swapping.even_odd(swapping.ladders_of(rbm, 2)))()


def test_resampling_keeps_walkers_of_large_weight():
    chains = new_chains(12, 4, 3)
    chains.v[...] = np.arange(12)[:, None] % 2
    log_weight, family, island = np.where(np.arange(12) == 3, 5.0, 0.0), np.arange(12), np.repeat([0, 1], 6)
    total = np.logaddexp.reduce(log_weight[:6])
    resample = from_python(resampling.resample_islands)
    resample(root_stream(0).key, 7, 0.3, chains, log_weight, family, island, np.empty((2, 12), np.int64))
    assert np.sum(family[:6] == 3) >= 5 and np.logaddexp.reduce(log_weight[:6]) == pytest.approx(total)
    # The other island's weights are equal.
    np.testing.assert_array_equal(family[6:], np.arange(6, 12))
    np.testing.assert_array_equal(log_weight[6:], 0.0)
