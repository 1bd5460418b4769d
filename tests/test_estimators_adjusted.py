"""Estimators whose log Zhat or path adapts: sams, wang-landau, ais-moments."""

import math
from functools import lru_cache

import numpy as np
import pytest
import twins

from logzoo.budgets import SweepLedger
from logzoo.estimators.registry import estimator
from logzoo.estimators.sams import TwoStages
from logzoo.estimators.wang_landau import HalvedFactor
from logzoo.kernels.between import run_between
from logzoo.kernels.gibbs import run_sweeps
from logzoo.kernels.layout import (
    fixed_point_parameters,
    fixed_point_unit,
    new_chains,
    paired_chains,
    paired_parameters,
)
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import log_z_base
from logzoo.samplers import adjusted, averaged
from logzoo.streams import root_stream

NAMES = ["sams", "wang-landau", "ais-moments"]
TEMPERED = NAMES[:2]
# Options under which a short run of a small model is as good as its standard error says.
OPTIONS = {"sams": {"rungs": 20}, "wang-landau": {"rungs": 20}, "ais-moments": {}}


def normal_rbm(seed, visible=8, hidden=5, scale=0.7):
    """Normal weights and biases."""
    generator = np.random.default_rng([31, seed])
    return RBM(*(generator.normal(0.0, scale, shape) for shape in ((visible, hidden), visible, hidden)))


def run(method, rbm, seed=0, *, sweeps=500, chains=20, **options):
    """An estimate within a budget."""
    ledger = SweepLedger(sweeps, chains)
    return estimator(method)(rbm, ledger, root_stream(seed).child("adjusted"), {**OPTIONS[method], **options})


@lru_cache
def repeats(method):
    """(error, standard error, interval holds the truth, converged) of 40 estimates of 40 models."""
    rows = []
    for seed in range(40):
        rbm = normal_rbm(seed)
        found, exact = run(method, rbm, seed), exact_log_z(rbm)
        low, high = found.interval
        rows.append((found.log_z - exact, found.std_error, low <= exact <= high, found.converged))
    return np.array(rows, float)


@pytest.mark.parametrize("method", NAMES)
def test_errors_are_as_large_as_stated_and_intervals_hold_the_truth(method):
    error, std_error, inside, converged = repeats(method).T
    z = error / std_error
    assert 0.7 < z.std() < 1.4
    # Bounds of the mean and the count at four standard deviations.
    assert abs(z.mean()) < 4 * 1.15 / math.sqrt(z.size)
    assert inside.mean() > 0.95 - 4 * math.sqrt(0.95 * 0.05 / z.size)
    assert converged.mean() > 0.9
    # Errors half as large as they are do not pass, nor does a bias of two standard errors.
    assert not 0.7 < 2.1 * z.std() < 1.4
    assert abs(z.mean() + 2.0) > 4 * 1.15 / math.sqrt(z.size)


@pytest.mark.parametrize("method", TEMPERED)
@pytest.mark.parametrize("setting", [{"form": "joint"}, {"ladder": "adapted"}, {"prior": 2}, {"initial_iterations": 0}])
def test_forms_ladders_priors_and_starts_change_nothing_that_counts(method, setting):
    rbm = normal_rbm(3)
    found = run(method, rbm, sweeps=3000, chains=40, base="uniform", **setting)
    error = found.log_z - exact_log_z(rbm)
    assert abs(error) < 4 * found.std_error < 0.6
    assert found.form == setting.get("form", "marginal")
    # The base alone is further off.
    assert abs(log_z_base(np.zeros(8), 5) - exact_log_z(rbm)) > 0.6


@pytest.mark.parametrize("method", NAMES)
def test_threads_do_not_change_a_bit(method):
    one, two = (run(method, normal_rbm(1), sweeps=130, chains=9, threads=threads) for threads in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("method", "options", "match"),
    [
        ("sams", {"groups": 1}, "groups"),
        ("sams", {"exponent": 0.5}, "exponent"),
        ("sams", {"exponent": 1.0}, "exponent"),
        ("sams", {"flatness": 0}, "flatness"),
        ("sams", {"first_stage": 1.0}, "first_stage"),
        ("sams", {"initial_iterations": -1}, "initial_iterations"),
        ("sams", {"prior": [1.0]}, "prior"),
        ("sams", {"ladder": "steep"}, "ladder"),
        ("wang-landau", {"flatness": 1.0}, "flatness"),
        ("wang-landau", {"groups": 2.5}, "groups"),
        ("ais-moments", {"knots": 1}, "knots"),
        ("ais-moments", {"moments": 0.5, "fitting": 0.5}, "moments, fitting"),
        ("ais-moments", {"moments": 0}, "moments"),
        ("ais-moments", {"learning_rate": -1}, "learning_rate"),
        ("ais-moments", {"base": [0.0]}, "base"),
    ],
)
def test_impossible_options_are_refused_before_any_sweep(method, options, match):
    ledger = SweepLedger(300, 4)
    with pytest.raises(ValueError, match=match) as caught:
        estimator(method)(normal_rbm(0), ledger, root_stream(0), options)
    assert "\n" not in str(caught.value)
    assert ledger.spent == 0


def test_groups_hold_two_chains_and_there_are_two():
    for chains, groups, starts in (
        (100, 20, 5 * np.arange(20)),
        (7, 20, [0, 2, 4]),
        (3, 20, [0, 1]),
        (2, 2, [0, 1]),
        (11, 4, [0, 2, 5, 8]),
    ):
        np.testing.assert_array_equal(adjusted.group_starts(chains, groups), starts)
    with pytest.raises(ValueError, match="chains: expected at least 2"):
        adjusted.group_starts(1, 20)


def softmax_rows(log_weights):
    """Rows normalised to one."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def settle(recursion, sweeps, prior, log_z, sizes, draw, start=0.0):
    """log Zhat (group, rung) after steps on rungs drawn independently, from q proportional to r Z / Zhat."""
    log_z_hat = np.full((sizes.size, prior.size), start)
    log_z_hat[:, 0] = 0.0
    recursion.start(log_z_hat, prior, sizes, sweeps)
    generator = np.random.default_rng(5)
    for _ in range(sweeps):
        q = softmax_rows(np.log(prior) + log_z - log_z_hat)
        visits = np.array([generator.multinomial(n, p) for n, p in zip(sizes, q, strict=True)], float)
        recursion.step(*draw(q * sizes[:, None], visits))
        log_z_hat -= log_z_hat[:, :1].copy()
    return log_z_hat


PRIOR = np.array([0.1, 0.2, 0.3, 0.4])
LOG_Z = np.array([0.0, 3.0, -2.0, 5.0])
SIZES = np.array([3, 5, 4])


def test_self_adjustment_finds_log_z_from_visits_alone():
    # Draws of single rungs in place of q: nothing else carries the answer.
    found = settle(TwoStages(0.8, 0.2, 0.2), 20_000, PRIOR, LOG_Z, SIZES, lambda q, visits: (visits, visits))
    np.testing.assert_allclose(found, np.tile(LOG_Z, (3, 1)), atol=0.12)
    # A rung whose visits are not weighed by its prior ends elsewhere.
    wrong = settle(TwoStages(0.8, 0.2, 0.2), 20_000, PRIOR, LOG_Z, SIZES, lambda q, visits: 2 * [visits * PRIOR])
    assert np.max(np.abs(wrong - LOG_Z)) > 0.5


def test_an_error_of_the_start_is_forgotten_as_one_over_t():
    errors = []
    for sweeps in (1000, 10_000):
        recursion = TwoStages(0.8, 0.2, 0.2)
        found = settle(recursion, sweeps, PRIOR, LOG_Z, SIZES, lambda q, visits: (q, visits), start=2.0)
        assert recursion.second.all()
        errors.append(np.max(np.abs(found - LOG_Z)))
    # Exact q leaves no noise, so what is left is the start.
    assert errors[0] < 0.5
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.35)


def test_the_first_stage_ends_when_the_rungs_are_even_or_its_share_is_spent():
    even = TwoStages(0.8, 0.2, 0.5)
    even.start(np.zeros((2, 4)), np.full(4, 0.25), np.array([1, 1]), 100)
    uneven = np.array([1.0, 0.0, 0.0, 0.0])
    even.step(np.array([np.full(4, 0.25), uneven]), None)
    np.testing.assert_array_equal(even.second, [True, False])
    for _ in range(48):
        even.step(np.array([uneven, uneven]), None)
    np.testing.assert_array_equal(even.second, [True, False])
    even.step(np.array([uneven, uneven]), None)
    assert even.second.all()


def test_no_step_exceeds_what_earlier_steps_allow():
    recursion = TwoStages(0.8, 0.2, 0.2)
    log_z_hat = np.zeros((1, 4))
    recursion.start(log_z_hat, PRIOR, np.array([2]), 100)
    recursion.step(np.array([[2.0, 0.0, 0.0, 0.0]]), None)
    # At first the gain is the smallest weight: all draws at that rung move it by one nat.
    np.testing.assert_allclose(log_z_hat, [[1.0, 0.0, 0.0, 0.0]])


def test_the_factor_is_halved_when_flat_and_then_falls_as_one_over_t():
    recursion = HalvedFactor(0.8)
    recursion.start(np.zeros((1, 4)), np.full(4, 0.25), np.array([2]), 1000)
    recursion.step(None, np.array([[2, 0, 0, 0]]))
    assert recursion.log_factor[0] == 1.0 and not recursion.settled()
    np.testing.assert_allclose(recursion.log_z_hat, [[2.0, 0.0, 0.0, 0.0]])
    for rung in (1, 2, 3):
        recursion.step(None, 2 * np.eye(4)[[rung]])
    assert recursion.log_factor[0] == 0.5
    for sweep in range(4):
        recursion.step(None, 2 * np.eye(4)[[sweep]])
    # After 8 sweeps of 2 chains K / (n t) = 1 / 4 is what halving comes to.
    assert recursion.settled()
    recursion.step(None, np.ones((1, 4)) / 2)
    np.testing.assert_allclose(recursion.log_factor, 4 / (2 * 9))


def test_visits_with_halved_factors_find_log_z():
    recursion = HalvedFactor(0.8)
    found = settle(recursion, 20_000, PRIOR, LOG_Z, SIZES, lambda q, visits: (q, visits))
    assert recursion.settled()
    np.testing.assert_allclose(found, np.tile(LOG_Z, (3, 1)), atol=0.12)


def test_a_run_that_was_never_flat_is_flagged():
    rbm = normal_rbm(2, scale=1.0)
    assert run("wang-landau", rbm, sweeps=400).converged
    assert not run("wang-landau", rbm, sweeps=400, flatness=0.999).converged
    hopeless = RBM(np.full((20, 12), 1.0), np.full(20, -6.0), np.full(12, -10.0))
    for method in TEMPERED:
        assert not run(method, hopeless, sweeps=40, base="uniform", rungs=100).converged


def dyadic_terms(seed, visible=40, hidden=70):
    """Parameters that are multiples of 1 / 64: halfway between two of them fixed point is exact."""
    generator = np.random.default_rng(seed)
    return averaged.Terms(*(np.rint(64 * generator.normal(0, 1, s)) / 64 for s in ((visible, hidden), visible, hidden)))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_sweeps_between_two_models_are_those_of_the_model_between(share):
    near, far = dyadic_terms(0), dyadic_terms(1)
    between = [(1.0 - share) * a + share * b for a, b in zip(near, far, strict=True)]
    key, count = root_stream(3).key, 6
    start = np.random.default_rng(2).integers(0, 2, (count, 40))
    plain = new_chains(count, 40, 70)
    plain.v[...] = start
    parameters = fixed_point_parameters(*between, np.zeros(40))
    twins.refresh_inputs(parameters, plain)
    run_sweeps(parameters, key, 5, 9, np.ones(count, np.float32), plain)
    pair = paired_chains(count, 40, 70)
    pair.v[...] = start
    unit = max(fixed_point_unit(*terms, np.zeros(1)) for terms in (near, far))
    both = paired_parameters(near, far, unit)
    twins.refresh_inputs(both, pair)
    log_weight = np.zeros(count)
    run_between(both, np.full(6, share), key, 5, pair, log_weight)
    np.testing.assert_array_equal(pair.v, plain.v)
    np.testing.assert_array_equal(pair.h, plain.h)
    np.testing.assert_allclose(log_weight, 0.0, atol=1e-9)
    run_between(both, np.array([share, 0.25]), key, 9, pair, log_weight)
    expected = [log_f(near, far, plain.v, s) for s in (0.25, share)]
    np.testing.assert_allclose(log_weight, expected[0] - expected[1], atol=1e-4)
    assert np.median(np.abs(log_weight)) > 1.0


def log_f(near, far, v, share):
    """log f(v) at a share of the way, plain NumPy."""
    rbm = RBM(*((1.0 - share) * a + share * b for a, b in zip(near, far, strict=True)))
    return twins.log_f_marginal(rbm, np.zeros(rbm.visible), v.astype(float))


@pytest.mark.parametrize("sweeps", [1, 5, 60])
def test_weights_are_unbiased_along_straight_and_fitted_paths(sweeps):
    rbm = normal_rbm(4, 6, 4, scale=1.2)
    ledger = SweepLedger(sweeps, 20_000)
    options = {"base": "uniform", "knots": 4, "moments": 0.2, "fitting": 0.4}
    draws = averaged.run(rbm, ledger, root_stream(6), **options)
    assert ledger.spent == sweeps
    assert ("fitting" in ledger.by_purpose) == (sweeps == 60)
    ratio = np.exp(draws.log_weight + draws.log_z_base - exact_log_z(rbm))
    assert ratio.std() > 0.02
    bound = 4 * ratio.std() / math.sqrt(ratio.size)
    assert abs(ratio.mean() - 1.0) < bound
    assert abs(math.exp(0.1) * ratio.mean() - 1.0) > bound


def moments_of(terms):
    """Exact moments (Terms) of an RBM."""
    pairs, visible, hidden = twins.expectations(RBM(*terms))
    return averaged.Terms(pairs, visible, hidden)


def test_fitted_knots_have_nearly_the_moments_that_were_wanted():
    rbm = normal_rbm(5, 6, 4, scale=1.5)
    base, model = averaged.Terms(np.zeros((6, 4)), np.zeros(6), np.zeros(4)), averaged.Terms(*_parts(rbm))
    cold, key = averaged.base_moments(base.visible, 4), root_stream(8).key
    warm, chains = averaged.model_moments(rbm, base.visible, key, 2000, 60, 1)
    for found, exact in zip(warm, moments_of(model), strict=True):
        np.testing.assert_allclose(found, exact, atol=0.02)
    path = averaged.fitted_path((base, model), cold, warm, chains, 5, key, 60, 0.3, 1)
    assert len(path) == 5 and path[0] is base and path[-1] is model
    for knot in (1, 2, 3):
        beta = knot / 4
        wanted = [(1.0 - beta) * a + beta * b for a, b in zip(cold, warm, strict=True)]
        straight = [beta * b for b in model]
        error, unfitted = (
            max(np.max(np.abs(a - b)) for a, b in zip(moments_of(terms), wanted, strict=True))
            for terms in (path[knot], straight)
        )
        assert error < 0.05
        assert error < 0.5 * unfitted
    shares = averaged.sweep_shares(path, cold, warm)
    assert shares[0] == 0.0 and shares[-1] == 1.0 and np.all(np.diff(shares) > 0.0)


def _parts(rbm):
    return rbm.weights, rbm.visible_bias, rbm.hidden_bias


def test_budgets_of_the_phases_add_up():
    for sweeps in (0, 1, 49, 50, 333, 1000, 10**6):
        for knots in (2, 3, 9):
            budget = averaged.shares_of(sweeps, knots, 0.1, 0.3)
            assert budget.moments + budget.updates * (knots - 2) + budget.annealing == sweeps
            assert (budget.moments == 0) == (budget.updates == 0)
    assert averaged.shares_of(1000, 5, 0.1, 0.3) == (100, 100, 600)
