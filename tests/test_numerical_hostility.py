"""Extreme numbers and smallest sizes: a right answer, a flag, or one error line; never NaN or a warning."""

import math
import warnings

import numpy as np
import pytest
from twins import all_states, brute_log_z

from logzoo import RBM, estimate_log_z, exact_log_z, sample_gibbs, train_rbm
from logzoo.estimators import evidence
from logzoo.estimators.estimator_registry import ESTIMATORS, takes
from logzoo.streams import root_stream
from logzoo.training.trainers import TRAINERS

LARGE = 1e3
TINY = ["1 x 1", "1 x 4", "5 x 1"]


def signs(*shape):
    return np.random.default_rng(3).choice([-1.0, 1.0], shape)


MODELS = {
    "zero": RBM(np.zeros((5, 4)), np.zeros(5), np.zeros(4)),
    "1 x 1": RBM([[0.7]], [0.3], [-0.2]),
    "1 x 4": RBM(signs(1, 4), [0.3], np.zeros(4)),
    "5 x 1": RBM(signs(5, 1), np.zeros(5), [-0.4]),
    "weights of either": RBM(LARGE * signs(5, 4), np.zeros(5), np.zeros(4)),
    "all": RBM(LARGE * signs(5, 4), LARGE * signs(5), LARGE * signs(4)),
    "1 x 1 that cancels": RBM([[LARGE]], [-LARGE], [-LARGE]),
}


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings(action="error"):
        yield


@pytest.mark.parametrize("name", MODELS)
def test_enumeration_probabilities_and_samples(name):
    rbm = MODELS[name]
    for layers in (rbm, rbm.transposed):
        assert exact_log_z(layers) == pytest.approx(brute_log_z(rbm), rel=1e-13, abs=1e-12)
    log_p = rbm.log_likelihood(all_states(rbm.visible), exact_log_z(rbm))
    assert np.isfinite(log_p).all() and np.exp(log_p).sum() == pytest.approx(1.0, rel=1e-9)
    for chains, sweeps in ((1, 1), (64, 200)):
        v = sample_gibbs(rbm, chains, sweeps)
        assert v.shape == (chains, rbm.visible) and set(np.unique(v)) <= {0, 1}


def drawn(rbm):
    """Exact draws of the visible units (6, visible)."""
    states = all_states(rbm.visible)
    p = np.exp(rbm.log_likelihood(states, exact_log_z(rbm)))
    return states[np.random.default_rng(1).choice(len(states), 6, p=p / p.sum())]


def judged(estimate, truth):
    """Whether an estimate is right or not converged; all its numbers must be finite.

    Right: within twice the reach of its 95% interval, four standard errors where these are well known.
    """
    numbers = [estimate.log_z, estimate.std_error, *estimate.interval, *estimate.diagnostics.values()]
    assert np.isfinite(numbers).all() and estimate.std_error >= 0.0
    assert estimate.interval[0] <= estimate.log_z <= estimate.interval[1]
    reach = estimate.interval[1] - estimate.interval[0]
    right = abs(estimate.log_z - truth) <= reach + 1e-5 * max(1.0, abs(truth))
    return bool(right or not estimate.converged)


def estimated(name, method, **settings):
    options = {"sweeps": 300, "chains": 8, "base": "visible-bias", "check": False}
    options |= {"data": drawn(MODELS[name])} if takes(method, "data") else {}
    return estimate_log_z(MODELS[name], method, **options | settings)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", ESTIMATORS)
def test_estimates_are_right_or_flagged(method, name):
    truth = exact_log_z(MODELS[name])
    # Longer estimates of tiny models are below.
    for settings in ({"sweeps": 1},) if name in TINY else ({"sweeps": 1}, {}):
        estimate = estimated(name, method, **settings)
        assert judged(estimate, truth), (settings, truth, estimate)


@pytest.mark.parametrize("name", MODELS)
def test_evidence_is_right(name, monkeypatch):
    # Few sweeps: bounds and masses hold after any number.
    monkeypatch.setattr(evidence, "sweeps_of", lambda *_: 100)
    monkeypatch.setattr(evidence, "_BRIDGED_SWEEPS", 200)
    truth, gathered = exact_log_z(MODELS[name]), evidence.gather(MODELS[name], root_stream(0))
    rounding = 1e-5 * max(1.0, abs(truth))
    assert gathered.lower - rounding <= truth <= gathered.upper + rounding
    for mass, std_error in gathered.masses:
        assert mass <= truth + 4.0 * std_error + 0.01 + rounding


@pytest.mark.parametrize("method", ESTIMATORS)
def test_tiny_models_are_estimated(method):
    """The answer must be right; an estimate that is flagged does not suffice."""
    for name in TINY:
        estimate, truth = estimated(name, method, sweeps=400, chains=10), exact_log_z(MODELS[name])
        assert judged(estimate, truth), (name, truth, estimate)
        assert abs(estimate.log_z - truth) <= 4.0 * estimate.std_error + 0.01, (name, truth, estimate)


def test_bridges_are_right_from_every_seed():
    """Estimates from ten seeds are right or flagged, and at least five converge."""
    truth = exact_log_z(MODELS["weights of either"])
    estimates = [estimated("weights of either", "bar", rungs=2, seed=seed) for seed in range(10)]
    assert all(judged(estimate, truth) for estimate in estimates), estimates
    assert sum(estimate.converged for estimate in estimates) >= 5


DATA = {
    "all one": np.ones((20, 5), np.uint8),
    "one dead visible unit": np.zeros((20, 1), np.uint8),
    "one example": np.array([[1, 0, 1, 1, 0]], np.uint8),
}


# Simulated tempering kept small.
FEWER = dict.fromkeys(("rms-spectral", "rmsprop"), {"particles": 20, "rungs": 5})


def trained(name, method, **settings):
    options = {"hidden": 3, "updates": 10, "batch": min(10, len(DATA[name]))} | FEWER.get(method, {})
    return train_rbm(DATA[name], method, **options | settings)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("method", TRAINERS)
def test_trainings_end_in_finite_numbers(method, name):
    visible = DATA[name].shape[1]
    start = RBM(LARGE * signs(visible, 3), LARGE * signs(visible), LARGE * signs(3))
    for settings in ({"hidden": 1, "batch": 1, "updates": 1}, {"learning_rate": LARGE}, {"start": start}):
        try:
            run = trained(name, method, **settings)
        except ValueError as error:
            assert str(error).startswith("learning_rate: the training diverged at update ") and "\n" not in str(error)
            assert "learning_rate" in settings
        else:
            numbers = {"weights": run.rbm.weights, "biases": [*run.rbm.visible_bias, *run.rbm.hidden_bias], **run.trace}
            assert [key for key, values in numbers.items() if not np.isfinite(values).all()] == []
            assert math.isfinite(exact_log_z(run.rbm))


def test_exact_numbers_are_refused_where_rounding_moves_them():
    # Rounding moves log Z or a likelihood by more than 1e-6 nat; the weights of the other RBM cancel.
    for rbm in (RBM(np.ones((4, 3)), [1e16, 0.0, 0.0, 0.0], np.zeros(3)), RBM([[1e16], [-1e16]], np.zeros(2), [0.0])):
        with pytest.raises(ValueError, match="^exact log Z: .* too large"):
            exact_log_z(rbm)
        with pytest.raises(ValueError, match="^weights, biases: too large"):
            rbm.log_likelihood(np.ones((1, rbm.visible), int), 0.0)


@pytest.mark.parametrize("bias", [-1e15, 0.0, 1e8])
def test_exact_numbers_that_are_given_are_exact(bias):
    rbm = RBM(np.ones((4, 3)), [bias, 0.0, 0.0, 0.0], [0.0, 0.0, -1e9])
    states = np.array([[0, *state] for state in np.ndindex(2, 2, 2)])
    # A unit that is certainly off stays off in all states; a unit that may be on takes both values.
    states = states if bias < -1e3 else np.concatenate([states, states + [1, 0, 0, 0]])
    assert np.exp(rbm.log_likelihood(states, exact_log_z(rbm))).sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("method", "check"), [("ti-trapezoid", False), ("ti-rb", False), ("ti-rb", True)])
def test_rules_too_coarse_for_huge_weights_that_cancel_biases_are_flagged(method, check):
    rbm = RBM(1000.0 * np.eye(8), np.full(8, -1000.0), np.zeros(8))
    estimate = estimate_log_z(rbm, method, sweeps=300, chains=50, check=check)
    assert "coarse-rule" in estimate.reasons and estimate.log_z < 8.0 * np.log(3.0)
