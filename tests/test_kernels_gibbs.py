"""Fixed-point parameters, Gibbs sweeps against a slow twin, and the distribution they sample."""

import numpy as np
import pytest
import twins
from drawing import draw_each
from scipy.stats import chisquare

from logzoo import sample_gibbs
from logzoo.kernels.fixed_point import fixed_point_parameters, fixed_point_unit, new_chains
from logzoo.kernels.gibbs import run_sweeps, start_chains
from logzoo.kernels.random import HIDDEN, VISIBLE
from logzoo.paths import kernel_parameters

KEY = np.uint64(0xC0FFEE1234567)
SHAPES = [(1, 5), (33, 64), (784, 10)]


def matrix_of(blocks, columns):
    """The matrix (rows, columns) that was cut into blocks (blocks, rows, width); the padding must be zero."""
    whole = np.concatenate(list(blocks), axis=1)
    assert not whole[:, columns:].any()
    return whole[:, :columns]


def started(rbm, base, count):
    """Parameters and chains that start from the base."""
    parameters = kernel_parameters(rbm, base)
    chains = new_chains(count, rbm.visible, rbm.hidden)
    start_chains(parameters, KEY, parameters.base, chains)
    return parameters, chains


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e20])
@pytest.mark.parametrize(("visible", "hidden"), SHAPES)
def test_fixed_point_rounds_to_half_a_unit_and_cannot_overflow(visible, hidden, scale):
    rbm = twins.shaped_rbm(visible, hidden, scale)
    base = np.random.default_rng(2).standard_normal(visible)
    parameters = kernel_parameters(rbm, base)
    unit = float(parameters.unit)
    assert np.frexp(unit)[0] == 0.5
    biases = parameters.visible_bias[:visible], parameters.hidden_bias[:hidden], parameters.base[:visible]
    integers = [part.astype(np.int64) for part in (matrix_of(parameters.weights, hidden), *biases)]
    for part, values in zip(integers, (rbm.weights, rbm.visible_bias, rbm.hidden_bias, base), strict=True):
        assert np.max(np.abs(part * unit - values)) <= 0.5 * unit
    weights, visible_bias, hidden_bias, _ = (np.abs(part) for part in integers)
    inputs = hidden_bias + weights.sum(axis=0), visible_bias + weights.sum(axis=1)
    largest = max(np.max(part) for part in (*inputs, np.abs(parameters.base.astype(np.int64))))
    # Rounding adds up to half a unit for each of the terms.
    assert largest <= 2**30 + (max(visible, hidden) + 1) / 2
    # The grid is as fine as that allows, down to 2**-30 for small models.
    assert unit == 2.0**-30 or largest > 2**28


def test_a_large_base_widens_the_grid_instead_of_overflowing():
    parameters = kernel_parameters(twins.shaped_rbm(6, 4, 1e-3), np.array([0.0, 1.0, -1.0, 1e6, -1e6, 2.0**20]))
    assert np.abs(parameters.base.astype(np.int64)).max() <= 2**30
    np.testing.assert_allclose(parameters.base[:6] * float(parameters.unit), [0, 1, -1, 1e6, -1e6, 2**20], atol=1e-3)


def test_units_of_other_models_and_sums_that_overflow():
    value, zeros = 2.0**5, np.zeros(1)
    parameters = fixed_point_parameters(np.full((1, 1), -value), zeros, zeros, zeros)
    assert parameters.weights[0, 0, 0] * float(parameters.unit) == -value and parameters.unit == 2.0**-25
    assert fixed_point_unit(np.zeros((3, 2)), np.zeros(3), np.zeros(2), np.zeros(3)) == 2.0**-30
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="overflow"):
        fixed_point_parameters(np.full((4, 2), 1e308), np.zeros(4), np.zeros(2), np.zeros(4))


def test_the_unit_does_not_depend_on_the_width_of_vectors():
    # Forty times 0.1 is 4 or slightly more or less, by the order of the sum.
    assert fixed_point_unit(np.full((1, 40), 0.1), np.zeros(1), np.zeros(40), np.zeros(1)) == 2.0**-28


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize(("visible", "hidden"), [*SHAPES, (41, 75)])
def test_weights_are_rounded_half_to_even_whatever_their_type(visible, hidden, kind):
    # Quarters of a unit, half of them ties or integers; the base makes the unit 4.
    weights = np.random.default_rng(4).integers(-400, 401, (visible, hidden)).astype(kind)
    others, parameters = (np.zeros(visible), np.zeros(hidden), np.full(visible, 2.0**32)), None
    # The second call reuses the blocks, and its array is not contiguous by rows.
    for values in (weights, -weights.T.copy().T):
        before, parameters = parameters, fixed_point_parameters(values, *others, into=parameters)
        assert parameters.unit == 4.0 and (before is None or parameters.weights is before.weights)
        np.testing.assert_array_equal(matrix_of(parameters.weights, hidden), np.rint(values / 4))
        np.testing.assert_array_equal(matrix_of(parameters.weights_transposed, visible), np.rint(values / 4).T)


@pytest.mark.parametrize(("visible", "hidden"), SHAPES)
def test_sweeps_equal_the_slow_twin_bit_for_bit(visible, hidden):
    rbm = twins.shaped_rbm(visible, hidden, 0.5)
    base = np.random.default_rng(1).standard_normal(visible)
    parameters, chains = started(rbm, base, 5)
    twin = twins.FixedPointRBM(rbm, base, parameters.unit, draw_each)
    beta = np.array([0.0, 0.25, 0.7, 1.0, 1.0], np.float32)
    v = list(chains.v.copy())
    for sweep in range(1, 7):
        run_sweeps(parameters, KEY, sweep, sweep + 1, beta, chains)
        for chain in range(5):
            v[chain], h = twin.sweep(v[chain], beta[chain], KEY, chain, sweep, int(HIDDEN), int(VISIBLE))
            np.testing.assert_array_equal(chains.h[chain], h)
        np.testing.assert_array_equal(chains.v, v)


@pytest.mark.parametrize(("visible", "hidden"), SHAPES)
def test_inputs_stay_exact_through_many_sweeps(visible, hidden):
    rbm, base = twins.shaped_rbm(visible, hidden, 0.5), np.zeros(visible)
    parameters, chains = started(rbm, base, 4)
    twin = twins.FixedPointRBM(rbm, base, parameters.unit, draw_each)
    run_sweeps(parameters, KEY, 1, 1001, np.array([0.0, 0.3, 0.8, 1.0], np.float32), chains)
    np.testing.assert_array_equal(chains.hidden_input[:, :hidden], twin.hidden_input(chains.v))
    np.testing.assert_array_equal(chains.visible_input[:, :visible], twin.visible_input(chains.h))
    assert chains.v.max() <= 1 and chains.h.max() <= 1


def test_chains_start_from_the_base_with_inputs_that_belong_to_them():
    rbm, base = twins.shaped_rbm(6, 40), np.array([0.0, 1.0, -1.0, 3.0, -30.0, 30.0])
    parameters, chains = started(rbm, base, 20_000)
    p = 1 / (1 + np.exp(-base))
    assert np.all(np.abs(chains.v.mean(axis=0) - p) <= 4 * np.sqrt(p * (1 - p) / 20_000))
    assert np.abs(np.corrcoef(chains.v[:, :4].T) - np.eye(4)).max() < 4 / np.sqrt(20_000)
    assert not chains.h.any()
    twin = twins.FixedPointRBM(rbm, base, parameters.unit, draw_each)
    np.testing.assert_array_equal(chains.hidden_input[:, :40], twin.hidden_input(chains.v))
    np.testing.assert_array_equal(chains.visible_input[:, :6], twin.visible_input(chains.h))


def test_a_chain_does_not_depend_on_how_many_run_with_it():
    rbm, base = twins.shaped_rbm(33, 40, 0.3), np.zeros(33)
    states = []
    for count in (3, 7):
        parameters, chains = started(rbm, base, count)
        run_sweeps(parameters, KEY, 1, 51, np.full(count, 0.9, np.float32), chains)
        states.append((chains.v, chains.h))
    for few, many in zip(*states, strict=True):
        np.testing.assert_array_equal(few, many[:3])
    assert len({v.tobytes() for v in states[1][0]}) == 7


# Weights up to 1.9, every visible state of probability above 0.006.
SMALL = twins.shaped_rbm(4, 3, 0.8, seed=3)


@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_independent_chains_have_the_exact_distribution(beta):
    v = np.concatenate([sample_gibbs(SMALL, 100_000, 6, beta=beta, seed=seed) for seed in range(3)])
    counts = np.bincount(twins.state_numbers(v), minlength=16)
    assert chisquare(counts, twins.visible_probabilities(SMALL, beta) * len(v)).pvalue > 6e-5


def test_sample_gibbs_starts_where_it_is_told_and_refuses_the_impossible():
    rbm, start = SMALL, np.array([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
    v = sample_gibbs(rbm, 3, 0, start=start)
    assert v.dtype == np.uint8
    np.testing.assert_array_equal(v, start)
    np.testing.assert_array_equal(sample_gibbs(rbm, 3, 5, seed=1), sample_gibbs(rbm, 3, 5, seed=1))
    assert not np.array_equal(sample_gibbs(rbm, 30, 5, seed=1), sample_gibbs(rbm, 30, 5, seed=2))
    for bad in ({"chains": 0}, {"sweeps": -1}, {"beta": -1.0}, {"beta": np.nan}, {"start": start[:2]}):
        with pytest.raises(ValueError, match=f"^{next(iter(bad))}: "):
            sample_gibbs(**{"rbm": rbm, "chains": 3, "sweeps": 1, **bad})
    with pytest.raises(ValueError, match="4 columns"):
        sample_gibbs(rbm, 3, 1, start=start[:, :3])
