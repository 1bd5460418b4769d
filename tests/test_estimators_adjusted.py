"""Estimators whose log Zhat or path adapts: sams, wang-landau, ais-moments."""

import math
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
import twins

from logzoo import RBM, exact_log_z
from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator_registry import estimator
from logzoo.kernels import fixed_point
from logzoo.kernels.annealing import run_between
from logzoo.kernels.gibbs import run_sweeps
from logzoo.kernels.occupancy import run_adjusted
from logzoo.kernels.tempering import Record, RungSums, run_simulated_tempering
from logzoo.samplers import averaged, tempering_runs
from logzoo.streams import root_stream

TEMPERED = ["sams", "wang-landau"]
SETTINGS = [("sams", {"ladder": "adapted"}), ("sams", {"prior": 2})]
SETTINGS += [("wang-landau", {"form": "joint"}), ("wang-landau", {"initial_iterations": 0})]


def small_rbm(seed, visible=8, hidden=5, scale=0.7):
    return twins.normal_rbm([31, seed], visible, hidden, scale)


def run(method, rbm, *, sweeps, chains=20, **options):
    """An estimate within a budget."""
    stream = root_stream(0).child("adjusted")
    return estimator(method)(rbm, SweepLedger(sweeps, chains), stream, {"rungs": 20, **options})


def test_a_stretch_starts_at_the_rungs_where_the_last_ended():
    seen, recursion = [], tempering_runs.wang_landau(0.2)
    observer = SimpleNamespace(reads_values=False, start=lambda *_: None, add=lambda one: seen.append(one.rungs.copy()))
    tempering_runs.run_in_groups(small_rbm(3), SweepLedger(300, 6), root_stream(0), recursion, (observer,), rungs=9)
    assert len(seen) > 2
    for before, after in pairwise(seen):
        np.testing.assert_array_equal(before[:, -1], after[:, 0])


@pytest.mark.parametrize(("method", "setting"), SETTINGS)
def test_forms_ladders_priors_and_starts_change_nothing_that_counts(method, setting):
    rbm = small_rbm(3)
    result = run(method, rbm, sweeps=3000, chains=40, base="uniform", **setting)
    error = result.log_z - exact_log_z(rbm)
    assert abs(error) < 4 * result.std_error < 0.6
    assert result.form == setting.get("form", "marginal")


def test_groups_hold_two_chains_and_there_are_two():
    cases = (100, 20, 5 * np.arange(20)), (7, 20, [0, 2, 4]), (3, 20, [0, 1]), (2, 2, [0, 1]), (11, 4, [0, 2, 5, 8])
    for chains, groups, starts in cases:
        np.testing.assert_array_equal(tempering_runs.group_starts(chains, groups), starts)
    with pytest.raises(ValueError, match="chains: expected at least 2"):
        tempering_runs.group_starts(1, 20)


def slow_two_stages(state, t, ratio, log_z_hat):
    """A step of SAMS of all groups, from c_k / r_k (group, rung): stages, gains and bounds as the paper has them."""
    first, last = ~state.settled, 2 ** int(math.log2(t))
    gain = np.where(first, t**-state.exponent, 1.0 / (t + state.gain))
    log_z_hat += np.minimum(gain, 1.0 / state.largest)[:, None] * ratio
    state.largest[:] = ratio.max(axis=1) if t == 1 else np.maximum(state.largest, ratio.max(axis=1))
    state.filled[:] = ratio if t == last else state.filled + ratio
    even = np.abs(state.filled / (t - last + 1) - 1.0).max(axis=1) < state.flatness
    ready = first & (even | (t >= state.latest))
    state.gain[ready] = t ** state.exponent[ready] - t
    state.settled[ready] = True


def slow_halved_factor(state, t, visits, log_z_hat):
    """A step of Wang-Landau of all groups, from visits (group, rung)."""
    rungs = visits.shape[1]
    target = rungs / (state.chains * t)
    state.gain[state.settled] = target[state.settled]
    log_z_hat += state.gain[:, None] * visits / (rungs * state.prior)
    state.filled[:] += visits
    flat = ~state.settled
    for part in np.array_split(np.arange(rungs), min(10, rungs)):
        expected = state.prior[:, part].sum(axis=1) * state.filled.sum(axis=1)
        flat &= state.filled[:, part].sum(axis=1) >= state.flatness * expected
    state.gain[flat] /= 2.0
    state.filled[flat] = 0.0
    state.settled[flat] = (state.gain <= target)[flat]


def slow_run(parameters, ladder, marginal, key, first, t, log_prior, first_chains, *state):
    """The twin of the kernel: single sweeps of the chains of all groups, and steps as in the papers."""
    chains, rung, heading, sums, record, log_z_hats, recursion = state
    starts = first_chains[:-1]
    group = np.repeat(np.arange(starts.size), np.diff(first_chains))
    for place in range(record.rungs.shape[1] - 1):
        single, seen = RungSums(*map(np.zeros_like, sums)), Record(record.values, record.rungs[:, place : place + 2])
        settings = parameters, ladder, log_prior - log_z_hats, marginal, key, first + place, first + place + 1
        run_simulated_tempering(*settings, chains, rung, heading, group, single, seen)
        for total, of_sweep in zip(sums, single, strict=True):
            total += of_sweep
        if recursion.exponent.any():
            ratio = np.add.reduceat(single.occupancy, starts) / (recursion.chains[:, None] * recursion.prior)
            slow_two_stages(recursion, t + place + 1, ratio, log_z_hats)
        else:
            visits = np.add.reduceat(single.visits, starts)
            slow_halved_factor(recursion, t + place + 1, visits, log_z_hats)
        log_z_hats -= log_z_hats[:, :1].copy()


@pytest.mark.parametrize("rungs", [7, 30])
@pytest.mark.parametrize("method", TEMPERED)
def test_a_run_does_what_single_sweeps_and_steps_do(monkeypatch, method, rungs):
    recursion = {"sams": tempering_runs.sams(0.7, 0.5, 0.6), "wang-landau": tempering_runs.wang_landau(0.4)}[method]
    result = []
    for kernel in (run_adjusted, slow_run):
        monkeypatch.setattr(tempering_runs, "run_adjusted", kernel)
        options = {"groups": 3, "rungs": rungs, "initial_iterations": 0, "prior": 1.0}
        ledger = SweepLedger(180, 11)
        draws, states = tempering_runs.run_in_groups(small_rbm(4), ledger, root_stream(3), recursion, **options)
        result.append((draws.log_z_hats, draws.occupancy, draws.visits, draws.round_trips, *states))
    for array, slow_array in zip(*result, strict=True):
        np.testing.assert_allclose(array, slow_array, rtol=1e-9, atol=1e-12)
    # Some groups reach the second stage.
    assert states.settled.any()


def test_a_run_that_was_never_flat_is_flagged():
    rbm = small_rbm(2, scale=1.0)
    assert run("wang-landau", rbm, sweeps=400).converged
    assert "unsettled" in run("wang-landau", rbm, sweeps=400, flatness=0.999).reasons
    for method in TEMPERED:
        assert not run(method, twins.two_modes(), sweeps=40, base="uniform", rungs=100).converged


def dyadic_terms(seed, visible=40, hidden=70):
    """Parameters that are multiples of 1 / 64: halfway between two of them fixed point is exact."""
    generator = np.random.default_rng(seed)
    return averaged.Terms(*(np.rint(64 * generator.normal(0, 1, s)) / 64 for s in ((visible, hidden), visible, hidden)))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_sweeps_between_two_models_are_those_of_the_model_between(share):
    near, far = dyadic_terms(0), dyadic_terms(1)
    between = [(1.0 - share) * a + share * b for a, b in zip(near, far, strict=True)]
    key, count = root_stream(3).key, 6
    plain, pair = fixed_point.new_chains(count, 40, 70), fixed_point.paired_chains(count, 40, 70)
    plain.v[...] = pair.v[...] = np.random.default_rng(2).integers(0, 2, (count, 40))
    parameters = fixed_point.fixed_point_parameters(*between, np.zeros(40))
    twins.refresh_inputs(parameters, plain)
    run_sweeps(parameters, key, 5, 9, np.ones(count, np.float32), plain)
    unit = max(fixed_point.fixed_point_unit(*terms, np.zeros(1)) for terms in (near, far))
    both = fixed_point.paired_parameters(near, far, unit)
    twins.refresh_inputs(both, pair)
    log_weight = np.zeros(count)
    run_between(both, np.full(6, share), key, 5, pair, log_weight)
    np.testing.assert_array_equal(pair.v, plain.v)
    np.testing.assert_array_equal(pair.h, plain.h)
    np.testing.assert_allclose(log_weight, 0.0, atol=1e-9)
    run_between(both, np.array([share, 0.25]), key, 9, pair, log_weight)
    expected = [log_f(near, far, plain.v, s) for s in (0.25, share)]
    np.testing.assert_allclose(log_weight, expected[0] - expected[1], atol=1e-4)


def log_f(near, far, v, share):
    """log f(v) at a share of the way, plain NumPy."""
    rbm = RBM(*((1.0 - share) * a + share * b for a, b in zip(near, far, strict=True)))
    return twins.log_f_marginal(rbm, np.zeros(rbm.visible), v.astype(float))


@pytest.mark.parametrize("sweeps", [1, 60])
def test_weights_are_unbiased_along_straight_and_fitted_paths(sweeps):
    rbm = small_rbm(4, 6, 4, scale=1.2)
    ledger = SweepLedger(sweeps, 20_000)
    draws = averaged.run(rbm, ledger, root_stream(6), base="uniform", knots=4, moments=0.2, fitting=0.4)
    assert ledger.spent == sweeps and ("fitting" in ledger.by_purpose) == (sweeps == 60)
    ratio = np.exp(draws.log_weight + draws.log_z_base - exact_log_z(rbm))
    bound = 4 * ratio.std() / math.sqrt(ratio.size)
    assert ratio.std() > 0.02 and abs(ratio.mean() - 1.0) < bound < abs(math.exp(0.1) * ratio.mean() - 1.0)


def test_fitted_knots_have_nearly_the_moments_that_were_wanted():
    rbm = small_rbm(5, 6, 4, scale=1.5)
    base = averaged.Terms(np.zeros((6, 4)), np.zeros(6), np.zeros(4))
    model = averaged.Terms(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    cold, key = averaged.base_moments(base.visible, 4), root_stream(8).key
    warm, chains = averaged.model_moments(rbm, base.visible, key, 2000, 60, 1)
    for result, exact in zip(warm, twins.expectations(rbm), strict=True):
        np.testing.assert_allclose(result, exact, atol=0.02)
    path = averaged.fitted_path((base, model), cold, warm, chains, 5, key, 60, 0.3, 1)
    assert len(path) == 5 and path[0] is base and path[-1] is model
    for knot in (1, 2, 3):
        beta = knot / 4
        wanted = [(1.0 - beta) * a + beta * b for a, b in zip(cold, warm, strict=True)]
        straight = [beta * b for b in model]
        error, unfitted = (
            max(np.max(np.abs(a - b)) for a, b in zip(twins.expectations(RBM(*terms)), wanted, strict=True))
            for terms in (path[knot], straight)
        )
        assert error < 0.05 and error < 0.5 * unfitted
    shares = averaged.sweep_shares(path, cold, warm)
    assert shares[0] == 0.0 and shares[-1] == 1.0 and np.all(np.diff(shares) > 0.0)


def test_budgets_of_the_phases_add_up():
    for sweeps, knots in product((0, 1, 49, 50, 333, 1000, 10**6), (2, 3, 9)):
        moments, updates, annealing = averaged.shares_of(sweeps, knots, 0.1, 0.3)
        assert moments + updates * (knots - 2) + annealing == sweeps and (moments == 0) == (updates == 0)
    assert averaged.shares_of(1000, 5, 0.1, 0.3) == (100, 100, 600)
