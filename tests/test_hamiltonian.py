"""Hamiltonian Monte Carlo: its moves, what they leave invariant, simulated tempering with it, and its step sizes."""

import math

import numpy as np
import pytest
import twins
from parts import from_python
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, logit

from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.samplers.tempering_chains import updated_log_z
from logzoo.streams import root_stream
from replication.papers.rts import hamiltonian_chains
from replication.papers.rts import leapfrog as kernel
from replication.papers.rts.gaussian_mixture import GaussianMixture, path_moments
from replication.papers.rts.hamiltonian_chains import adapted_step, fit_acceptance, steps_at, tune

fill_normals, move = from_python(kernel.fill_normals), from_python(kernel.move)
uniform = from_python(kernel.uniform)

STREAM = root_stream(3).child("hamiltonian")
TARGET = GaussianMixture.pair(4, 3.0, 0.5)
BASE = GaussianMixture.centred(4, 6.0)
BETAS = np.linspace(0.0, 1.0, 10)
# About 1.2 standard deviations of a coordinate at each rung.
STEPS = 1.2 / np.sqrt(BETAS / 0.5 + (1.0 - BETAS) / 6.0)


def run(draws=200, chains=6, stream=STREAM, budget=None, **options):
    """Draws and the ledger that paid for them."""
    options = {"betas": BETAS, "initial_draws": 20, "initial_iterations": 3, **options}
    ledger = SweepLedger(10**6 if budget is None else budget, chains)
    step_sizes = options.pop("step_sizes", STEPS)
    return hamiltonian_chains.run(TARGET, BASE, ledger, stream, step_sizes, draws=draws, **options), ledger


def test_normals_are_those_of_box_and_muller_and_normal():
    key, count = STREAM.child("normals").key, 5
    normals = np.empty((1000, count))
    for chain in range(len(normals)):
        fill_normals(key, chain, 7, normals[chain])
    np.testing.assert_allclose(normals[3], normals_twin(key, 3, 7, count), rtol=1e-12)
    assert stats.kstest(normals.ravel(), "norm").pvalue > 1e-4
    np.testing.assert_allclose(np.corrcoef(normals.T), np.eye(count), atol=4 / np.sqrt(len(normals)))


def normals_twin(key, chain, draw, count):
    words = [word >> 6 for word in twins.block_words(key, chain, draw, int(kernel.MOMENTUM), -(-count // 2))]
    uniforms = [(high * 2**26 + low + 0.5) / 2**52 for high, low in zip(words[::2], words[1::2], strict=True)]
    pairs = zip(uniforms[::2], uniforms[1::2], strict=True)
    both = [math.sqrt(-2 * math.log(a)) * f(2 * math.pi * b) for a, b in pairs for f in (math.cos, math.sin)]
    return np.array(both[:count])


@pytest.mark.parametrize(("beta", "step"), [(0.0, 2.5), (0.3, 1.1)])
def test_moves_leave_the_tempered_density_invariant(beta, step):
    """Mean and variance of Delta over independent chains are the exact ones, within 4 sigma."""
    stream, chains = STREAM.child("stationary", beta), 4000
    walkers = kernel.Walkers(BASE.draw(stream.generator(), chains), np.arange(chains, dtype=np.uint64))
    settings = (TARGET.parameters, BASE.parameters, 3, stream.key, 1, 51, beta, 0.8 * step, 1.2 * step)
    kernel.run_at(*settings, walkers, np.zeros(chains))
    delta = TARGET.log_f(walkers.x) - BASE.log_f(walkers.x)
    exact = path_moments(TARGET, BASE, [beta])
    mean, variance = float(exact.mean[0]), float(exact.variance[0])
    assert abs(delta.mean() - mean) < 4 * np.sqrt(variance / chains)
    squares = (delta - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / np.sqrt(chains)


def test_a_trajectory_that_leaves_the_floats_is_refused():
    x = np.ones(4)
    settings = (TARGET.parameters, BASE.parameters, 1.0, 1e200, 3, STREAM.key, np.uint64(0), 1)
    assert move(*settings, x, np.empty((4, 4))) == (0.0, False)
    np.testing.assert_array_equal(x, 1.0)


def test_every_draw_is_that_of_a_slow_twin():
    draws, _ = run(draws=12, chains=2, initial_draws=1, initial_iterations=1)
    key = STREAM.child("moves").key
    sampler = hamiltonian_chains.HamiltonianTempering(TARGET, BASE, BETAS, SweepLedger(None, 2), STREAM)
    sampler.advance(np.log(draws.prior), 0.8 * STEPS, 1.2 * STEPS, 1, "burn-in")
    for chain in range(2):
        x, rung = sampler.walkers.x[chain].copy(), draws.rungs[chain, 0]
        for draw in range(12):
            x, delta, rung = twin_draw(draws, key, chain, draw + 2, x, rung)
            assert draws.delta[chain, draw] == pytest.approx(delta, abs=1e-8)
            assert draws.rungs[chain, draw + 1] == rung


def twin_draw(draws, key, chain, number, x, rung):
    """One move and one draw of the rung, in plain NumPy."""

    def gradient(y):
        return BETAS[rung] * TARGET.gradient(y[None])[0] + (1 - BETAS[rung]) * BASE.gradient(y[None])[0]

    def energy(y, p):
        log_f = BETAS[rung] * TARGET.log_f(y[None])[0] + (1 - BETAS[rung]) * BASE.log_f(y[None])[0]
        return 0.5 * p @ p - log_f

    where = (key, chain, number)
    step = STEPS[rung] * (0.8 + 0.4 * uniform(*where, kernel.STEP_SIZE))
    y, p = x.copy(), normals_twin(*where, 4)
    before = energy(y, p)
    for _ in range(hamiltonian_chains.STEPS):
        p = p + 0.5 * step * gradient(y)
        y = y + step * p
        p = p + 0.5 * step * gradient(y)
    if uniform(*where, kernel.ACCEPTANCE) < math.exp(min(0.0, before - energy(y, p))):
        x = y
    delta = float(TARGET.log_f(x[None])[0] - BASE.log_f(x[None])[0])
    log_q = np.log(draws.prior) - draws.log_z_hat + BETAS * delta
    q = np.exp(log_q - log_q.max())
    return x, delta, int(np.searchsorted(np.cumsum(q / q.sum()), uniform(*where, kernel.RUNG), side="right"))


def test_at_exact_log_z_every_rung_is_visited_as_its_prior_says():
    chains, draws = 1500, 100
    prior = np.linspace(1.0, 3.0, BETAS.size)
    prior /= prior.sum()
    stream = STREAM.child("visits")
    sampler = hamiltonian_chains.HamiltonianTempering(TARGET, BASE, BETAS, SweepLedger(None, chains), stream)
    offset = np.log(prior) - path_moments(TARGET, BASE, BETAS).log_z
    sampler.advance(offset, 0.8 * STEPS, 1.2 * STEPS, 100, "burn-in")
    sums, moves = sampler.advance(offset, 0.8 * STEPS, 1.2 * STEPS, draws, "sampling")
    for counted in (sums.visits / draws, sums.occupancy / draws):
        error = counted.std(axis=0, ddof=1) / np.sqrt(chains)
        assert np.all(np.abs(counted.mean(axis=0) - prior) < 4 * error)
        assert np.all(error < 0.05 * prior)
    np.testing.assert_array_equal(sums.visits, [np.bincount(row, minlength=10) for row in moves.rungs[:, 1:]])


def test_round_trips_go_from_the_base_to_the_model_and_back():
    betas, draws = np.linspace(0.0, 1.0, 40), 400
    sampler = hamiltonian_chains.HamiltonianTempering(TARGET, BASE, betas, SweepLedger(None, 8), STREAM)
    steps = 1.2 / np.sqrt(betas / 0.5 + (1.0 - betas) / 6.0)
    offset = -path_moments(TARGET, BASE, betas).log_z
    stretches = [sampler.advance(offset, steps, steps, draws, "sampling") for _ in range(2)]
    counted = sum(sums.round_trips for sums, _ in stretches)
    rungs = np.concatenate([moves.rungs[:, 1:] for _, moves in stretches], axis=1)
    # Each end is two of 40 rungs. A round trip is a visit to the base after one to the model, once it was at the base.
    visits = ["".join("bm"[int(k > 20)] for k in row if k < 2 or k > 37).lstrip("m") for row in rungs]
    np.testing.assert_array_equal(counted, [row.count("mb") for row in visits])
    assert min(counted) > 1 and len(set(counted)) > 1


def test_log_z_by_rts_is_within_four_sigma_of_the_exact_one():
    chains = 200
    draws, _ = run(draws=1000, chains=chains, initial_draws=100, initial_iterations=10)
    assert draws.rule_met
    ends = draws.occupancy[:, [0, -1]]
    result = draws.log_z_base + updated_log_z(draws.log_z_hat, draws.prior, draws.occupancy.sum(axis=0))[-1]
    # Delta method over chains: d log(c_K / c_1).
    influence = ends[:, 1] / ends[:, 1].sum() - ends[:, 0] / ends[:, 0].sum()
    error = np.sqrt(chains * influence.var(ddof=1))
    assert error < 0.05
    assert abs(result - TARGET.log_z) < 4 * error


def test_the_ledger_counts_every_leapfrog_step():
    draws, ledger = run(draws=200, chains=6, initial_iterations=3)
    # The stopping rule was not met, so all iterations were made.
    assert not draws.rule_met
    assert ledger.by_purpose == {"initial iterations": 6 * 5 * 20 * 3, "sampling": 6 * 5 * 200}
    with pytest.raises(BudgetExceeded):
        run(draws=200, chains=6, budget=5 * 200 + 10)
    ledger = SweepLedger(10**6, 4)
    options = {"adaptation_draws": 30, "pilot_draws": 40, "pilot_iterations": 2}
    tune(TARGET, BASE, ledger, STREAM, betas=BETAS, **options)
    assert ledger.by_purpose == {"adaptation": 4 * 2 * 30 * 5, "initial iterations": 4 * 2 * 40 * 5}


def test_draws_repeat_with_their_stream():
    first, again, other = (
        run(draws=30, chains=300, stream=path)[0] for path in (STREAM, STREAM, STREAM.child("other"))
    )
    for name in first._fields:
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.delta, other.delta)
    assert first.delta.shape == first.accepted.shape == (300, 30) and first.rungs.shape == (300, 31)
    assert first.occupancy.shape == (300, 10)


def simulated(acceptance, draws, low, high, seed):
    """Rungs, steps and outcomes of proposals that are accepted with probability acceptance(rung, step)."""
    generator = np.random.default_rng(seed)
    rung = generator.integers(5, size=draws)
    step = generator.uniform(low, high, draws)
    return rung, step, generator.random(draws) < acceptance(rung, step)


def test_the_fit_recovers_known_weights():
    known = np.column_stack([[5.0, 4.6, 4.0, 3.7, 3.0], [-1.0, -1.2, -1.5, -1.6, -1.7]])
    low, high = 0.8, 4.0

    def acceptance(rung, step):
        return expit(known[rung, 0] + known[rung, 1] * step)

    rung, step, accepted = simulated(acceptance, 200_000, low, high, seed=4)
    result = fit_acceptance(rung, step, accepted, 5, low, high)
    for k in range(5):
        steps = step[rung == k]
        p = acceptance(k, steps)
        design = np.column_stack([np.ones_like(steps), steps])
        error = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))))
        assert np.all(np.abs(result[k] - known[k]) < 4 * error)
        assert np.all(error < 0.1 * np.abs(known[k]))
    wanted = np.minimum(high, (logit(0.651) - known[:, 0]) / known[:, 1])
    np.testing.assert_allclose(steps_at(result, 0.651, low, high), wanted, rtol=0.02)
    # Steps are projected into the interval.
    weights = np.array([[9.0, -1.0], [3.0, -1.0], [0.0, -1.0], [5.0, 0.0], [-5.0, 0.0]])
    np.testing.assert_allclose(steps_at(weights, 0.651, 0.5, 4.0), [4.0, 3.0 - logit(0.651), 0.5, 4.0, 0.5])


@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_keeps_its_constraints_where_the_data_break_them(seed):
    low, high = 0.5, 3.0

    def acceptance(rung, step):
        """A probability that rises with the rung, and on rung 2 with the step, and falls with the step elsewhere."""
        return expit(0.4 * rung - 1.0 + np.where(rung == 2, 0.5, -0.8) * (step - 1.0))

    rung, step, accepted = simulated(acceptance, 3000, low, high, seed)
    weights = fit_acceptance(rung, step, accepted, 5, low, high)
    assert np.all(weights[:, 1] <= 0.0)
    for end in (low, 0.5 * (low + high), high):
        assert np.all(np.diff(weights[:, 0] + weights[:, 1] * end) <= 1e-12)
    assert np.all(np.diff(steps_at(weights, 0.651, low, high)) <= 1e-9)

    def cost(parameters):
        free = parameters.reshape(5, 2)
        return np.logaddexp(0.0, -np.where(accepted, 1, -1) * (free[rung, 0] + free[rung, 1] * step)).mean()

    def orders(parameters):
        free = parameters.reshape(5, 2)
        ends = [free[:, 0] + free[:, 1] * end for end in (low, high)]
        return np.concatenate([-np.diff(ends[0]), -np.diff(ends[1]), -free[:, 1]])

    # Another optimiser, other parameters, the same maximum.
    start = np.tile([1.0, -1.0], 5)
    other = minimize(cost, start, method="SLSQP", constraints={"type": "ineq", "fun": orders}, options={"ftol": 1e-12})
    assert other.success
    assert cost(weights.ravel()) == pytest.approx(other.fun, abs=2e-5)


@pytest.mark.parametrize(("beta", "variance"), [(0.0, 6.0), (1.0, 0.5)])
def test_an_adapted_step_is_accepted_at_the_target_rate(beta, variance):
    ledger, chains = SweepLedger(10**6, 20), 1000
    step = adapted_step(TARGET, BASE, beta, ledger, STREAM.child("adapted"), 400)
    assert 0.9 < step / np.sqrt(variance) < 1.9
    walkers = kernel.Walkers(BASE.draw(STREAM.generator(), chains), np.arange(chains, dtype=np.uint64))
    settings = (TARGET.parameters, BASE.parameters, 5, STREAM.key)
    kernel.run_at(*settings, 1, 101, beta, 0.8 * step, 1.2 * step, walkers, np.zeros(chains))
    probability = np.zeros(chains)
    kernel.run_at(*settings, 101, 151, beta, 0.8 * step, 1.2 * step, walkers, probability)
    # 200 averaged iterations of 20 chains: 0.35 / sqrt(4000) = 0.006 a sigma.
    assert probability.mean() / 50 == pytest.approx(0.651, abs=0.025)


def test_tuned_steps_fall_with_beta_and_are_accepted_more_evenly_than_a_fixed_one():
    ledger = SweepLedger(10**6, 50)
    options = {"adaptation_draws": 400, "pilot_draws": 100, "pilot_iterations": 10}
    sizes = tune(TARGET, BASE, ledger, STREAM.child("tuned"), betas=BETAS, **options)
    assert sizes.low < sizes.high and np.all(np.diff(sizes.adaptive) <= 1e-9)
    assert np.all((sizes.low <= sizes.adaptive) & (sizes.adaptive <= sizes.high))
    assert sizes.fixed == pytest.approx(sizes.adaptive.mean())
    spread = []
    for steps in (sizes.adaptive, np.full(BETAS.size, sizes.fixed)):
        draws, _ = run(draws=400, chains=50, step_sizes=steps, initial_draws=100, initial_iterations=5)
        before = draws.rungs[:, :-1].ravel()
        rate = np.bincount(before, draws.accepted.ravel()) / np.bincount(before)
        spread.append(np.max(np.abs(rate - 0.651)))
    assert spread[0] < 0.2 < spread[1]
