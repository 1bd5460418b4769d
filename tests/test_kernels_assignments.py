"""Sums over assignments against all K! of them, closed forms, and draws in proportion."""

import itertools
import math

import numpy as np
import pytest

from logzoo.kernels.assignments import assignment_scratch, draw_assignment, sum_assignments


def enumerated(m):
    """log permanent of exp(m), P(particle i has temperature k) (K, K), and {assignment: probability}, one by one."""
    count = len(m)
    log_weight = {s: math.fsum(m[i, s[i]] for i in range(count)) for s in itertools.permutations(range(count))}
    largest = max(log_weight.values())
    total = largest + math.log(math.fsum(math.exp(value - largest) for value in log_weight.values()))
    probability = {s: math.exp(value - total) for s, value in log_weight.items()}
    shares = np.zeros((count, count))
    for s, p in probability.items():
        shares[np.arange(count), s] += p
    return total, shares, probability


def summed(m):
    """log permanent of exp(m), P(particle i has temperature k) with each temperature the last in turn, and scratch."""
    count = len(m)
    scratch, shares = assignment_scratch(count), np.zeros(m.shape)
    for k in range(count):
        order = [*(other for other in range(count) if other != k), k]
        sum_assignments(np.ascontiguousarray(m[:, order]), count, scratch)
        shares[:, k] = scratch.shares
    return sum_assignments(m, count, scratch), shares, scratch


def log_weights(count, scale, seed):
    return scale * np.random.default_rng([count, seed]).standard_normal((count, count))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0, 3000.0])
def test_sums_and_shares_equal_those_over_all_assignments(count, scale):
    for seed in range(5):
        m = log_weights(count, scale, seed) + 1000.0 * seed
        total, shares, _ = summed(m)
        expected, expected_shares, _ = enumerated(m)
        assert total == pytest.approx(expected, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(shares, expected_shares, atol=1e-9)


def test_energies_at_temperatures_that_are_far_apart():
    beta, energy = np.array([1.0, 0.5, 1 / 3, 0.25, 0.2]), np.array([-451.0, -80.0, -900.0, 0.0, -455.0])
    m = -energy[:, None] * beta
    total, shares, _ = summed(m)
    expected, expected_shares, _ = enumerated(m)
    assert total == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(shares, expected_shares, atol=1e-10)
    # The lowest energy belongs to the lowest temperature.
    assert shares[2, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("count", [8, 12])
def test_closed_forms_at_sizes_beyond_enumeration(count):
    # Equal weights: K! assignments, all alike; a particle that fits one temperature only; a sum of two products.
    total, shares, _ = summed(np.zeros((count, count)))
    assert total == pytest.approx(math.lgamma(count + 1))
    np.testing.assert_allclose(shares, 1 / count)
    rows, columns = log_weights(count, 200.0, 1)[:2]
    total, shares, _ = summed(rows[:, None] + columns)
    assert total == pytest.approx(math.lgamma(count + 1) + rows.sum() + columns.sum())
    np.testing.assert_allclose(shares, 1 / count, atol=1e-10)
    _, shares, _ = summed(log_weights(count, 5.0, 2))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_assignments_are_drawn_in_proportion_to_their_weights():
    m, draws = log_weights(4, 1.0, 3), 200_000
    _, _, probability = enumerated(m)
    _, _, scratch = summed(m)
    counts, drawn = dict.fromkeys(probability, 0), np.zeros(4, np.int64)
    for uniforms in np.random.default_rng(4).random((draws, 4)):
        draw_assignment(uniforms, scratch, drawn)
        counts[tuple(drawn)] += 1
    found, expected = np.array(list(counts.values())), draws * np.array(list(probability.values()))
    chi_square = ((found - expected) ** 2 / expected).sum()
    # 23 degrees of freedom: mean 23, standard deviation 6.8.
    assert chi_square < 23 + 4 * math.sqrt(2 * 23)
    wrong = draws * np.array(list(enumerated(1.1 * m)[2].values()))
    assert ((found - wrong) ** 2 / wrong).sum() > 10 * 23


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_every_particle_gets_a_temperature_of_its_own_whatever_the_uniforms(count):
    for scale in (1.0, 30.0, 3000.0):
        m = log_weights(count, scale, 6)
        probability, (_, _, scratch) = enumerated(m)[2], summed(m)
        for level in (0.0, 0.5, 1 - 2.0**-53):
            drawn = np.full(count, -1)
            draw_assignment(np.full(count, level), scratch, drawn)
            assert probability[tuple(drawn)] > 1e-40


def test_a_scratch_for_more_particles_serves_fewer():
    m = log_weights(5, 2.0, 7)
    scratch, small = assignment_scratch(5), assignment_scratch(3)
    sum_assignments(m, 5, scratch)
    uniforms, one, other = np.array([0.3, 0.6, 0.9]), np.zeros(3, np.int64), np.zeros(3, np.int64)
    assert sum_assignments(m, 3, scratch) == sum_assignments(m[:3, :3].copy(), 3, small)
    np.testing.assert_array_equal(scratch.shares[:3], small.shares)
    draw_assignment(uniforms, scratch, one)
    draw_assignment(uniforms, small, other)
    np.testing.assert_array_equal(one, other)
