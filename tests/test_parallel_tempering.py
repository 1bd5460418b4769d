"""Parallel tempering: budgets, steps, exchanges, and the distribution at every rung."""

import numpy as np
import pytest
import twins

from logzoo import RBM
from logzoo.budgets import SweepLedger
from logzoo.paths import inverse_temperatures, kernel_parameters
from logzoo.samplers import replica_exchange, replicas
from logzoo.streams import root_stream

STREAM = root_stream(8).child("parallel")
BETAS = np.array([0.0, 0.3, 1.0])


# At beta = 1 sweeps alone hardly pass between the modes.
STEEP = twins.normal_rbm(2, 6, 4, 2.0)


def drawn(sweeps, chains, rbm=STEEP, **options):
    """Draws and the ledger that paid for them."""
    ledger = SweepLedger(sweeps, chains)
    return replica_exchange.run(rbm, ledger, STREAM, **{"base": "uniform", **options}), ledger


class Kept:
    """An observer that stores the sizes and all steps."""

    def start(self, ladders, rungs, sweeps):
        self.sizes = (ladders, rungs, sweeps)
        self.seen = []

    def add(self, steps):
        self.seen.append(steps)


@pytest.mark.parametrize(("rungs", "base"), [(2, None), (7, "uniform"), (None, None)])
@pytest.mark.parametrize("sweeps", [1, 2, 101])
def test_the_whole_budget_is_spent_and_every_sweep_counted(sweeps, rungs, base):
    observer = Kept()
    draws, ledger = drawn(sweeps, 7, rungs=rungs, base=base, observers=(observer,))
    assert ledger.spent == sweeps
    count = draws.betas.size
    active = 7 // count * count
    assert 0 <= 7 * sweeps - sum(ledger.by_purpose.values()) < active
    sampled = ledger.by_purpose["sampling"] // active
    assert observer.sizes == (7 // count, count, sampled)
    sweeps_seen = {flag: sum(s.up.shape[1] for s in observer.seen if s.burn_in == flag) for flag in (True, False)}
    assert sweeps_seen == {True: ledger.by_purpose.get("burn-in", 0) // active, False: sampled}
    assert sweeps_seen[True] == int(0.1 * (sweeps_seen[True] + sampled))
    # Pairs take turns: each is tried in half of the sweeps.
    assert np.max(np.abs(2 * draws.attempted - sampled)) <= 1
    assert np.all(draws.accepted <= draws.attempted)


def sampler_of(rbm, base, betas, ladders):
    sampler = replicas.ParallelTempering(STREAM.child("sampler", "sweeps").key, ladders, betas)
    sampler.load(kernel_parameters(rbm, base))
    return sampler


def test_steps_are_differences_of_the_tempered_densities_at_the_states_of_both_rungs():
    rbm, base = STEEP, np.random.default_rng(3).normal(0, 1, 6)
    betas = np.array([0.0, 0.2, 0.7, 1.0])
    sampler = sampler_of(rbm, base, betas, 5)
    for sweep in range(30):
        before = sampler.replicas.rung.copy()
        steps = sampler.move(1 + sweep, 2 + sweep, all_pairs=True)
        v = sampler.chains.v.astype(float)
        f = np.array([twins.log_f_marginal(rbm, base, v, beta) for beta in betas])
        for ladder in range(5):
            at = {before[c]: c for c in range(4 * ladder, 4 * ladder + 4)}
            for differences, offset in ((steps.up, 0), (steps.down, 1)):
                expected = [f[i + 1, at[i + offset]] - f[i, at[i + offset]] for i in range(3)]
                np.testing.assert_allclose(differences[ladder, 0], expected, atol=1e-4)
    # Each ladder still has one replica at each rung, and they did move.
    np.testing.assert_array_equal(np.sort(sampler.replicas.rung.reshape(5, 4), axis=1), np.tile(np.arange(4), (5, 1)))
    assert not np.array_equal(sampler.replicas.rung, np.tile(np.arange(4), 5))


@pytest.mark.parametrize("rungs", [2, 6])
def test_exchanges_are_the_same_whoever_looks_on(rungs):
    alone, watched = (drawn(130, 4 * rungs, rungs=rungs, observers=seen)[0] for seen in ((), (Kept(),)))
    for name in alone._fields:
        np.testing.assert_array_equal(getattr(alone, name), getattr(watched, name))


def test_log_f_is_computed_at_the_rungs_of_the_pair_that_may_exchange_alone():
    sampler = replicas.ParallelTempering(STREAM.key, 3, np.linspace(0.0, 1.0, 6))
    sampler.load(kernel_parameters(STEEP, np.zeros(STEEP.visible)))
    for sweep in (1, 2):
        before = sampler.replicas.rung.copy()
        log_f = sampler.move(sweep, sweep + 1).log_f.reshape(18, 6)
        lower = before - (before + sweep - 1) % 2
        pair = np.abs(np.arange(6) - lower[:, None] - 0.5) < 1.0
        known = ((lower >= 0) & (lower < 5))[:, None] & pair
        np.testing.assert_array_equal(np.isfinite(log_f), known)


def test_where_every_exchange_is_made_replicas_travel_at_full_speed():
    rbm = RBM(np.zeros((4, 3)), np.zeros(4), np.zeros(3))
    trips, rungs = 10, 6
    draws, _ = drawn(2 * rungs * (trips + 1), 2 * rungs, rbm=rbm, rungs=rungs, ladder="linear", burn_in=0.0)
    np.testing.assert_array_equal(draws.accepted, draws.attempted)
    np.testing.assert_array_equal(draws.exchange_rates, 1.0)
    # A replica needs `rungs` sweeps from end to end; its first trip may start halfway.
    assert np.all((draws.round_trips == trips) | (draws.round_trips == trips + 1))


def exact_marginals(rbm, base, betas):
    """p_k(v) (rung, state) by enumeration, and log f_k (rung, state)."""
    states = twins.all_states(rbm.visible)
    log_f = np.array([twins.log_f_marginal(rbm, base, states, beta) for beta in betas])
    return np.exp(log_f - [[twins.logsumexp(row)] for row in log_f]), log_f


def test_exchanges_are_made_as_often_as_the_exact_distributions_say():
    p, log_f = exact_marginals(STEEP, np.zeros(6), inverse_temperatures("linear", 4))
    draws, _ = drawn(300, 4000, rungs=4, ladder="linear", burn_in=0.2)
    for pair in range(3):
        step = log_f[pair + 1] - log_f[pair]
        exact = p[pair] @ np.minimum(1.0, np.exp(step[:, None] - step[None, :])) @ p[pair + 1]
        rates = draws.accepted[:, pair] / draws.attempted[:, pair]
        assert abs(rates.mean() - exact) < 4 * rates.std() / np.sqrt(rates.size) < 0.01
        assert abs(draws.exchange_rates[pair] - rates.mean()) < 1e-3
        assert 0.1 < exact < 0.9


def test_an_adapted_ladder_evens_out_the_exchanges_and_is_what_the_draws_were_made_at():
    adapted, ledger = drawn(2000, 400, rungs=8)
    linear, _ = drawn(500, 400, rungs=8, ladder="linear")
    assert np.ptp(adapted.exchange_rates) < 0.1 < 0.2 < np.ptp(linear.exchange_rates)
    assert ledger.by_purpose["adapting"] == 400 * 400 and ledger.spent == 2000
    listed, _ = drawn(20, 400, ladder=adapted.betas)
    np.testing.assert_array_equal(listed.betas, adapted.betas)


def test_every_rung_has_its_exact_distribution():
    p, _ = exact_marginals(STEEP, STEEP.visible_bias, BETAS)
    sampler = sampler_of(STEEP, STEEP.visible_bias, BETAS, 4000)
    sampler.move(1, 31)
    counts = np.zeros(p.shape)
    for sweep in range(31, 151):
        sampler.move(sweep, sweep + 1)
        np.add.at(counts, (sampler.replicas.rung, twins.state_numbers(sampler.chains.v)), 1)
    # Total variation distance.
    assert np.max(0.5 * np.abs(counts / counts.sum(axis=1, keepdims=True) - p).sum(axis=1)) < 0.003
