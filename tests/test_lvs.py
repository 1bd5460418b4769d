"""LVS: its gradient against exact expectations; grey levels and mean-field visible units against NumPy."""

import numpy as np
import pytest
import twins
from scipy.special import expit
from test_tours import parameters_of

from logzoo import train_rbm
from logzoo.kernels.gradients import add_products
from logzoo.kernels.tour_sweeps import add_means_of_states
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import TourSampler
from logzoo.streams import root_stream
from logzoo.training.contrastive import LasVegasPhase, Particles
from logzoo.training.negative import GreyChains, mini_batch
from replication.papers.las_vegas.lv_walks import packed_states, unpacked_states

SHAPES = [(1, 1), (33, 40), (100, 65)]


def zeros(rbm):
    """An empty gradient."""
    return [np.zeros(shape, np.float32) for shape in ((rbm.visible, rbm.hidden), rbm.visible, rbm.hidden)]


def grey_levels(examples, visible):
    """Numbers in [0, 1], half of them 0."""
    return np.maximum(np.random.default_rng(0).uniform(-1, 1, (examples, visible)), 0).astype(np.float32)


def test_the_gradient_without_a_cap_is_unbiased():
    """Sums over tours, minus the model's sums for as many states, have mean 0 over updates."""
    rbm = twins.shaped_rbm(12, 4, 0.7)
    parameters, exact = parameters_of(rbm), np.concatenate([part.ravel() for part in twins.expectations(rbm)])
    data = np.random.default_rng(1).integers(0, 2, (20, 12)).astype(np.uint8)
    phase = LasVegasPhase(data[:3], 4, root_stream(4), 32, None, 0, 10, None)
    off = []
    for update in range(300):
        negative, sums = phase(parameters, update, data, 0.1), zeros(rbm)
        if negative.usable:
            negative.add_to(parameters, 1.0, sums)
        off.append(len(negative.visited) * (np.concatenate([part.ravel() for part in sums]) - exact))
    errors = np.mean(off, axis=0) / (np.std(off, axis=0, ddof=1) / np.sqrt(300))
    assert errors.size == 12 * 4 + 12 + 4 and np.abs(errors).max() < 4


def test_visited_states_are_those_of_finished_tours_without_the_last():
    rbm = twins.shaped_rbm(20, 9, 0.4)
    parameters = parameters_of(rbm)
    stopping = stopping_set(parameters, np.eye(4, 20, dtype=np.uint8), 8, root_stream(0))
    result = TourSampler(parameters, stopping, root_stream(1), flight=7).run(60, 10**6, cap=20, keep=True)
    assert 0 < result.finished.sum() < 60
    states = []
    for number, start in enumerate(result.start):
        if result.finished[number]:
            # The same tour, cut after one sweep, two sweeps, ...
            states.append(stopping.members.rows[start].tobytes())
            for length in range(1, result.length[number]):
                alone = TourSampler(parameters, stopping, root_stream(1))
                tours = alone.run_from(stopping.members.rows[result.start[: number + 1]], 10**6, length, paths := [])
                assert not tours.finished[number] and paths
                states.append(tours.rows[number].tobytes())
    assert sorted(states) == sorted(row.tobytes() for row in result.visited)
    assert len(result.visited) == result.length[result.finished].sum()


@pytest.mark.parametrize(("visible", "hidden"), SHAPES)
def test_statistics_of_states_equal_numpy(visible, hidden):
    rbm = twins.shaped_rbm(visible, hidden, 0.3)
    h = np.random.default_rng(0).integers(0, 2, (25, hidden)).astype(np.uint8)
    grey, gradient = GreyChains.new(10, visible, hidden), zeros(rbm)
    add_means_of_states(parameters_of(rbm), packed_states(h), np.float32(0.5), *grey, *gradient)
    means = expit(rbm.visible_bias + h @ rbm.weights.T)
    for result, sums in zip(gradient, (means.T @ h, means.sum(axis=0), h.sum(axis=0)), strict=True):
        np.testing.assert_allclose(result, 0.5 * sums, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(("visible", "hidden"), SHAPES)
def test_grey_levels_give_inputs_statistics_and_log_f_as_numpy(visible, hidden):
    rbm, x = twins.shaped_rbm(visible, hidden, 0.3), grey_levels(12, visible)
    parameters, grey, gradient = parameters_of(rbm), mini_batch(x, 12, hidden), zeros(rbm)
    grey.load(parameters, x)
    a = rbm.hidden_bias + x @ rbm.weights
    np.testing.assert_allclose(grey.chains.hidden_input[:, :hidden] * float(parameters.unit), a, atol=2e-5)
    grey.add_to(parameters, -1.0, gradient)
    p = expit(a)
    for result, sums in zip(gradient, (x.T @ p, x.sum(axis=0), p.sum(axis=0)), strict=True):
        np.testing.assert_allclose(result, -sums / 12, atol=2e-5)
    log_f = x @ rbm.visible_bias + np.logaddexp(0, a).sum(axis=1)
    assert grey.mean_log_f(parameters) == pytest.approx(log_f.mean(), abs=1e-3)
    again = [array.copy() for array in gradient]
    add_products(x, p.astype(np.float32), np.float32(2.0), *again)
    np.testing.assert_allclose(again[0], gradient[0] + 2 * x.T @ p, atol=2e-5)


def test_mean_field_particles_draw_hidden_units_and_take_means_of_visible_ones():
    rbm, x = twins.shaped_rbm(6, 4, 1.0), grey_levels(1, 6)
    particles = Particles(np.uint64(7), 1, GreyChains.new(20_000, 6, 4), persistent=True)
    grey = particles(parameters_of(rbm), 0, x, 0.1)
    h, p = grey.chains.h.astype(float), expit(rbm.hidden_bias + x @ rbm.weights)[0]
    assert np.abs((h.mean(axis=0) - p) / np.sqrt(p * (1 - p) / 20_000)).max() < 4
    assert np.abs(np.corrcoef(h.T) - np.eye(4)).max() < 4 / np.sqrt(20_000)
    np.testing.assert_allclose(grey.v, expit(rbm.visible_bias + h @ rbm.weights.T), atol=1e-6)
    first = grey.v.copy()
    # The second sweep starts from these, at other parameters.
    other = twins.shaped_rbm(6, 4, 1.0, seed=3)
    grey = particles(parameters_of(other), 1, x, 0.1)
    p = expit(other.hidden_bias + first @ other.weights)
    h = grey.chains.h
    assert np.abs((h - p).mean(axis=0) / np.sqrt((p * (1 - p)).mean(axis=0) / 20_000)).max() < 4
    np.testing.assert_allclose(grey.v, expit(other.visible_bias + h @ other.weights.T), atol=1e-6)
    assert particles.spent == 40_000


def test_mean_field_tours_draw_hidden_units_given_means():
    rbm = twins.shaped_rbm(6, 5, 1.5)
    parameters = parameters_of(rbm)
    stopping = stopping_set(parameters, np.zeros((1, 6), np.uint8), 1, root_stream(0))
    sampler = TourSampler(parameters, stopping, root_stream(0), mean_field=True)
    tours = sampler.run_from(np.repeat(stopping.members.rows, 20_000, axis=0), 10**6, 1, None)
    h = unpacked_states(tours.rows, 5)
    start = unpacked_states(stopping.members.rows, 5)[0]
    p = expit(rbm.hidden_bias + expit(rbm.visible_bias + rbm.weights @ start) @ rbm.weights)
    assert np.abs((h.mean(axis=0) - p) / np.sqrt(p * (1 - p) / 20_000)).max() < 4
    # Hidden units are independent given the means; draws of v would correlate them.
    assert np.abs(np.corrcoef(h.T) - np.eye(5)).max() < 4.5 / np.sqrt(20_000)


def small_images():
    """Forty grey pictures of a bright bar, horizontal or vertical, 5 x 5."""
    images = np.zeros((40, 5, 5), np.float32)
    for number, image in enumerate(images):
        bar = image[number % 5] if number % 2 else image[:, number % 5]
        bar[...] = 0.6 + 0.4 * np.sin(number)
    return images.reshape(40, 25).clip(0, 1)


@pytest.mark.parametrize("method", ["cd", "lvs"])
def test_grey_trainings_learn(method):
    data = small_images()
    settings = {"hidden": 8, "batch": 20, "updates": 250, "learning_rate": 1.0, "values": "grey"}
    settings |= {"k": 2, "warm_up": 20} if method == "lvs" else {"k": 2}
    rbm = train_rbm(data, method, **settings).rbm
    # Reconstructions are closer to the picture than the mean picture is.
    p = expit(data @ rbm.weights + rbm.hidden_bias)
    again = expit(p @ rbm.weights.T + rbm.visible_bias)
    assert np.square(again - data).mean() < 0.7 * np.square(data - data.mean(axis=0)).mean()


def test_initial_values_are_those_of_the_paper():
    data = np.zeros((1000, 4), np.uint8)
    data[:700, 1] = data[:, 2] = data[::2, 3] = 1
    rbm = train_rbm(data, "cd", hidden=300, updates=1, learning_rate=1e-12, initial="uniform").rbm
    np.testing.assert_allclose(rbm.visible_bias, np.log([0.01, 0.71 / 0.3, 100.0, 0.51 / 0.5]), atol=1e-5)
    reach = 0.1 / np.sqrt(304)
    assert 0.99 * reach < np.abs(rbm.weights).max() <= reach
    assert rbm.weights.std() == pytest.approx(reach / np.sqrt(3), rel=0.05)
    np.testing.assert_allclose(rbm.hidden_bias, 0.0, atol=1e-6)


def test_an_update_in_which_no_tour_returns_changes_nothing_and_the_stopping_set_is_drawn_anew(monkeypatch):
    # 60 hidden units that all draws of a stopping set miss.
    data = np.random.default_rng(0).integers(0, 2, (20, 6))
    settings = {"hidden": 60, "batch": 10, "learning_rate": 0.1, "warm_up": 0}
    short, long = (train_rbm(data, "lvs", updates=updates, every=1, **settings) for updates in (1, 6))
    np.testing.assert_array_equal(short.rbm.weights, long.rbm.weights)
    assert np.all(long.trace["tours_finished"] == 0)
    # 20 draws for a new set and 10 tours of one sweep, every time.
    np.testing.assert_array_equal(long.trace["chain_sweeps"], 30 * np.arange(1, 7))
    # Tours without a cap are cut in the end.
    monkeypatch.setattr("logzoo.training.contrastive.MOST_SWEEPS", 7)
    run = train_rbm(data, "lvs", updates=1, k=None, **settings)
    assert float(run.trace["tour_length"][0]) == 7.0
