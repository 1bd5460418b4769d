"""LogZTracker in plain training loops: exact log Z in its intervals, refusals, the same bits after an interruption."""

import pickle

import numpy as np
import pytest
from tensors import Tensor

from logzoo import RBM, LogZTracker, exact_log_z, mean_log_likelihood

# Weights and biases so small that the RBM counts as untrained and no evidence is gathered.
SMALL = np.full((4, 2), 0.5), np.zeros(4), np.zeros(2)


def contrastive_divergence(updates, rate, seed, visible=30, hidden=8, batch=50):
    """Parameters after each update of a plain NumPy CD-1 on noisy patterns: (weights, visible bias, hidden bias)."""
    generator = np.random.default_rng(seed)
    patterns = generator.integers(0, 2, (4, visible))
    data = patterns[generator.integers(0, 4, 1000)] ^ (generator.random((1000, visible)) < 0.1)
    weights = 0.01 * generator.standard_normal((visible, hidden))
    visible_bias, hidden_bias = np.zeros(visible), np.zeros(hidden)

    def drawn(inputs):
        p = 1.0 / (1.0 + np.exp(-np.clip(inputs, -700, 700)))
        return p, generator.random(p.shape) < p

    for _ in range(updates):
        v = data[generator.integers(0, 1000, batch)].astype(float)
        p, h = drawn(v @ weights + hidden_bias)
        _, w = drawn(h @ weights.T + visible_bias)
        q, _ = drawn(w @ weights + hidden_bias)
        weights = weights + rate * (v.T @ p - w.T @ q) / batch
        visible_bias = visible_bias + rate * (v - w).mean(axis=0)
        hidden_bias = hidden_bias + rate * (p - q).mean(axis=0)
        yield weights, visible_bias, hidden_bias


def followed(seed, updates=1200, rate=0.05, **settings):
    """The tracker after a training, and its errors, standard errors and refusals (check point, 3) along it."""
    steps = contrastive_divergence(updates, rate, seed)
    tracker, rows = LogZTracker(next(steps), seed=seed, every=100, **settings), []
    for call, parameters in enumerate(steps, 1):
        tracker.update(*parameters)
        if call % 100 == 0:
            rows.append((tracker.log_z - exact_log_z(RBM(*parameters)), tracker.std_error, bool(tracker.reasons)))
    return tracker, np.array(rows)


def test_intervals_hold_the_exact_log_z_of_a_plain_loop():
    runs = [followed(seed) for seed in range(4)]
    error, std_error, refused = np.concatenate([rows for _, rows in runs]).T
    trusted = refused == 0.0
    assert trusted.mean() > 0.5 and np.mean(np.abs(error) < 1.96 * std_error, where=trusted) >= 0.9
    assert np.sqrt(np.mean(error**2, where=trusted)) < 0.2
    # Each of 600 walkers makes 100 sweeps at first, then up to five each for new cohorts and for following per update.
    assert max(tracker.sweeps for tracker, _ in runs) <= 600 * (100 + 2 * 5 * 12 + 10)


def test_a_training_that_blows_up_is_refused():
    _, rows = followed(0, updates=600, walkers=200, rate=50.0)
    refused = rows[:, 2] == 1.0
    # After a restart log Z may be right.
    assert refused.mean() > 0.8 and np.abs(rows[~refused, 0]).max(initial=0.0) < 0.1


def test_parameters_that_are_no_model_are_refused_until_they_are_one():
    weights, bias, hidden = SMALL
    tracker = LogZTracker(SMALL, every=1, walkers=200)
    for broken in (np.nan, 1e12 / 3.0):
        tracker.update(broken * weights, bias, hidden)
        assert tracker.reasons == ("parameters",)
        assert np.isnan([tracker.log_z, *tracker.interval, tracker.log_likelihood(np.eye(4, dtype=int)).value]).all()
    tracker.update(weights, bias, hidden)
    assert not tracker.reasons
    assert tracker.log_z == pytest.approx(exact_log_z(RBM(weights, bias, hidden)), abs=0.1)
    with pytest.raises(ValueError, match=r"update: expected .*\(4, 2\).*\(2, 4\)"):
        tracker.update(weights.T, bias, hidden)


@pytest.mark.parametrize("rbm", [None, np.zeros((4, 2)), (np.zeros((4, 2)), np.zeros(4)), RBM, "model.nc"])
def test_a_start_at_what_is_no_rbm_is_one_line(rbm):
    with pytest.raises(ValueError, match=r"^rbm: expected an RBM or a tuple \(weights, .*, found "):
        LogZTracker(rbm)


@pytest.mark.parametrize("few", [{"walkers": 199}, {"sweeps": 99}])
def test_too_few_walkers_or_sweeps_are_refused(few):
    (name,) = few
    with pytest.raises(ValueError, match=f"^{name}: expected"):
        LogZTracker(SMALL, **few)


def test_overflow_ends_no_training_whose_numpy_raises():
    weights, bias, hidden = SMALL
    tracker = LogZTracker(SMALL, every=1, walkers=200)
    with np.errstate(all="raise"):
        for huge in (weights * 1e300 / 3.0, weights.astype(np.longdouble) * np.longdouble("1e400")):
            tracker.update(huge, bias, hidden)
            assert tracker.reasons == ("parameters",)


def test_walkers_that_all_take_one_path_are_refused():
    weights, bias = np.diag(np.full(20, 100.0)), np.full(20, -50.0)
    assert "one-way" in LogZTracker((weights, bias, bias)).reasons


def test_a_start_at_a_trained_rbm_that_misses_a_mode_is_refused_from_then_on():
    generator = np.random.default_rng(1)
    patterns, signs = generator.choice([-1, 1], (40, 2)), generator.choice([-1, 1], (2, 20))
    rbm, _ = RBM.from_spins(patterns @ signs / np.sqrt(40), np.full(40, 0.05), np.zeros(20))
    tracker = LogZTracker(rbm, every=1)
    assert tracker.interval[1] < exact_log_z(rbm)  # the walkers agree, but not with the truth
    tracker.update(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    assert tracker.reasons == ("below-bound", "modes-hold-more")


def test_biases_may_be_rows_and_odd_arrays_are_refused():
    weights, bias, hidden = SMALL[0], np.zeros((1, 4)), np.zeros((2, 1))
    tracker = LogZTracker((weights, bias, hidden), every=1, walkers=200)
    tracker.update(weights, bias, hidden)
    for odd in (np.ma.masked_less(weights - np.eye(4, 2), 0.5), weights * 1j, weights.astype(str)):
        with pytest.raises(ValueError, match="weights: expected"):
            tracker.update(odd, bias, hidden)
    assert tracker.followed == 1


def test_renewal_goes_on_after_a_fresh_start():
    arrays = [*next(contrastive_divergence(1, 0.05, 0))]
    tracker = LogZTracker(arrays, every=1, walkers=200)
    for _ in range(3):
        tracker.update(np.nan * arrays[0], *arrays[1:])
        tracker.update(*arrays)
    starts = tracker._starts
    for _ in range(100):
        tracker.update(*arrays)
    assert tracker._starts >= starts + 10


def test_cohorts_that_disagree_refuse_log_z_until_they_are_replaced():
    parameters = next(contrastive_divergence(1, 0.05, 0))
    tracker = LogZTracker(parameters, every=1)
    tracker._cohorts[-1].walkers.log_weight += 5.0
    tracker.update(*parameters)
    assert tracker.reasons == ("tolerance-missed",)
    for _ in range(100):
        tracker.update(*parameters)
    assert not tracker.reasons


def test_the_likelihood_has_the_interval_of_log_z():
    *_, parameters = contrastive_divergence(200, 0.05, 1)
    tracker, data = LogZTracker(parameters), np.eye(30, dtype=int)
    result, half = tracker.log_likelihood(data), 1.96 * tracker.std_error
    assert result.value == mean_log_likelihood(RBM(*parameters), data, tracker.log_z).value
    assert result.interval == pytest.approx((result.value - half, result.value + half))


def test_a_pickled_tracker_goes_on_to_the_same_bits():
    steps = list(contrastive_divergence(60, 0.05, 2))
    whole = LogZTracker(steps[0], every=10, walkers=200)
    for parameters in steps[1:31]:
        whole.update(*parameters)
    copy = pickle.loads(pickle.dumps(whole))
    for parameters in steps[31:]:
        whole.update(*parameters)
        copy.update(*parameters)
    assert (copy.log_z, copy.std_error, copy.sweeps) == (whole.log_z, whole.std_error, whole.sweeps)


def test_tensors_are_taken():
    parameters = next(contrastive_divergence(1, 0.05, 0))
    tracker, other = (LogZTracker(parameters, every=1, walkers=200) for _ in range(2))
    tracker.update(*parameters)
    other.update(*map(Tensor, parameters))
    assert other.log_z == tracker.log_z


def test_scikit_learn_is_followed():
    sklearn = pytest.importorskip("sklearn.neural_network")
    data = np.random.default_rng(0).random((100, 12)) < np.linspace(0.1, 0.9, 12)
    model = sklearn.BernoulliRBM(n_components=4, batch_size=100, random_state=0)
    model.partial_fit(data)
    tracker = LogZTracker(RBM.from_sklearn(model), every=10)
    for _ in range(50):
        model.partial_fit(data)
        tracker.update(model.components_.T, model.intercept_visible_, model.intercept_hidden_)
    assert abs(tracker.log_z - exact_log_z(RBM.from_sklearn(model))) < 4 * tracker.std_error


@pytest.mark.nightly
def test_a_loop_of_torch_is_followed():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    data = (torch.rand(200, 12) < torch.linspace(0.1, 0.9, 12)).float()
    weights, visible_bias, hidden_bias = (torch.zeros(shape, requires_grad=True) for shape in ((12, 4), 12, 4))
    parameters = [weights, visible_bias, hidden_bias]
    optimizer, tracker = torch.optim.SGD(parameters, lr=0.1), LogZTracker(parameters, every=10)

    def free_energy(v):
        return -(v @ visible_bias + torch.nn.functional.softplus(v @ weights + hidden_bias).sum(dim=1)).mean()

    for _ in range(100):
        with torch.no_grad():
            h = torch.bernoulli(torch.sigmoid(data @ weights + hidden_bias))
            w = torch.bernoulli(torch.sigmoid(h @ weights.T + visible_bias))
        optimizer.zero_grad()
        (free_energy(data) - free_energy(w)).backward()
        optimizer.step()
        tracker.update(*parameters)
    rbm = RBM(*(array.detach().numpy() for array in parameters))
    assert abs(tracker.log_z - exact_log_z(rbm)) < 4 * tracker.std_error
