"""Log-densities of the kernels against float64 NumPy."""

import numpy as np
import pytest
import twins
from parts import from_python

from logzoo import RBM
from logzoo.kernels import energies, tempering
from logzoo.kernels.energies import log_f_tempered, log_z_of_base, smooth_parts_of_chains
from logzoo.kernels.fixed_point import new_chains
from logzoo.paths import kernel_parameters, log_z_base

energy_scratch, carry = from_python(energies.energy_scratch), from_python(tempering.carry)
count_crossing, draw_rung = from_python(tempering.count_crossing), from_python(tempering.draw_rung)
read_joint, read_marginal = from_python(tempering.read_joint), from_python(tempering.read_marginal)
carry_two = from_python(tempering.carry_two)


def chains_at(parameters, v, h):
    """Chains in the given states."""
    chains = new_chains(len(v), v.shape[1], h.shape[1])
    chains.v[...], chains.h[...] = v, h
    twins.refresh_inputs(parameters, chains)
    return chains


def random_case(visible, hidden, largest):
    """An RBM whose hidden inputs reach about `largest`, a base and random states."""
    generator = np.random.default_rng([0, visible, hidden])
    weights = generator.standard_normal((visible, hidden)) * largest / np.sqrt(visible) / 2
    rbm = RBM(weights, generator.normal(0, 2, visible), generator.normal(0, largest / 4, hidden))
    v, h = (generator.integers(0, 2, (6, units)).astype(np.uint8) for units in (visible, hidden))
    return rbm, generator.normal(0, 2, visible), v, h


@pytest.mark.parametrize("hidden", [1, 65, 1025])
@pytest.mark.parametrize("beta", [0.0, 1.0])
@pytest.mark.parametrize("largest", [0.1, 200.0])
def test_smooth_part_equals_logarithms_in_float64(hidden, beta, largest):
    magnitudes = np.random.default_rng(hidden).uniform(0, largest, hidden)
    signs = np.where(np.arange(hidden) % 3 == 0, -1.0, 1.0)
    parameters = kernel_parameters(RBM(np.zeros((1, hidden)), np.zeros(1), signs * magnitudes), np.zeros(1))
    chains, out = chains_at(parameters, np.zeros((1, 1)), np.zeros((1, hidden))), np.empty((1, 1))
    smooth_parts_of_chains(parameters, chains, np.array([beta], np.float32), out)
    # A rounding of float32 for every factor and every product of two.
    assert out.item() == pytest.approx(np.log1p(np.exp(-beta * magnitudes)).sum(), abs=1e-7 * hidden + 2e-7)


@pytest.mark.parametrize(("visible", "hidden"), [(1, 1), (20, 33), (784, 500)])
@pytest.mark.parametrize("largest", [1.0, 200.0])
def test_log_f_at_beta_1_equals_numpy(visible, hidden, largest):
    rbm, base, v, h = random_case(visible, hidden, largest)
    parameters = kernel_parameters(rbm, base)
    log_f = np.empty(len(v))
    log_f_tempered(parameters, np.ones(len(v), np.float32), chains_at(parameters, v, h), log_f)
    exact = twins.log_f_marginal(rbm, base, v.astype(float))
    assert np.max(np.abs(log_f - exact)) < tolerance(parameters, visible, hidden)
    np.testing.assert_allclose(exact, -rbm.free_energy(v), rtol=1e-12)


def tolerance(parameters, visible, hidden):
    """Rounding to the fixed-point grid (a random walk over its terms, five sigma) and of float32 factors."""
    terms = visible * hidden + visible + hidden
    return 5 * float(parameters.unit) * np.sqrt(terms / 12) + 1e-7 * hidden + 1e-6


@pytest.mark.parametrize(("visible", "hidden"), [(5, 4), (784, 500)])
def test_smooth_parts_and_rungs_equal_numpy_along_the_path(visible, hidden):
    rbm, base, v, h = random_case(visible, hidden, 20.0)
    parameters = kernel_parameters(rbm, base)
    chains = chains_at(parameters, v, h)
    betas = np.linspace(0, 1, 9)
    inputs = np.abs(v @ rbm.weights + rbm.hidden_bias)
    smooth = np.empty((len(v), 9))
    smooth_parts_of_chains(parameters, chains, betas.astype(np.float32), smooth)
    exact = np.log1p(np.exp(-betas[:, None, None] * inputs)).sum(axis=2).T
    assert np.max(np.abs(smooth - exact)) < 2e-7 * hidden + 1e-6
    # Nodes at the rungs, then the linear parts, which beta and 1 - beta multiply.
    linear = np.stack([betas, 1 - betas])
    marginal = np.concatenate([np.eye(9), linear])
    scratch = energy_scratch(hidden)
    limit = tolerance(parameters, visible, hidden) + 1e-6 * np.sqrt(visible)
    for chain in range(len(v)):
        state = v[chain : chain + 1].astype(float)
        values = np.zeros(11)
        read_marginal(parameters, betas.astype(np.float32), chains, chain, scratch, values)
        carry(values, marginal, log_f := np.zeros(9))
        exact = [twins.log_f_marginal(rbm, base, state, beta)[0] for beta in betas]
        assert np.max(np.abs(log_f - exact)) < limit
        values = np.zeros(2)
        read_joint(parameters, chains, chain, values)
        carry(values, linear, log_f := np.zeros(9))
        delta = -rbm.energy(v[chain : chain + 1], h[chain : chain + 1])[0] - state[0] @ base
        assert np.max(np.abs(log_f - betas * delta)) < limit


@pytest.mark.parametrize(("count", "rungs"), [(2, 1), (12, 8), (22, 101)])
def test_values_are_carried_to_the_rungs(count, rungs):
    generator = np.random.default_rng(count)
    table, values, before = (generator.standard_normal(shape) for shape in ((count, rungs), (2, count), (2, rungs)))
    out = before.copy()
    for row in range(2):
        carry(values[row], table, out[row])
    np.testing.assert_allclose(out, before + values @ table, rtol=0, atol=1e-13 * count)
    together = before.copy()
    carry_two(values, table, together)
    np.testing.assert_array_equal(together, out)


def drawn_rung(log_q, draw):
    """The rung that the draw selects, and q(k | x) at all of them."""
    q = np.array(log_q)
    rung, share = draw_rung(q, draw, np.empty(-(-q.size // 16)))
    return rung, share * q


@pytest.mark.parametrize("rungs", [5, 16, 37])
def test_rungs_are_drawn_with_their_probabilities(rungs):
    q = np.random.default_rng(rungs).gamma(0.3, size=rungs)
    draws = (np.arange(10_000) + 0.5) / 10_000
    selected, densities = zip(*(drawn_rung(np.log(q), draw) for draw in draws), strict=True)
    np.testing.assert_allclose(densities[-1], q / q.sum(), rtol=1e-8)
    np.testing.assert_allclose(np.bincount(selected, minlength=rungs) / 10_000, q / q.sum(), atol=1.01 / 10_000)


def test_a_draw_of_a_rung_survives_huge_and_tiny_numbers():
    for log_q, draw, rungs, shares in (
        ([5e3, 0.0, -1e4], 0.999999, {0}, [1.0, 0.0, 0.0]),
        ([1e4, 0.0, 2e4], 1e-16, {0, 2}, [0.0, 0.0, 1.0]),
    ):
        rung, q = drawn_rung(log_q, draw)
        assert rung in rungs
        np.testing.assert_allclose(q, shares, atol=1e-300)
    assert drawn_rung(np.zeros(3), 1.0 - 2.0**-53)[0] == 2
    for rung in range(9):
        log_q = np.where(np.arange(9) == rung, 5e3, 0.0)
        np.testing.assert_allclose(drawn_rung(log_q, 0.5)[1], log_q / 5e3, atol=1e-300)


def test_round_trips_are_counted_at_the_base_after_a_visit_to_the_model():
    def trips(path):
        heading = total = 0
        for rung in path:
            heading, completed = count_crossing(rung, 1, 8, heading)
            total += completed
        return total

    assert trips([0, 5, 9, 5, 1]) == 1
    assert trips([0, 8, 1, 8, 0, 9, 9, 9, 0, 1, 0]) == 3
    assert trips([9, 0]) == 0  # did not start from the base
    assert trips([0, 7, 0, 7, 1, 7, 2]) == 0  # never reached the model
    assert trips([0, 9, 2, 9, 2]) == 0  # never came back


@pytest.mark.parametrize("largest", [0.0, 3.0, 1000.0])
def test_log_z_of_the_base_is_that_of_independent_units(largest):
    base = np.random.default_rng(7).uniform(-largest, largest, 37)
    rbm = RBM(np.ones((37, 5)), np.zeros(37), np.zeros(5))
    log_z = log_z_of_base(kernel_parameters(rbm, base), 37, 5)
    # Bases are whole multiples of a unit in the kernels.
    assert log_z == pytest.approx(log_z_base(base, 5), abs=1e-4 * max(1.0, largest))
