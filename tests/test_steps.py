"""Gradient steps against closed forms and the SVD; the cheap spectral step; weight decay, bad options."""

from typing import NamedTuple

import numpy as np
import pytest

from logzoo.training.steps import Ascent, RMSprop, RMSspectral, sharp, sharp_of_rank

SCALE = {"decay": 0.9, "epsilon": 0.01}
EVERY_STEP = [(Ascent, {}), (RMSprop, SCALE), (RMSspectral, SCALE), (RMSspectral, {**SCALE, "rank": 3})]


class Parts(NamedTuple):
    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray


def parts(seed, visible=20, hidden=30):
    generator = np.random.default_rng(seed)
    return Parts(*(generator.standard_normal(shape, np.float32) for shape in ((visible, hidden), visible, hidden)))


def moved(step, gradient, rate=1.0):
    """The change of zero parameters by one step."""
    values = Parts(*(np.zeros_like(array) for array in gradient))
    step(values, gradient, rate)
    return values


def exact_sharp(matrix):
    left, sizes, right = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    return sizes.sum() * left @ right


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def test_ascent_adds_rate_times_gradient_to_the_bit():
    values, gradient = parts(1), parts(2)
    expected = [array + np.float32(0.05) * slope for array, slope in zip(values, gradient, strict=True)]
    Ascent()(values, gradient, 0.05)
    for array, want in zip(values, expected, strict=True):
        np.testing.assert_array_equal(array, want)


@pytest.mark.parametrize(("part", "place"), [(0, (0, 0)), (0, (-1, -1)), (1, -1), (2, 0)])
@pytest.mark.parametrize("planted", [-50.0, np.inf, np.nan])
def test_a_step_returns_the_largest_size_of_all_parameters(planted, part, place):
    values, gradient = parts(1, 100, 60), parts(2, 100, 60)
    largest = max(np.abs(array + np.float32(0.05) * slope).max() for array, slope in zip(values, gradient, strict=True))
    assert Ascent()(Parts(*(array.copy() for array in values)), gradient, 0.05) == largest
    values[part][place] = planted
    gradient[part][place] = 0.0
    np.testing.assert_array_equal(Ascent()(values, gradient, 0.05), abs(planted))


@pytest.mark.parametrize("decay", [0.0, 0.9])
def test_rmsprop_divides_by_a_weighted_root_mean_square(decay):
    step, gradients = RMSprop(decay=decay, epsilon=0.1), [parts(seed) for seed in range(4)]
    for gradient in gradients:
        result = moved(step, gradient, 0.3)
    weights = decay ** np.arange(3, -1, -1.0)
    for part, slopes in enumerate(zip(*gradients, strict=True)):
        mean_square = np.average(np.square(np.array(slopes, np.float64)), axis=0, weights=weights)
        np.testing.assert_allclose(result[part], 0.3 * slopes[-1] / (0.1 + np.sqrt(mean_square)), rtol=1e-5)


@pytest.mark.parametrize("shape", [(20, 30), (30, 20), (1, 7)])
def test_sharp_is_that_of_the_svd(shape):
    matrix = np.random.default_rng(4).standard_normal(shape, np.float32)
    result = sharp(matrix)
    assert result.dtype == np.float32 and result.shape == shape
    assert relative_error(result, exact_sharp(matrix)) < 1e-6


@pytest.mark.parametrize("rank", [None, 3])
def test_spectral_step_sharpens_between_two_roots_and_moves_biases_by_rmsprop(rank):
    spectral, plain = RMSspectral(rank=rank, **SCALE), RMSprop(**SCALE)
    for seed in range(3):
        gradient = parts(seed)
        result, simple = moved(spectral, gradient, 0.1), moved(plain, gradient, 0.1)
    np.testing.assert_array_equal(result.visible_bias, simple.visible_bias)
    np.testing.assert_array_equal(result.hidden_bias, simple.hidden_bias)
    root = np.sqrt(0.01 + np.sqrt(spectral.state["weights"]))
    scaled = gradient.weights / root
    expected = exact_sharp(scaled) if rank is None else sharp_of_rank(scaled, rank)
    np.testing.assert_allclose(result.weights, 0.1 * expected / root, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("shape", [(120, 90), (90, 120)])
def test_cheap_form_scales_the_remainder(shape):
    generator, sizes = np.random.default_rng(1), np.geomspace(1.0, 1e-3, 60)
    left, right = (np.linalg.qr(generator.standard_normal((rows, 60)))[0] for rows in shape)
    matrix = ((left * sizes) @ right.T).astype(np.float32)
    left, values, right = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    remainder = matrix - (left[:, :8] * values[:8]) @ right[:8]
    expected = values[:9].sum() * (left[:, :8] @ right[:8] + remainder / values[8])
    assert relative_error(sharp_of_rank(matrix, 8), expected) < 0.01


@pytest.mark.parametrize("step_of, options", EVERY_STEP)
def test_weight_decay_shrinks_the_weights_alone(step_of, options):
    values, plain = parts(1), parts(1)
    step_of(weight_decay=0.2, **options)(values, parts(2), 0.1)
    step_of(**options)(plain, parts(2), 0.1)
    np.testing.assert_allclose(plain.weights - values.weights, 0.02 * parts(1).weights, atol=1e-6)
    np.testing.assert_array_equal(values.visible_bias, plain.visible_bias)
    np.testing.assert_array_equal(values.hidden_bias, plain.hidden_bias)


@pytest.mark.parametrize(
    "step_of, options, message",
    [
        (RMSprop, {**SCALE, "decay": 1.0}, "decay: .* found 1.0"),
        (RMSspectral, {**SCALE, "epsilon": 0.0}, "epsilon: .* found 0.0"),
        (RMSspectral, {**SCALE, "rank": 0}, "rank: .* found 0"),
        (Ascent, {"weight_decay": -0.1}, "weight_decay: .* found -0.1"),
    ],
)
def test_bad_options_are_named(step_of, options, message):
    with pytest.raises(ValueError, match=message):
        step_of(**options)
