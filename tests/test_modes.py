"""Modes by mean field, and the lower bounds of log Z that they give: rigorous where stated, always the same bits."""

import numpy as np
import pytest
import twins
from scipy.special import expit

from logzoo import RBM, exact_log_z, lower_bound
from logzoo.kernels.product_laws import LANES, climb, settle
from logzoo.models import modes
from logzoo.models.equivalent import gauged
from logzoo.models.known.families import known
from logzoo.models.modes import find_modes
from logzoo.streams import root_stream

SCALES = [0.05, 0.3, 1.0, 2.0, 5.0]


def random_rbm(scale, seed=0, visible=11, hidden=7):
    return twins.normal_rbm([5, seed, visible, hidden], visible, hidden, scale)


def random_rbms():
    """RBMs of all scales and of several shapes, with their exact log Z."""
    for seed in range(60):
        rbm = random_rbm(SCALES[seed % len(SCALES)], seed, 5 + seed % 9, 3 + seed % 7)
        yield rbm, exact_log_z(rbm)


def entropy(x):
    return -sum(p * np.log(np.where(p > 0.0, p, 1.0)) for p in (x, 1.0 - x))


def f1(rbm, m):
    """F1 in nats of visible means m (starts, V)."""
    inputs = m @ rbm.weights + rbm.hidden_bias
    return m @ rbm.visible_bias + entropy(m).sum(axis=1) + np.logaddexp(0.0, inputs).sum(axis=1)


def mean_field(rbm, h, steps):
    """Visible means (starts, V) after every step of the fixed point from hidden states h (starts, H)."""
    for _ in range(steps):
        m = expit(rbm.visible_bias + h @ rbm.weights.T)
        h = expit(rbm.hidden_bias + m @ rbm.weights)
        yield m


@pytest.mark.parametrize("scale", [0.3, 5.0])
def test_f1_rises_at_every_step_and_is_that_of_the_twin(scale):
    rbm = random_rbm(scale)
    h = (np.random.default_rng(1).random((LANES + 9, rbm.hidden)) < 0.5).astype(float)
    arrays = rbm.weights, rbm.weights.T, rbm.visible_bias, rbm.hidden_bias
    parameters, before = [np.ascontiguousarray(array, np.float32) for array in arrays], -np.inf
    for step, m in enumerate(mean_field(rbm, h, 12)):
        hidden = np.ascontiguousarray(h.T, dtype=np.float32)
        if step:
            settle(*parameters, hidden, step, np.float32(0.0))
        visible, _, bounds = modes._bounded(modes._parameters(rbm, np.float64), hidden.T)
        np.testing.assert_allclose(visible, m, atol=2e-5)
        np.testing.assert_allclose(bounds, f1(rbm, m), atol=1e-4)
        np.testing.assert_allclose(bounds, f1(rbm, visible), atol=1e-9)
        assert np.all(f1(rbm, m) >= before - 1e-12)
        before = f1(rbm, m)


def test_modes_solve_the_equations_and_are_distinct_and_sorted():
    rbm = random_rbm(2.0, 4, 80, 60)
    solutions = find_modes(rbm, root_stream(0), starts=200, steps=5000)
    assert len(solutions.bounds) > 5 and 200 <= solutions.starts.sum() <= 400 and solutions.starts.min() > 0
    assert np.all(np.diff(solutions.bounds) <= 0.0)
    q = expit(rbm.hidden_bias + solutions.visible @ rbm.weights)
    m = expit(rbm.visible_bias + solutions.hidden @ rbm.weights.T)
    np.testing.assert_allclose(solutions.hidden, q, atol=1e-12)
    np.testing.assert_allclose(solutions.visible, m, atol=1e-3)
    np.testing.assert_allclose(solutions.bounds, f1(rbm, solutions.visible), atol=1e-9)
    apart = np.abs(solutions.hidden[:, None] - solutions.hidden[None]).max(axis=2)
    assert apart[np.triu_indices(len(apart), 1)].min() > 0.04


def climbed(rbm, h):
    """The end of single flips of h (H,), in order, that each gain 1e-4 nats, and log of the sum of f there."""
    height, moved = np.logaddexp.reduce(twins.log_f_of_hidden(rbm, h[None])), True
    while moved:
        moved = False
        for j in range(h.size):
            flipped = np.where(np.arange(h.size) == j, 1 - h, h)
            if twins.log_f_of_hidden(rbm, flipped[None])[0] > height + 1e-4:
                h, height, moved = flipped, twins.log_f_of_hidden(rbm, flipped[None])[0], True
    return h, height


@pytest.mark.parametrize("scale", [0.3, 5.0])
@pytest.mark.parametrize("visible", [1, 700])
def test_climbs_are_those_of_the_twin(scale, visible):
    rbm = random_rbm(scale, visible=visible)
    starts = np.random.default_rng(1).integers(0, 2, (9, rbm.hidden))
    parameters = np.ascontiguousarray(rbm.weights.T), rbm.hidden_bias, rbm.visible_bias
    states = starts.astype(np.uint8)
    heights, passes = climb(*parameters, states, 400, 1e-4)
    summits, expected = zip(*(climbed(rbm, start) for start in starts), strict=True)
    np.testing.assert_array_equal(states, summits)
    np.testing.assert_allclose(heights, expected, rtol=1e-8)
    assert np.all(passes >= 1)
    assert np.all(climb(*parameters, starts.astype(np.uint8), 1, 1e-4)[1] == 1)


@pytest.mark.parametrize("transposed", [False, True])
def test_what_modes_climb_to_is_found(transposed):
    """The summits of climbs from the modes are modes themselves."""
    for seed in range(5):
        rbm = random_rbm(2.0, seed, 200, 10)
        solutions = find_modes(rbm.transposed if transposed else rbm, root_stream(0), starts=30)
        result = (solutions.visible if transposed else solutions.hidden) > 0.5
        summits = [climbed(rbm, h)[0] for h in result.astype(int)]
        assert all(np.any(np.all(result == summit, axis=1)) for summit in summits)


@pytest.mark.parametrize("steps", [1, 400])
def test_f1_and_the_sum_over_summits_are_rigorous_bounds(steps):
    for rbm, log_z in random_rbms():
        solutions = find_modes(rbm, root_stream(0), starts=20, steps=steps)
        assert solutions.bounds.max() <= min(solutions.lower, log_z + 1e-9) and solutions.lower <= log_z + 1e-6
    # The F1 of one solution covers one of two modes of equal mass.
    solutions = find_modes(twins.two_modes(12, 10), root_stream(0), starts=40)
    assert solutions.lower > solutions.bounds[0] + 0.5


@pytest.mark.parametrize("seed", range(2))
def test_both_modes_are_found_whatever_the_gauge(seed):
    plain = twins.two_modes(12, 10)
    rbm, log_z = gauged(plain, exact_log_z(plain), np.random.default_rng(seed))
    solutions = find_modes(rbm, root_stream(0), starts=100)
    assert solutions.bounds[0] == pytest.approx(solutions.bounds[1], abs=1e-6)
    # Each mode alone lacks log 2; any third solution is far below.
    assert solutions.bounds[0] - log_z == pytest.approx(-np.log(2.0), abs=0.1)
    assert np.logaddexp.reduce(solutions.bounds) == pytest.approx(log_z, abs=0.1)
    bound = lower_bound(rbm, starts=100)
    assert bound.mixture == pytest.approx(log_z, abs=0.1)
    assert bound.mixture <= log_z + 4 * bound.std_error


def test_a_wide_and_a_narrow_mode_of_a_large_model_are_both_found():
    rbm, log_z, _ = known("wide-narrow")
    bound = lower_bound(rbm, starts=100, draws=1000)
    assert len(bound.modes.bounds) == 2 and np.all(bound.modes.starts > 3)
    assert log_z - 1.0 < bound.sure < log_z - 0.5
    assert log_z - 0.1 < bound.mixture < log_z + 4 * bound.std_error


def test_a_mode_beyond_the_reach_of_random_starts_is_found_from_data():
    # Fourteen blocks, each of which prefers one of its two modes; the preferred state of all is one in 2**14.
    block, best = twins.two_modes(6, 4, 2.0), np.repeat(np.random.default_rng(2).integers(0, 2, (1, 14)), 6, axis=1)
    biases = np.tile(block.visible_bias, 14) + (best[0] - 0.5), np.tile(block.hidden_bias, 14)
    rbm = RBM(np.kron(np.eye(14), block.weights), *biases)
    without, with_data = (find_modes(rbm, root_stream(0), starts=50, data=data) for data in (None, best))
    assert with_data.bounds[0] > without.bounds[0] + 1.0
    np.testing.assert_array_equal(with_data.visible[0] > 0.5, best[0] == 1)


def test_the_mixture_estimates_its_expectation_with_the_error_that_it_states():
    rbm = twins.two_modes(6, 4, 0.9)
    rbm = RBM(rbm.weights, rbm.visible_bias + 0.05, rbm.hidden_bias)
    solutions, v = find_modes(rbm, root_stream(0)), twins.all_states(6)
    weights = np.exp(solutions.bounds - solutions.bounds.max())
    laws = np.prod(np.where(v[:, None] == 1.0, solutions.visible, 1.0 - solutions.visible), axis=2)
    q = laws @ (weights / weights.sum())
    assert len(weights) > 1 and q.sum() == pytest.approx(1.0)
    expected = q @ (twins.log_f_marginal(rbm, np.zeros(6), v) - np.log(q))
    assert expected < exact_log_z(rbm)
    bounds = (lower_bound(rbm, draws=500, seed=seed) for seed in range(100))
    z = [(bound.mixture - expected) / bound.std_error for bound in bounds]
    assert abs(np.mean(z)) < 0.4 and 0.75 < np.std(z) < 1.25


def test_the_same_bits_for_the_same_seed_on_any_number_of_threads():
    rbm, data = random_rbm(1.5, 1, 50, 33), np.eye(9, 50, dtype=np.uint8)
    options = {"starts": 75, "steps": 60, "data": data, "draws": 101}
    first, *others = (lower_bound(rbm, threads=threads, **options) for threads in (1, 1, 2, 3))
    for other in others:
        assert first[:3] == other[:3]
        for array, same in zip(first.modes, other.modes, strict=True):
            np.testing.assert_array_equal(array, same)
    assert lower_bound(rbm, seed=1, **options).mixture != first.mixture


def test_bad_input_is_refused_in_one_line():
    for name, value, message in (
        ("starts", 0, "a whole number of at least 1"),
        ("draws", 1, "a whole number of at least 2"),
        ("data", np.ones((3, 4)), "11 columns"),
    ):
        with pytest.raises(ValueError, match=f"{name}: expected {message}") as refusal:
            lower_bound(random_rbm(1.0), **{name: value})
        assert "\n" not in str(refusal.value)
    for size in (1e37, 1e300):
        with pytest.raises(ValueError, match="parameters are too large"):
            find_modes(RBM(np.full((2, 2), -size), np.zeros(2), np.zeros(2)), root_stream(0))


def test_the_mixture_has_a_density_where_a_mean_rounds_to_0_or_1():
    for bias in (-40.0, 40.0):
        rbm = RBM([[1.0], [0.5]], [bias, 0.3], [0.1])
        assert lower_bound(rbm, starts=20, draws=1000).mixture == pytest.approx(exact_log_z(rbm), abs=0.05)
