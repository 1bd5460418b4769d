"""Simulated tempering and annealing: budgets, shapes, and what the draws converge to."""

import numpy as np
import pytest
import twins
from drawing import draw_each

from logzoo import RBM, exact_log_z
from logzoo.budgets import BudgetExceeded, SweepLedger
from logzoo.kernels.annealing import Laws, run_annealing, run_centred_annealing
from logzoo.kernels.fixed_point import fixed_point_rows, new_chains
from logzoo.kernels.gibbs import start_chains, start_from_rows
from logzoo.kernels.random import HIDDEN, VISIBLE
from logzoo.paths import inverse_temperatures, kernel_parameters, tempered_rbm
from logzoo.samplers import tempering_runs
from logzoo.samplers.tempering_chains import updated_log_z
from logzoo.streams import root_stream

BUDGETS = [1, 3, 101]
STREAM = root_stream(5).child("samplers")


# Chains travel freely.
EASY = twins.normal_rbm(11, 8, 5, 0.6)


def tempering(sweeps, chains, stream=STREAM, rbm=EASY, **options):
    """Draws and the ledger that paid for them."""
    ledger = SweepLedger(sweeps, chains)
    return tempering_runs.run(rbm, ledger, stream, **{"base": "visible-bias", "rungs": 20, **options}), ledger


@pytest.mark.parametrize(("form", "base"), [("marginal", None), ("joint", "uniform")])
@pytest.mark.parametrize("sweeps", BUDGETS)
def test_tempering_spends_its_whole_budget_and_counts_every_sweep(sweeps, form, base):
    draws, ledger = tempering(sweeps, 3, form=form, base=base)
    assert ledger.spent == sweeps
    # Steps of the search for modes need not be a whole number of sweeps of all chains.
    assert 3 * (sweeps - 1) < ledger.chain_sweeps <= 3 * sweeps
    sampled = ledger.by_purpose["sampling"] // 3
    np.testing.assert_array_equal(draws.visits.sum(axis=(0, 2)), sampled)
    assert sampled >= 1 and np.all(draws.occupancy >= 0.0) and np.all(draws.visits >= 0)
    np.testing.assert_allclose(draws.occupancy.sum(axis=2), draws.visits.sum(axis=2), rtol=1e-9)


def initial_distances(sweeps, chains, scale, seed):
    """Whether the rule was met, and K max |r - c| after each initial iteration."""
    rbm = twins.normal_rbm(11, 8, 5, scale)
    draws, _ = tempering(sweeps, chains, root_stream(seed), rbm, rungs=5, initial_sweeps=10)
    return draws.rule_met, 5 * np.max(np.abs(draws.prior - draws.initial_occupancy), axis=1)


def test_initial_iterations_stop_at_the_rule_and_not_before():
    runs = [initial_distances(1500, chains, 0.6, seed) for seed in range(8) for chains in (2, 8)]
    runs += [initial_distances(20, 1, 3.0, 0)]
    for met, distance in runs:
        assert met == (distance[-1] < 0.1)
        assert np.all(distance[:-1] >= 0.1)
    # Some runs meet the rule, others do not. A rule half or twice as strict would end some runs elsewhere.
    assert {met for met, _ in runs} == {True, False}
    assert any(np.any((distance >= 0.1) & (distance < 0.2)) for _, distance in runs)
    assert any(0.05 <= distance[-1] < 0.1 for _, distance in runs)


def test_each_initial_iteration_follows_equation_12():
    draws, _ = tempering(1000, 20, final=False, initial_iterations=4)
    assert len(draws.initial_log_z) == 4
    before = np.zeros(20)
    for log_z, occupancy in zip(draws.initial_log_z, draws.initial_occupancy, strict=True):
        expected = before + np.log(draws.prior[0] / draws.prior) + np.log(occupancy / occupancy[0])
        np.testing.assert_allclose(log_z, expected, atol=1e-9)
        before = log_z


def test_without_the_final_run_exactly_the_iterations_asked_for_are_made():
    draws, ledger = tempering(10_000, 300, rungs=5, final=False, initial_iterations=7, initial_sweeps=13)
    assert len(draws.initial_log_z) == 7
    assert ledger.by_purpose == {"initial iterations": 300 * 7 * 13}
    assert draws.occupancy.shape == draws.visits.shape == (0, 300, 5) and np.all(draws.round_trips == 0)
    with pytest.raises(BudgetExceeded):
        tempering(90, 3, final=False, initial_iterations=7, initial_sweeps=13)


@pytest.mark.parametrize(("form", "base"), [("marginal", "visible-bias"), ("joint", "uniform"), ("marginal", None)])
def test_log_z_at_every_rung_tends_to_the_exact_curve(form, base):
    draws, _ = tempering(4000, 50, form=form, base=base, rungs=10)
    occupancy = draws.occupancy.sum(axis=(0, 1))
    result = draws.log_z_base + updated_log_z(draws.log_z_hat, draws.prior, occupancy / occupancy.sum())
    if base is None:
        assert result[-1] == pytest.approx(exact_log_z(EASY), abs=0.01)
        return
    log_odds = EASY.visible_bias if base == "visible-bias" else np.zeros(8)
    exact = [exact_log_z(tempered_rbm(EASY, log_odds, beta)) for beta in draws.betas]
    np.testing.assert_allclose(result, exact, atol=0.02)


@pytest.mark.parametrize("rao_blackwell", [True, False])
def test_a_prior_decides_how_often_each_rung_is_visited(rao_blackwell):
    prior = np.linspace(1.0, 4.0, 10)
    draws, _ = tempering(6000, 50, rungs=10, prior=prior, rao_blackwell=rao_blackwell, initial_sweeps=200)
    r = prior / prior.sum()
    np.testing.assert_allclose(draws.prior, r)
    for sums in (draws.occupancy, draws.visits):
        share = sums.sum(axis=(0, 1)) / sums.sum()
        np.testing.assert_allclose(share, r, rtol=0.05 if rao_blackwell else 0.15)
    # Rao-Blackwellised and plain counts are of the same draws.
    np.testing.assert_allclose(draws.occupancy.sum(axis=(0, 1)), draws.visits.sum(axis=(0, 1)), rtol=0.02)


def test_interpolation_stays_within_its_tolerance_and_counts_for_steep_models():
    generator = np.random.default_rng(0)
    rbm = RBM(generator.normal(0, 4, (60, 300)), generator.normal(0, 1, 60), generator.normal(0, 1, 300))
    draws, _ = tempering(200, 20, rbm=rbm, rungs=200)
    assert 0.0 < draws.interpolation_error < 1e-3
    assert tempering(200, 20, rbm=rbm, rungs=200, form="joint")[0].interpolation_error == 0.0


def test_weights_equal_those_of_the_slow_twin():
    rbm, base = twins.normal_rbm(11, 6, 4, 1.5), np.random.default_rng(4).standard_normal(6)
    betas = inverse_temperatures("linear", 25)
    parameters, key, count = kernel_parameters(rbm, base), STREAM.key, 7
    chains = new_chains(count, 6, 4)
    start_chains(parameters, key, parameters.base, chains)
    states = list(chains.v.copy())
    log_weight = np.zeros(count)
    for first, last in ((1, 9), (9, 25)):
        run_annealing(parameters, betas, key, first, last, chains, log_weight)
    twin = twins.FixedPointRBM(rbm, base, parameters.unit, draw_each)
    for chain, start in enumerate(states):
        v, expected = start, 0.0
        for k in range(1, 25):
            after, before = (twins.log_f_marginal(rbm, base, v[None, :].astype(float), betas[n])[0] for n in (k, k - 1))
            expected += after - before
            if k < 24:
                v, _ = twin.sweep(v, betas[k], key, chain, k, int(HIDDEN), int(VISIBLE))
        assert log_weight[chain] == pytest.approx(expected, abs=2e-5)
        np.testing.assert_array_equal(chains.v[chain], v)


THETA = np.array([[0.3, -1.0, 0.8], [-2.0, 0.1, 0.0]])
PHI = np.array([[1.2, -0.4], [0.0, 2.0]])
RBM_32 = twins.normal_rbm(3, 3, 2)


def started(count):
    """Arguments of the kernel, and chains drawn from two laws in turn."""
    parameters = kernel_parameters(RBM_32, np.zeros(3))
    laws = Laws(*(fixed_point_rows(rows, parameters.unit) for rows in (THETA, PHI)))
    law, key, chains = np.arange(count) % 2, root_stream(1).key, new_chains(count, 3, 2)
    start_from_rows(parameters, key, laws.visible, law, chains)
    return parameters, laws, law, key, chains


def log_f(law, beta, v):
    """log f_beta(v) (n,) from its definition, hidden units summed out."""
    a = beta * (RBM_32.hidden_bias + v @ RBM_32.weights) + (1.0 - beta) * PHI[law]
    linear = beta * (v @ RBM_32.visible_bias) + (1.0 - beta) * np.sum(THETA[law] * v, axis=1)
    return linear + np.logaddexp(0.0, a).sum(axis=1)


def test_weights_are_those_of_the_definition():
    betas, (parameters, laws, law, key, chains) = np.array([0.0, 0.4, 0.75, 1.0]), started(40)
    log_weight, expected, first = np.zeros(40), np.zeros(40), chains.v.copy()
    for k in range(1, 4):
        v = chains.v.astype(np.float64)
        expected += log_f(law, betas[k], v) - log_f(law, betas[k - 1], v)
        run_centred_annealing(parameters, laws, betas, key, k, k + 1, law, chains, log_weight)
    # Inverse temperatures are rounded to float32, parameters to the fixed-point unit.
    np.testing.assert_allclose(log_weight, expected, atol=2e-6)
    assert not np.array_equal(chains.v, first)


def test_sweeps_draw_from_the_path():
    beta, count = 0.6, 20_000
    parameters, laws, law, key, chains = started(count)
    betas = np.array([0.0, *[beta] * 15, 1.0])
    run_centred_annealing(parameters, laws, betas, key, 1, 16, law, chains, np.zeros(count))
    states = twins.all_states(3)
    for number in range(2):
        log_p = log_f(np.full(8, number), beta, states)
        counts = np.bincount(twins.state_numbers(chains.v[law == number]), minlength=8)
        assert twins.p_value(counts, np.exp(log_p - twins.logsumexp(log_p))) > 1e-4
