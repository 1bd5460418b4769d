"""Infinite swapping: the propositions of Hult et al. (2019) by enumeration, and the kernels against twins."""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from scipy.stats import chi2, norm
from twins import all_states, log_f_joint, log_f_marginal, normal_rbm, refresh_inputs, state_numbers

from logzoo import RBM
from logzoo.kernels.assignments import assignment_scratch, draw_assignment, sum_assignments
from logzoo.kernels.gradients import probabilities
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import DENSITIES, IN_TURN, InfiniteSwapping

KEY = np.uint64(2019)
TEMPERATURES = (1.0, 2.0, 4.0)
RUNGS = len(TEMPERATURES)
# Rung k has the inverse temperature BETAS[k]; assignments give each replica a rung.
BETAS = np.sort(1 / np.array(TEMPERATURES))
ASSIGNMENTS = list(itertools.permutations(range(RUNGS)))
GROUPS = (None, 2, IN_TURN)
LADDERS = 20_000


def tiny_rbm(density):
    """A small RBM that reveals wrong weights: 2 visible units with 1 hidden unit, or 6 if these are summed out.

    Inputs of the six units are 0 at v = (0, 0) and large elsewhere, so beta_k log f(v) is far from log f_k(v).
    """
    if density == "joint":
        return RBM(np.array([[3.0], [-3.5]]), np.array([-2.0, 1.0]), np.array([1.5]))
    weights = np.array([[4.0, -4.0, 4.0, -4.0, 4.0, -4.0], [3.0, -3.0, -3.0, 3.0, -3.0, 3.0]])
    return RBM(weights, np.array([-8.0, -5.0]), np.zeros(6))


class Enumerated:
    """Everything about K replicas of an RBM by visiting all states: states x are v ("marginal") or (v, h) ("joint")."""

    def __init__(self, rbm, density):
        v, h = all_states(rbm.visible), all_states(rbm.hidden)
        joint, base = log_f_joint(rbm, v, h), np.zeros(rbm.visible)
        if density == "joint":
            self.log_f = np.array([(beta * joint).ravel() for beta in BETAS])
        else:
            self.log_f = np.array([log_f_marginal(rbm, base, v, beta) for beta in BETAS])
        self.sweeps = np.array([self.gibbs(beta * joint, density) for beta in BETAS])
        # (states**K, K): the state of each replica in each X.
        self.states = self.log_f.shape[1]
        self.x = np.array(list(itertools.product(range(self.states), repeat=RUNGS)))

    @staticmethod
    def gibbs(joint, density):
        """Transition matrix of a sweep, h given v and then v given h, over the states x."""
        p = np.exp(joint - joint.max())
        h_given_v, v_given_h = p / p.sum(axis=1, keepdims=True), p / p.sum(axis=0)
        if density == "marginal":
            return h_given_v @ v_given_h.T
        once = np.einsum("ah,bh->abh", h_given_v, v_given_h).reshape(len(p), -1)
        return np.repeat(once, p.shape[1], axis=0)

    def sweep(self, assignment):
        """Transition matrix over X of a sweep of every replica at its temperature."""
        return reduce(np.kron, self.sweeps[list(assignment)])

    def rho(self):
        """rho_s(X), (assignments, X)."""
        log_p = np.array([sum(self.log_f[k][self.x[:, i]] for i, k in enumerate(s)) for s in ASSIGNMENTS])
        p = np.exp(log_p - log_p.max(axis=0))
        return p / p.sum(axis=0)

    def reassignment(self, group, sweep):
        """P(assignment after | assignment before, X) as (before, after, X), by the definition of the algorithm."""
        if group == IN_TURN:
            return self._in_turn()
        rung = np.arange(RUNGS)
        # Groups of 2, in even sweeps shifted by one; a single group of all otherwise.
        groups = rung * 0 if group is None else (rung + (sweep - 1) % 2) // 2
        rho = self.rho()
        table = np.zeros((len(ASSIGNMENTS), len(ASSIGNMENTS), len(self.x)))
        for row, before in enumerate(ASSIGNMENTS):
            allowed = [np.array_equal(groups[list(before)], groups[list(after)]) for after in ASSIGNMENTS]
            table[row, allowed] = rho[allowed] / rho[allowed].sum(axis=0)
        return table

    def _in_turn(self):
        rho = self.rho()
        whole = np.repeat(np.eye(len(ASSIGNMENTS))[:, :, None], len(self.x), axis=2)
        for low in range(RUNGS - 2, -1, -1):
            step = np.zeros_like(whole)
            for row, before in enumerate(ASSIGNMENTS):
                other = {low: low + 1, low + 1: low}
                column = ASSIGNMENTS.index(tuple(other.get(k, k) for k in before))
                accepted = np.minimum(1.0, rho[column] / rho[row])
                step[row, column] += accepted
                step[row, row] += 1.0 - accepted
            whole = np.einsum("abx,bcx->acx", whole, step)
        return whole

    def after(self, start, sweeps, group):
        """Distribution (assignments, X) after `sweeps` steps from `start`."""
        for sweep in range(1, sweeps + 1):
            moved = np.array([p @ self.sweep(s) for p, s in zip(start, ASSIGNMENTS, strict=True)])
            start = np.einsum("ax,abx->bx", moved, self.reassignment(group, sweep))
        return start


def ladders_at(rbm, density, group, x, assignments):
    """InfiniteSwapping whose replicas are in the states x (ladders, K) of the twin, with these temperatures."""
    ladders = InfiniteSwapping(np.uint64(77), len(x), TEMPERATURES, group, density)
    ladders.load(kernel_parameters(rbm, np.zeros(rbm.visible)))
    hidden = rbm.hidden if density == "joint" else 0
    ladders.chains.v[...] = all_states(rbm.visible)[x.ravel() >> hidden]
    if hidden:
        ladders.chains.h[...] = all_states(hidden)[x.ravel() % (1 << hidden)]
    refresh_inputs(ladders.parameters, ladders.chains)
    ladders.rung[...] = assignments.ravel()
    return ladders


def places_of(ladders, rbm, density, twin):
    """The assignment and the X, by number, that every ladder is at: two arrays (ladders,)."""
    x = state_numbers(ladders.chains.v)
    if density == "joint":
        x = (x << rbm.hidden) + state_numbers(ladders.chains.h)
    places = {s: number for number, s in enumerate(ASSIGNMENTS)}
    rows = np.array([places[tuple(rung)] for rung in ladders.rung.reshape(-1, RUNGS)])
    return rows, x.reshape(-1, RUNGS) @ twin.states ** np.arange(RUNGS)[::-1]


def excess(counts, p):
    """Pearson's statistic over its bound, which it exceeds as often as a normal variable exceeds 4 (once in 31,000).

    Cells of fewer than 8 expected counts are taken together.
    """
    counts, expected = counts.ravel(), counts.sum() * p.ravel()
    rare = expected < 8
    counts, expected = (np.append(values[~rare], values[rare].sum()) for values in (counts, expected))
    counts, expected = counts[expected > 0], expected[expected > 0]
    return ((counts - expected) ** 2 / expected).sum() / chi2.isf(norm.sf(4), counts.size - 1)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
def test_steps_from_one_state_have_the_probabilities_of_the_twin(density, group):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    number, row = len(twin.x) // 3, 4
    x, assignment = (np.tile(values, (LADDERS, 1)) for values in (twin.x[number], ASSIGNMENTS[row]))
    ladders = ladders_at(rbm, density, group, x, assignment)
    start = np.zeros((len(ASSIGNMENTS), len(twin.x)))
    start[row, number] = 1.0
    for sweeps in (1, 2):
        ladders.move(sweeps, sweeps + 1)
        counts = np.zeros((len(ASSIGNMENTS), len(twin.x)), np.int64)
        np.add.at(counts, places_of(ladders, rbm, density, twin), 1)
        assert excess(counts, twin.after(start, sweeps, group)) < 1


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
def test_weights_are_those_of_all_assignments_that_the_swap_allows(density, group):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    generator = np.random.default_rng(5)
    x = generator.integers(0, twin.states, (200, RUNGS))
    ladders = ladders_at(rbm, density, group, x, generator.permuted(np.tile(np.arange(RUNGS), (200, 1)), axis=1))
    # In the second sweep the last rung has a partner in its group of 2.
    ladders.move(1, 3)
    np.testing.assert_allclose(ladders.weights.sum(), 1.0)
    table = twin.reassignment(group, 2)
    for shares, row, x in zip(ladders.shares.reshape(-1, RUNGS), *places_of(ladders, rbm, density, twin), strict=True):
        # Within a group the shares are averages over new assignments; in turn they follow from the present assignment.
        p = np.arange(len(ASSIGNMENTS)) == row if group == IN_TURN else table[row, :, x]
        expected = [p[[s[i] == RUNGS - 1 for s in ASSIGNMENTS]].sum() for i in range(RUNGS)]
        np.testing.assert_allclose(shares, expected, atol=1e-6)


def swapped(group, density="marginal", *, count=6, cuts=(1, 12)):
    ladders = InfiniteSwapping(KEY, count, (1.0, 1.5, 2.5, 4.0), group, density)
    ladders.load(kernel_parameters(normal_rbm(12, 7, 5), np.zeros(7)))
    for first, last in itertools.pairwise(cuts):
        ladders.move(first, last)
    return ladders


def assert_same(one, other, count=None):
    """The same states, temperatures, weights and counts, of the first `count` chains."""
    for name in ("v", "h", "hidden_input", "visible_input"):
        np.testing.assert_array_equal(getattr(one.chains, name), getattr(other.chains, name)[:count])
    for name in ("rung", "shares", "occupancy"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name)[:count])


@pytest.mark.parametrize("density", DENSITIES)
def test_a_group_of_all_temperatures_is_infinite_swapping_to_the_bit(density):
    for group in (4, 5, 20):
        assert_same(swapped(None, density), swapped(group, density))
    assert not np.array_equal(swapped(None, density).rung, swapped(3, density).rung)


@pytest.mark.parametrize(("density", "group"), [("joint", None), ("marginal", 2), ("joint", IN_TURN)])
def test_sweeps_cut_anywhere_and_ladders_left_out_change_no_bit(group, density):
    whole = swapped(group, density)
    assert_same(swapped(group, density, cuts=(1, 2, 5, 6, 12)), whole)
    assert_same(swapped(group, density, count=2), whole, 2 * 4)
    assert whole.spent == 11 * 6 * 4


@pytest.mark.parametrize(("density", "group"), [("marginal", None), ("joint", 3), ("marginal", IN_TURN)])
def test_sums_and_counts_equal_those_taken_by_hand_after_every_sweep(group, density):
    summed, watched = (swapped(group, density, cuts=(1, 3)) for _ in range(2))
    sums, expected = (np.zeros((3, 7 * 5 + 7 + 5)) for _ in range(2))
    sums[1] = expected[1] = 1.0  # added to, not overwritten
    summed.move_and_sum(3, 9, sums)
    occupancy, p = watched.occupancy.copy(), np.empty((watched.rung.size, 5), np.float32)
    for sweep in range(3, 9):
        chains = watched.move(sweep, sweep + 1)
        probabilities(chains.hidden_input, watched.parameters.unit, p)
        for chain, (v, share) in enumerate(zip(chains.v.astype(float), watched.shares, strict=True)):
            # Two ladders of four replicas make a group.
            expected[chain // 8] += share * np.concatenate([np.outer(v, p[chain]).ravel(), v, p[chain]])
            occupancy[chain, watched.rung[chain]] += 1
    assert_same(watched, summed)
    np.testing.assert_array_equal(summed.occupancy, occupancy)
    np.testing.assert_allclose(sums, expected, rtol=1e-13)
    assert summed.spent == watched.spent == 8 * 24


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


@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize("scale", [1.0, 3000.0])
def test_sums_and_shares_equal_those_over_all_assignments(count, scale):
    for seed in range(3):
        m = log_weights(count, scale, seed) + 1000.0 * seed
        total, shares, _ = summed(m)
        expected, expected_shares, _ = enumerated(m)
        assert total == pytest.approx(expected, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(shares, expected_shares, atol=1e-9)


def test_closed_forms_at_sizes_beyond_enumeration():
    count = 12
    # Equal weights, and weights that are sums of a row and a column: all K! assignments are alike.
    rows, columns = log_weights(count, 200.0, 1)[:2]
    for m, log_sum in ((np.zeros((count, count)), 0.0), (rows[:, None] + columns, rows.sum() + columns.sum())):
        total, shares, _ = summed(m)
        assert total == pytest.approx(math.lgamma(count + 1) + log_sum)
        np.testing.assert_allclose(shares, 1 / count)
    _, shares, _ = summed(log_weights(count, 5.0, 2))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_assignments_are_drawn_in_proportion_to_their_weights():
    m, draws = log_weights(4, 1.0, 3), 50_000
    probability, scratch = enumerated(m)[2], summed(m)[2]
    counts, drawn = dict.fromkeys(probability, 0), np.zeros(4, np.int64)
    for uniforms in np.random.default_rng(4).random((draws, 4)):
        draw_assignment(uniforms, scratch, drawn)
        counts[tuple(drawn)] += 1
    observed, expected = np.array(list(counts.values())), draws * np.array(list(probability.values()))
    chi_square = ((observed - expected) ** 2 / expected).sum()
    # 23 degrees of freedom: mean 23, standard deviation 6.8.
    assert chi_square < 23 + 4 * math.sqrt(2 * 23)


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_every_particle_gets_a_temperature_of_its_own_whatever_the_uniforms(count):
    for scale in (1.0, 30.0, 3000.0):
        m = log_weights(count, scale, 6)
        probability, scratch = enumerated(m)[2], summed(m)[2]
        for level in (0.0, 0.5, 1 - 2.0**-53):
            drawn = np.full(count, -1)
            draw_assignment(np.full(count, level), scratch, drawn)
            assert probability[tuple(drawn)] > 1e-40
