"""Infinite swapping: the propositions of Hult et al. (2019) by enumeration, and the kernels against twins."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2, norm
from twins import all_states, log_f_joint, log_f_marginal, log_sum_exp, refresh_inputs, state_numbers

from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import run_sweeps, start_chains
from logzoo.kernels.gradients import probabilities
from logzoo.kernels.random import RUNG, uniform
from logzoo.kernels.swapping import exchange_in_turn
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.infinite_swapping import DENSITIES, IN_TURN, InfiniteSwapping

KEY = np.uint64(2019)
TEMPERATURES = (1.0, 2.0, 4.0)
RUNGS = len(TEMPERATURES)
# Rung k has the inverse temperature BETAS[k]; assignments give each replica a rung.
BETAS = np.sort(1 / np.array(TEMPERATURES))
ASSIGNMENTS = list(itertools.permutations(range(RUNGS)))
GROUPS = (None, 2, IN_TURN)
LADDERS = 40_000


def tiny_rbm(density):
    """2 visible units, on which mistakes in the weights show: with 1 hidden unit, or 6 if these are summed out.

    The six cost v = (0, 0) nothing and drive the others hard, so beta_k log f(v) is far from log f_k(v).
    """
    if density == "joint":
        return RBM(np.array([[3.0], [-3.5]]), np.array([-2.0, 1.0]), np.array([1.5]))
    weights = np.array([[4.0, -4.0, 4.0, -4.0, 4.0, -4.0], [3.0, -3.0, -3.0, 3.0, -3.0, 3.0]])
    return RBM(weights, np.array([-8.0, -5.0]), np.zeros(6))


def larger_rbm():
    generator = np.random.default_rng(12)
    return RBM(*(generator.standard_normal(shape) for shape in ((7, 5), 7, 5)))


class Enumerated:
    """Everything about K replicas of an RBM by visiting all states: states x are v ("marginal") or (v, h) ("joint")."""

    def __init__(self, rbm, density, betas=BETAS):
        v, h = all_states(rbm.visible), all_states(rbm.hidden)
        joint = log_f_joint(rbm, v, h)
        base = np.zeros(rbm.visible)
        if density == "joint":
            self.log_f = np.array([(beta * joint).ravel() for beta in betas])
        else:
            self.log_f = np.array([log_f_marginal(rbm, base, v, beta) for beta in betas])
        self.sweeps = np.array([self.gibbs(beta * joint, density) for beta in betas])
        self.p = np.array([np.exp(values - log_sum_exp(values)) for values in self.log_f])
        # (states**K, K): the state of each replica in each X.
        self.x = np.array(list(itertools.product(range(self.p.shape[1]), repeat=len(betas))))

    @staticmethod
    def gibbs(joint, density):
        """Transition matrix of a sweep, h given v and then v given h, over the states x."""
        p = np.exp(joint - joint.max())
        h_given_v, v_given_h = p / p.sum(axis=1, keepdims=True), p / p.sum(axis=0)
        if density == "marginal":
            return h_given_v @ v_given_h.T
        once = np.einsum("ah,bh->abh", h_given_v, v_given_h).reshape(len(p), -1)
        return np.repeat(once, p.shape[1], axis=0)

    def product(self, rows, assignment):
        """prod_i rows[s(i)][x_i] over all X."""
        return np.prod([rows[k][self.x[:, i]] for i, k in enumerate(assignment)], axis=0)

    @property
    def joint_with_rungs(self):
        """p(X, s) = p_s(X) / K!, (assignments, X); summed over assignments the symmetrised distribution."""
        return np.array([self.product(self.p, s) for s in ASSIGNMENTS]) / math.factorial(RUNGS)

    def sweep(self, assignment):
        """Transition matrix over X of a sweep of every replica at its temperature."""
        matrix = np.ones((1, 1))
        for k in assignment:
            matrix = np.kron(matrix, self.sweeps[k])
        return matrix

    def rho(self, log_f):
        """rho_s(X), (assignments, X), of log weights (K, states)."""
        log_p = np.array([sum(log_f[k][self.x[:, i]] for i, k in enumerate(s)) for s in ASSIGNMENTS])
        p = np.exp(log_p - log_p.max(axis=0))
        return p / p.sum(axis=0)

    def reassignment(self, group, log_f, sweep):
        """P(assignment after | assignment before, X) as (before, after, X), by the definition of the algorithm."""
        if group == IN_TURN:
            return self._in_turn(log_f)
        rung = np.arange(RUNGS)
        # Groups of 2, in even sweeps shifted by one; a single group of all otherwise.
        groups = rung * 0 if group is None else (rung + (sweep - 1) % 2) // 2
        rho = self.rho(log_f)
        table = np.zeros((len(ASSIGNMENTS), len(ASSIGNMENTS), len(self.x)))
        for row, before in enumerate(ASSIGNMENTS):
            allowed = [np.array_equal(groups[list(before)], groups[list(after)]) for after in ASSIGNMENTS]
            table[row, allowed] = rho[allowed] / rho[allowed].sum(axis=0)
        return table

    def _in_turn(self, log_f):
        rho = self.rho(log_f)
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

    def after(self, start, sweeps, group, log_f=None):
        """Distribution (assignments, X) that many steps after `start`; log_f: weights other than the right ones."""
        log_f = self.log_f if log_f is None else log_f
        for sweep in range(1, sweeps + 1):
            moved = np.array([p @ self.sweep(s) for p, s in zip(start, ASSIGNMENTS, strict=True)])
            start = np.einsum("ax,abx->bx", moved, self.reassignment(group, log_f, sweep))
        return start


def wrong_weights(twin, rbm, density):
    """Log weights of two mistakes: energies of a neighbouring temperature; beta_k log f(v) for the marginal log f_k."""
    faults = [twin.log_f[[1, 2, 2]]]
    if density == "marginal":
        v, base = all_states(rbm.visible), np.zeros(rbm.visible)
        faults.append(BETAS[:, None] * log_f_marginal(rbm, base, v))
    return faults


@pytest.mark.parametrize("density", DENSITIES)
def test_proposition_1_the_symmetrised_distribution_is_invariant(density):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    symmetrised = twin.joint_with_rungs.sum(axis=0)
    assert symmetrised.sum() == pytest.approx(1.0, abs=1e-13)

    def step(log_f):
        # The INS-Gibbs kernel of the paper: sum_s rho_s(X') G_s(X | X').
        return sum((symmetrised * rho) @ twin.sweep(s) for rho, s in zip(twin.rho(log_f), ASSIGNMENTS, strict=True))

    np.testing.assert_allclose(step(twin.log_f), symmetrised, atol=1e-12)
    for wrong in wrong_weights(twin, rbm, density):
        assert np.abs(step(wrong) - symmetrised).sum() > 0.02


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
def test_every_way_of_swapping_keeps_states_and_temperatures_together(density, group):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    start = twin.joint_with_rungs
    for sweeps in (1, 2):
        np.testing.assert_allclose(twin.after(start, sweeps, group), start, atol=1e-12)
    for wrong in wrong_weights(twin, rbm, density):
        assert np.abs(twin.after(start, 2, group, wrong) - start).sum() > 0.1


def ladders_at(rbm, density, group, x, assignments, key=KEY):
    """InfiniteSwapping whose replicas are in the states x (ladders, K) of the twin, with these temperatures."""
    ladders = InfiniteSwapping(key, len(x), TEMPERATURES, group, density)
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
    return rows, x.reshape(-1, RUNGS) @ twin.p.shape[1] ** np.arange(RUNGS)[::-1]


def counts_of(ladders, rbm, density, twin):
    """How many ladders are at each (assignment, X)."""
    counts = np.zeros((len(ASSIGNMENTS), len(twin.x)), np.int64)
    np.add.at(counts, places_of(ladders, rbm, density, twin), 1)
    return counts


def excess(counts, p):
    """Pearson's statistic over its bound, which it exceeds as often as a normal variable exceeds 4 (once in 31,000).

    Cells of fewer than 8 expected counts are taken together.
    """
    counts, expected = counts.ravel(), counts.sum() * p.ravel()
    rare = expected < 8
    counts, expected = (np.append(values[~rare], values[rare].sum()) for values in (counts, expected))
    counts, expected = counts[expected > 0], expected[expected > 0]
    statistic = ((counts - expected) ** 2 / expected).sum()
    return statistic / chi2.isf(norm.sf(4), counts.size - 1)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
def test_the_kernels_keep_the_symmetrised_distribution(density, group):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    p = twin.joint_with_rungs
    generator = np.random.default_rng(3)
    drawn = generator.choice(p.size, LADDERS, p=p.ravel())
    rows, x = np.unravel_index(drawn, p.shape)
    ladders = ladders_at(rbm, density, group, twin.x[x], np.array(ASSIGNMENTS)[rows])
    assert excess(counts_of(ladders, rbm, density, twin), p) < 1
    for first, last in ((1, 2), (2, 4)):
        ladders.move(first, last)
        assert excess(counts_of(ladders, rbm, density, twin), p) < 1
    # As many draws after three steps of a wrong algorithm are told apart.
    for wrong in wrong_weights(twin, rbm, density):
        spoiled = twin.after(p, 3, group, wrong)
        assert excess(generator.multinomial(LADDERS, spoiled.ravel() / spoiled.sum()), p) > 1.5


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_steps_from_one_state_have_the_probabilities_of_the_twin(density, group, place):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    number, row = [(0, 0), (len(twin.x) - 1, 3), (len(twin.x) // 3, 4)][place]
    x, assignment = (np.tile(values, (LADDERS, 1)) for values in (twin.x[number], ASSIGNMENTS[row]))
    ladders = ladders_at(rbm, density, group, x, assignment, key=np.uint64(77 + place))
    start = np.zeros((len(ASSIGNMENTS), len(twin.x)))
    start[row, number] = 1.0
    for sweeps in (1, 2):
        ladders.move(sweeps, sweeps + 1)
        counts = counts_of(ladders, rbm, density, twin)
        assert excess(counts, twin.after(start, sweeps, group)) < 1
    for wrong in wrong_weights(twin, rbm, density):
        assert excess(counts, twin.after(start, 2, group, wrong)) > 1.5


@pytest.mark.parametrize("density", DENSITIES)
def test_proposition_2_the_weighted_mean_is_unbiased(density):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    symmetrised = twin.joint_with_rungs.sum(axis=0)
    rho, last = twin.rho(twin.log_f), RUNGS - 1
    # P(replica i is at temperature 1 | X), (K, X).
    shares = np.array([rho[[s[i] == last for s in ASSIGNMENTS]].sum(axis=0) for i in range(RUNGS)])
    values = np.random.default_rng(4).standard_normal((5, twin.p.shape[1]))
    for f in values:
        weighted = (symmetrised * (shares * f[twin.x.T]).sum(axis=0)).sum()
        assert weighted == pytest.approx(twin.p[last] @ f, abs=1e-12)
    # Without weights, or with those of a neighbouring temperature, it is not.
    wrong = np.array([rho[[s[i] == last - 1 for s in ASSIGNMENTS]].sum(axis=0) for i in range(RUNGS)])
    for other in (np.full_like(shares, 1 / RUNGS), wrong):
        found = [(symmetrised * (other * f[twin.x.T]).sum(axis=0)).sum() for f in values]
        assert np.max(np.abs(found - values @ twin.p[last])) > 0.05


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", GROUPS)
def test_weights_are_those_of_all_assignments_that_the_swap_allows(density, group):
    rbm = tiny_rbm(density)
    twin = Enumerated(rbm, density)
    generator = np.random.default_rng(5)
    ladders = ladders_at(
        rbm,
        density,
        group,
        generator.integers(0, twin.p.shape[1], (200, RUNGS)),
        generator.permuted(np.tile(np.arange(RUNGS), (200, 1)), axis=1),
    )
    # In the second sweep the last rung has a partner in its group of 2.
    ladders.move(1, 3)
    np.testing.assert_allclose(ladders.weights.sum(), 1.0)
    table = twin.reassignment(group, twin.log_f, 2)
    for shares, row, x in zip(ladders.shares.reshape(-1, RUNGS), *places_of(ladders, rbm, density, twin), strict=True):
        # Within a group what comes next does not depend on where one was; in turn only where one is counts.
        p = np.arange(len(ASSIGNMENTS)) == row if group == IN_TURN else table[row, :, x]
        expected = [p[[s[i] == RUNGS - 1 for s in ASSIGNMENTS]].sum() for i in range(RUNGS)]
        np.testing.assert_allclose(shares, expected, atol=1e-6)


def exchanged_in_turn(key, sweep, number, log_f, rung):
    """The rungs after exchanges of neighbours, from the model's end of the ladder on, one at a time."""
    rung = list(rung)
    for low in range(len(rung) - 2, -1, -1):
        one, other = rung.index(low), rung.index(low + 1)
        ratio = math.exp(min(log_f[one, low + 1] + log_f[other, low] - log_f[one, low] - log_f[other, low + 1], 0.0))
        if uniform(key, np.uint64(number + low), sweep, RUNG) < ratio:
            rung[one], rung[other] = low + 1, low
    return rung


@pytest.mark.parametrize("count", [1, 2, 5])
def test_exchanges_in_turn_equal_the_twin_given_the_same_uniforms(count):
    generator = np.random.default_rng(count)
    moved = 0
    for sweep in range(1, 300):
        log_f, rung = generator.standard_normal((count, count)), generator.permutation(count)
        expected = exchanged_in_turn(KEY, sweep, 10, log_f, rung)
        moved += not np.array_equal(rung, expected)
        shares = np.full(count, np.nan)
        exchange_in_turn(KEY, sweep, np.uint64(10), log_f, rung, shares, np.zeros(count, np.int64))
        np.testing.assert_array_equal(rung, expected)
        np.testing.assert_array_equal(shares, rung == count - 1)
    assert moved > (100 if count > 1 else -1)


def swapped(group, density="marginal", *, temperatures=(1.0, 1.5, 2.5, 4.0), count=6, cuts=(1, 12)):
    ladders = InfiniteSwapping(KEY, count, temperatures, group, density)
    rbm = larger_rbm()
    ladders.load(kernel_parameters(rbm, np.zeros(rbm.visible)))
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


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", [None, 2, IN_TURN])
def test_one_temperature_is_plain_gibbs_sampling_to_the_bit(group, density):
    ladders = swapped(group, density, temperatures=[1.0], count=9)
    parameters, chains = ladders.parameters, new_chains(9, 7, 5)
    start_chains(parameters, KEY, parameters.visible_bias, chains)
    run_sweeps(parameters, KEY, 1, 12, np.ones(9, np.float32), chains)
    for name in ("v", "h", "hidden_input", "visible_input"):
        np.testing.assert_array_equal(getattr(ladders.chains, name), getattr(chains, name))
    np.testing.assert_array_equal(ladders.weights, np.full(9, 1 / 9))
    np.testing.assert_array_equal(ladders.occupancy, np.full((9, 1), 11))


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", [None, 2, 3, IN_TURN])
def test_sweeps_cut_anywhere_and_ladders_left_out_change_no_bit(group, density):
    whole = swapped(group, density)
    assert_same(swapped(group, density, cuts=(1, 2, 5, 6, 12)), whole)
    assert_same(swapped(group, density, count=2), whole, 2 * 4)
    assert whole.spent == 11 * 6 * 4


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("group", [None, 2, 3, IN_TURN])
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
