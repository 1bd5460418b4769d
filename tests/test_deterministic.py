"""Mean field, TAP and Bethe: their values against slow twins and known errors, and when they are converged."""

import numpy as np
import pytest
from twins import normal_rbm

from logzoo import RBM, estimate_log_z, exact_log_z
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.models import expansions
from logzoo.models.expansions import bethe, contraction, cycles, is_forest, tap
from logzoo.models.known.families import known
from logzoo.models.modes import find_modes
from logzoo.streams import root_stream

NAMES = [name for name, method in ESTIMATORS.items() if not method.drawn]
# Methods that may converge on models with weights.
EXPANSIONS = ["tap", "bethe"]


def random_rbm(seed):
    """Weights of scale 0.02 to 3, of either sign or positive, all or some; biases of scale 0 to 3, or about -5."""
    generator = np.random.default_rng([7, seed])
    visible, hidden = generator.integers(2, 30), generator.integers(1, 12)
    weights = generator.normal(0.0, np.exp(generator.uniform(np.log(0.02), np.log(3.0))), (visible, hidden))
    weights = np.abs(weights) if generator.random() < 0.3 else weights
    weights = weights * (generator.random(weights.shape) < generator.choice([0.3, 1.0]))
    scale = generator.choice([0.0, 0.3, 1.0, 3.0])
    shift = generator.choice([0.0, 0.0, -5.0])
    return RBM(weights, *(generator.normal(shift, scale, size) for size in (visible, hidden)))


def gaussian_rbm(scale, seed=0, shape=(12, 8)):
    weights = np.random.default_rng([3, seed]).normal(0.0, scale, shape)
    return RBM(weights, np.zeros(shape[0]), np.zeros(shape[1]))


def estimated(rbm, method, **settings):
    settings = {"sweeps": 300, "chains": 20, "base": "visible-bias", "check": False} | settings
    return estimate_log_z(rbm, method, **settings)


def best_mode(rbm):
    modes = find_modes(rbm, root_stream(0), starts=20)
    return modes.visible[0], modes.hidden[0], modes.bounds[0]


@pytest.mark.parametrize("method", NAMES)
def test_random_models_are_right_or_refused(method):
    rbms = [random_rbm(seed) for seed in range(40)]
    results, truth = [estimated(rbm, method) for rbm in rbms], np.array([exact_log_z(rbm) for rbm in rbms])
    errors, std_errors = np.array([(result.log_z, result.std_error) for result in results]).T
    errors -= truth
    converged = np.array([result.converged for result in results])
    low, high = np.transpose([result.interval for result in results])
    if method in EXPANSIONS:
        assert converged.mean() > 0.4
        assert ((low <= truth) & (truth <= high))[converged].mean() >= 0.95
        assert np.abs(errors[converged]).max() < 0.1 and std_errors[converged].max() < 0.1
    else:
        # Mean field converges only on models without weights, where it is exact.
        assert np.abs(errors[converged]).max(initial=0.0) < 1e-9 and converged.mean() < 0.1
    if method == "mean-field":
        assert errors.max() <= 1e-9


def twin_tap(rbm, m, q):
    """The same fixed point by plain steps of numpy; returns its F3."""
    w, c, b = rbm.weights, rbm.visible_bias, rbm.hidden_bias

    def asked(weights, bias, near, far):
        variance = near - near**2
        field = bias + near @ weights - (far - 0.5) * (variance @ weights**2)
        field += (2 * far**2 - 2 * far + 1 / 3) * ((variance * (0.5 - near)) @ weights**3)
        return 1 / (1 + np.exp(-field))

    for _ in range(400):
        q = 0.5 * q + 0.5 * asked(w, b, m, q)
        m = 0.5 * m + 0.5 * asked(w.T, c, q, m)

    def entropy(x):
        return -np.sum(x * np.log(x) + (1 - x) * np.log(1 - x))

    a, d = m - m**2, q - q**2
    first = c @ m + b @ q + m @ w @ q + entropy(m) + entropy(q)
    return first + 0.5 * a @ w**2 @ d + 2 / 3 * (a * (0.5 - m)) @ w**3 @ (d * (0.5 - q))


def twin_bethe(rbm):
    """Bethe's log Z from beliefs of units and of pairs, by plain message passing."""
    w, c, b = rbm.weights, rbm.visible_bias, rbm.hidden_bias
    to_visible, to_hidden = np.zeros_like(w), np.zeros_like(w)
    for _ in range(400):
        t = b + to_hidden.sum(axis=0) - to_hidden
        to_visible = np.log((1 + np.exp(w + t)) / (1 + np.exp(t)))
        u = (c + to_visible.sum(axis=1))[:, None] - to_visible
        to_hidden = np.log((1 + np.exp(w + u)) / (1 + np.exp(u)))
    t = b + to_hidden.sum(axis=0) - to_hidden
    m = 1 / (1 + np.exp(-c - to_visible.sum(axis=1)))
    q = 1 / (1 + np.exp(-b - to_hidden.sum(axis=0)))
    pairs = np.array([np.ones_like(w), np.exp(u), np.exp(t), np.exp(u + t + w)])
    pairs /= pairs.sum(axis=0)

    def entropy(*p):
        return -sum(np.sum(x * np.log(x)) for x in p)

    energy = c @ m + b @ q + np.sum(w * pairs[3])
    over = (rbm.hidden - 1) * entropy(m, 1 - m) + (rbm.visible - 1) * entropy(q, 1 - q)
    return energy + entropy(*pairs) - over


@pytest.mark.parametrize("seed", range(3))
def test_values_equal_those_of_plain_twins(seed):
    generator = np.random.default_rng([11, seed])
    rbm = RBM(*(generator.normal(0.2, scale, size) for scale, size in ((0.4, (9, 5)), (1.0, 9), (1.0, 5))))
    m, q, _ = best_mode(rbm)
    result = tap(rbm, m, q)
    assert result.settled and result.log_z == pytest.approx(twin_tap(rbm, m, q), abs=1e-9)
    result = bethe(rbm, m)
    assert result.settled and result.log_z == pytest.approx(twin_bethe(rbm), abs=1e-9)


def test_bethe_is_below_log_z_if_all_weights_are_positive():
    gaps = []
    for seed in range(30):
        generator = np.random.default_rng([5, seed])
        weights = np.abs(generator.normal(0.0, generator.choice([0.1, 0.5, 1.5]), (10, 6)))
        rbm = RBM(weights, *(generator.normal(-0.5 * weights.sum(axis=axis), 0.5) for axis in (1, 0)))
        results = [bethe(rbm, mode) for mode in find_modes(rbm, root_stream(0), starts=20).visible]
        gaps += [exact_log_z(rbm) - result.log_z for result in results if result.settled]
    assert len(gaps) >= 30 and min(gaps) >= -1e-9


def forest_rbm():
    """A path through 8 visible and 7 hidden units, and a separate star."""
    generator = np.random.default_rng(2)
    weights = np.zeros((12, 8))
    for step in range(7):
        weights[step, step], weights[step + 1, step] = generator.normal(0.0, 4.0, 2)
    weights[8:, 7] = generator.normal(0.0, 4.0, 4)
    return RBM(weights, generator.normal(0.0, 1.0, 12), generator.normal(0.0, 1.0, 8))


def test_bethe_is_exact_on_forests_whatever_their_weights():
    rbm = forest_rbm()
    assert is_forest(rbm)
    estimate = estimated(rbm, "bethe")
    assert estimate.converged and estimate.log_z == pytest.approx(exact_log_z(rbm), abs=1e-9)
    assert not estimated(rbm, "tap").converged
    weights = rbm.weights.copy()
    weights[0, 1] = 2.0
    cycle = RBM(weights, rbm.visible_bias, rbm.hidden_bias)
    assert not is_forest(cycle) and not estimated(cycle, "bethe").converged


@pytest.mark.parametrize("method", NAMES)
def test_without_weights_log_z_is_exact(method):
    generator = np.random.default_rng(1)
    rbm = RBM(np.zeros((20, 15)), generator.normal(0.0, 2.0, 20), generator.normal(0.0, 2.0, 15))
    estimate = estimated(rbm, method)
    assert estimate.converged and estimate.log_z == pytest.approx(exact_log_z(rbm), abs=1e-9)


@pytest.mark.parametrize("method", NAMES)
def test_seeds_change_nothing_in_the_domain(method):
    first, other = (estimated(gaussian_rbm(0.1, shape=(200, 12)), method, seed=seed) for seed in (0, 7))
    assert other.log_z == pytest.approx(first.log_z, abs=1e-8)


def test_larger_models_are_covered_too():
    """TAP and Bethe converge on 300 x 14 units, and their intervals hold log Z."""
    inside = []
    for rbm in (gaussian_rbm(0.12, seed, (300, 14)) for seed in range(6)):
        for estimate in (estimated(rbm, method) for method in EXPANSIONS):
            inside.append(estimate.converged and estimate.interval[0] <= exact_log_z(rbm) <= estimate.interval[1])
    assert np.mean(inside) >= 0.95


def test_what_holds_beyond_the_domain_is_named(monkeypatch):
    for method in EXPANSIONS:
        assert "outside-expansion" in estimated(gaussian_rbm(3.0), method).reasons
    assert estimated(gaussian_rbm(3.0), "mean-field").reasons == ("bound-alone",)
    assert "many-solutions" in estimated(known("ising-torus", side=8, coupling=0.6).rbm, "bethe", sweeps=1000).reasons
    monkeypatch.setattr(expansions, "_STRETCH", 2)
    monkeypatch.setattr(expansions, "_STRETCHES", 1)
    for method in EXPANSIONS:
        assert "not-settled" in estimated(gaussian_rbm(0.3), method).reasons


def test_where_whole_steps_do_not_settle_shorter_ones_begin_anew(monkeypatch):
    rbm = normal_rbm(3, 9, 6, 1.5)
    modes = find_modes(rbm, root_stream(0), starts=20, steps=100)
    result = []
    for dampings in ((0.0, 0.5, 0.9), (0.5, 0.9), (0.0,)):
        monkeypatch.setattr(expansions, "_DAMPINGS", dampings)
        result.append(tap(rbm, modes.visible[0], modes.hidden[0]))
    both, shorter, whole = result
    assert both.settled and both.log_z == shorter.log_z
    assert not whole.settled and both.steps == shorter.steps + whole.steps


def test_the_contraction_is_no_smaller_than_the_largest_slope():
    for seed in range(20):
        rbm = random_rbm(seed)
        m, q, _ = best_mode(rbm)
        slopes = np.sqrt(m * (1 - m))[:, None] * rbm.weights * np.sqrt(q * (1 - q))
        assert contraction(rbm) >= np.linalg.norm(slopes, 2) * (1 - 1e-9)
        half = RBM(rbm.weights, -0.5 * rbm.weights.sum(axis=1), -0.5 * rbm.weights.sum(axis=0))
        assert contraction(half) == pytest.approx(1.02 * np.linalg.norm(rbm.weights, 2) / 4, rel=0.02)


def test_what_bethe_leaves_out_of_a_lone_ring_is_the_product_of_its_correlations():
    rbm = normal_rbm(4, 2, 2, 0.7)
    result = bethe(rbm, best_mode(rbm)[0])
    product, left_out = np.prod(result.correlations), exact_log_z(rbm) - result.log_z
    assert left_out == pytest.approx(np.log1p(product), rel=1e-6, abs=1e-10)
    assert abs(product) > 1e-6 and cycles(result.correlations) >= abs(left_out)


@pytest.mark.parametrize("weight", [-60.0, -3.0, 3.0, 60.0])
def test_the_correlation_of_a_lone_pair_is_that_of_its_four_states(weight):
    pair = RBM([[weight]], [-0.5 * weight + 0.4], [-0.5 * weight - 0.2])
    states = np.array([[v, h] for v in (0, 1) for h in (0, 1)])
    log_f = states @ [pair.visible_bias[0], pair.hidden_bias[0]] + weight * states.prod(axis=1)
    covariance = np.cov(states.T, aweights=np.exp(log_f - log_f.max()), ddof=0)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert bethe(pair, np.array([0.5])).correlations.item() == pytest.approx(expected, rel=1e-9)
