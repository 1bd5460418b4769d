"""Estimators on draws of simulated tempering: formulas on draws made by hand, then errors and intervals."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pymbar
import pytest
from scipy.optimize import approx_fprime
from scipy.special import logsumexp, softmax
from twins import normal_rbm

from logzoo import exact_log_z
from logzoo.budgets import SweepLedger
from logzoo.estimators import mbar, tempered_sampling
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.tempered_sampling import delta_method
from logzoo.estimators.tempering_estimates import drift
from logzoo.estimators.ti import log_ratio
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.samplers.observers import GroupedMoves, RungDerivatives, Stretch, ThinnedDraws, WeightedDerivatives
from logzoo.samplers.tempering_chains import updated_log_z
from logzoo.samplers.tempering_runs import run
from logzoo.streams import root_stream

# Rungs with which the error of each rule of integration is well below the standard error of the runs here.
RUNGS = {"ti-corrected": 30, "ti-rb": 60}
MORE = {"rts mixed": {"mixed": True}, "mbar": {"draws": 1000}}
REPEATS = 40
# Chains travel freely.
SMALL = normal_rbm(11, 8, 5, 0.7)


def estimated(kind, seed=0, *, rbm=SMALL, sweeps=300, chains=24, **options):
    """An estimate from the uniform base."""
    options = {"base": "uniform", "rungs": RUNGS.get(kind, 20), **MORE.get(kind, {}), **options}
    stream = root_stream(seed).child("tempered", kind)
    return estimator(kind.split()[0])(rbm, SweepLedger(sweeps, chains), stream, options)


@pytest.mark.parametrize("rule", ["riemann", "trapezoid", "corrected"])
def test_rules_of_integration_are_exact_where_they_should_be(rule):
    betas = np.array([0.0, 0.1, 0.35, 0.4, 0.8, 1.0])
    degree = {"riemann": 0, "trapezoid": 1, "corrected": 3}[rule]
    for power in range(degree + 2):
        mean, second = betas**power, power * betas ** max(power - 1, 0)
        error = log_ratio(betas, mean, second, rule=rule) - 1.0 / (power + 1)
        assert abs(error) < 1e-14 if power <= degree else abs(error) > 1e-4
    # Riemann sums take the right end.
    assert log_ratio(np.array([0.0, 0.3, 1.0]), np.array([100.0, 1.0, 2.0]), rule="riemann") == pytest.approx(1.7)


@pytest.mark.parametrize("kind", ["ti-riemann", "ti-trapezoid", "ti-corrected", "ti-rb"])
def test_the_error_of_a_rule_is_unknown_with_two_rungs_and_measured_with_three(kind):
    two, three = (estimated(kind, rungs=rungs) for rungs in (2, 3))
    assert "coarse-rule" in two.reasons and "rule_error" not in two.diagnostics
    assert three.diagnostics["rule_error"] > 0.0
    # The base of one unit is far off, so the integrand falls in the last interval of the ladder.
    far = {"base": [300.0, *np.zeros(7)], "rungs": 20}
    assert "coarse-rule" in estimated(kind, **far).reasons


def test_empty_rungs_are_filled_linearly_row_by_row():
    betas = np.array([0.0, 0.2, 0.3, 0.9, 1.0])
    full = np.array([2.0 * betas + 1.0, -betas])
    holes = full.copy()
    holes[0, [1, 3]], holes[1, 2] = np.nan, np.nan
    for rule in ("riemann", "trapezoid", "corrected"):
        expected = log_ratio(betas, full, full, rule=rule)
        np.testing.assert_allclose(log_ratio(betas, holes, holes, rule=rule), expected, rtol=1e-12)
    assert np.isnan(holes[0, 1])
    ends = np.array([np.nan, 3.0, np.nan, 3.0, np.nan])
    assert log_ratio(betas, ends, rule="trapezoid") == pytest.approx(3.0)
    with pytest.raises(ValueError, match="mean: expected a value"):
        log_ratio(betas, np.full(5, np.nan), rule="trapezoid")


def observed(observer, rungs=5):
    """An observer that has seen stretches of 3 chains with random values and tables, and all draws as one stretch."""
    generator = np.random.default_rng(3)
    values, path = generator.standard_normal((3, 20, 8)), generator.integers(rungs, size=(3, 21))
    tables, offset = generator.standard_normal((3, 8, rungs)), generator.standard_normal(rungs)
    observer.start(3, rungs, 20)
    for first, last in pairwise((0, 7, 8, 20)):
        observer.add(Stretch(values[:, first:last], path[:, first : last + 1], *tables, offset))
    return observer, Stretch(values, path, *tables, offset)


def test_derivatives_are_summed_at_the_rung_drawn_given_the_state():
    observer, whole = observed(RungDerivatives())
    after = whole.rungs[:, 1:]
    slope, bend = (
        np.take_along_axis(whole.values @ table, after[..., None], axis=2)[..., 0]
        for table in (whole.slopes, whole.curvatures)
    )
    for k in range(5):
        at_rung = after == k
        expected = np.array([np.where(at_rung, term, 0.0).sum(axis=1) for term in (1.0, slope, slope**2, bend)])
        np.testing.assert_allclose(observer.sums[:, :, k], expected.T, atol=1e-12)


def test_weighted_derivatives_are_summed_at_every_rung():
    observer, whole = observed(WeightedDerivatives())
    q = softmax(whole.values @ whole.readout + whole.offset, axis=2)
    expected = np.stack([q.sum(axis=1), (q * (whole.values @ whole.slopes)).sum(axis=1)], axis=1)
    np.testing.assert_allclose(observer.sums, expected, atol=1e-8)


def test_moves_are_counted_or_weighted_by_group():
    for rao_blackwell in (False, True):
        observer, whole = observed(GroupedMoves(2, rao_blackwell=rao_blackwell))
        q = softmax(whole.values @ whole.readout + whole.offset, axis=2)
        after = q if rao_blackwell else np.eye(5)[whole.rungs[:, 1:]]
        chains = np.einsum("csj,csk->cjk", np.eye(5)[whole.rungs[:, :-1]], after)
        np.testing.assert_allclose(observer.sums, [chains[0] + chains[2], chains[1]], atol=1e-8)
    assert len(observed(GroupedMoves(20, rao_blackwell=False))[0].sums) == 3


@pytest.mark.parametrize(("draws", "stride"), [(60, 1), (20, 3), (1, 20)])
def test_thinned_draws_are_equally_far_apart_and_within_their_number(draws, stride):
    observer, whole = observed(ThinnedDraws(draws))
    assert observer.stride == stride and observer.rungs.size <= max(draws, 3)
    np.testing.assert_array_equal(observer.values, whole.values[:, stride - 1 :: stride])
    np.testing.assert_array_equal(observer.rungs, whole.rungs[:, stride::stride])


def gaussian_draws(rungs=6, draws=900, seed=0, *, every=1):
    """log f (draw, rung) of exp(-x^2 / 2 s_k^2) with draws at every so-many-th rung, their counts, and exact ratios."""
    generator = np.random.default_rng(seed)
    width = np.geomspace(1.0, 6.0, rungs)
    rung = np.sort(generator.integers(-(-rungs // every), size=draws) * every)
    x = generator.normal(0.0, width[rung])
    return -0.5 * (x[:, None] / width) ** 2, np.bincount(rung, minlength=rungs), np.log(width)


def solved_with_errors(log_f, counts, start):
    """log Z_k - log Z_1 by MBAR, and their standard errors for independent draws."""
    result = mbar.log_ratios(log_f, counts, start)
    rungs = np.repeat(np.arange(counts.size), counts)
    return result, np.sqrt(np.sum(mbar.influence(log_f, rungs, result) ** 2, axis=0))


def test_mbar_errors_are_those_of_pymbar_for_independent_draws():
    log_f, counts, _ = gaussian_draws(draws=3000)
    result, error = solved_with_errors(log_f, counts, np.zeros(6))
    theirs = pymbar.MBAR(-log_f.T, counts, initial_f_k=-result).compute_free_energy_differences()
    np.testing.assert_allclose(result, -theirs["Delta_f"][0], atol=1e-6)
    np.testing.assert_allclose(error[1:], theirs["dDelta_f"][0, 1:], rtol=0.05)


@pytest.mark.parametrize("every", [1, 2])
def test_mbar_comes_to_its_solution_from_afar(every):
    log_f, counts, exact = gaussian_draws(every=every)
    right = mbar.log_ratios(log_f, counts, exact)
    for start in (exact + 1e-5 * np.arange(6), 30.0 * np.arange(6), -np.array([0.0, 500.0, 2.0, 900.0, 0.0, 70.0])):
        np.testing.assert_allclose(mbar.log_ratios(log_f, counts, start), right, rtol=0, atol=2e-9)
    # The equations of MBAR hold.
    mixture = np.sum(counts * np.exp(log_f - right), axis=1)
    np.testing.assert_allclose(np.log(np.sum(np.exp(log_f) / mixture[:, None], axis=0)), right, rtol=0, atol=2e-9)


@pytest.mark.parametrize("apart", [4.0, 10.0])
def test_mbar_solves_for_rungs_that_hardly_overlap(apart):
    # Normal densities between which a handful of draws lie, or none at all. All ratios are 0.
    generator, centres, counts = np.random.default_rng(0), apart * np.arange(4), np.full(4, 200)
    x = np.repeat(centres, 200) + generator.normal(size=800)
    log_f = -0.5 * (x[:, None] - centres) ** 2
    for start in (np.zeros(4), np.array([0.0, 3.0, -40.0, 10.0])):
        result, error = solved_with_errors(log_f, counts, start)
        again = logsumexp(log_f - logsumexp(log_f - result + np.log(counts), axis=1, keepdims=True), axis=0)
        np.testing.assert_allclose(again - again[0], result, rtol=0, atol=1e-6)
        if apart == 4.0:
            assert np.all(np.abs(result) < 3 * error + 1e-9) and error[-1] < 1.0


def test_mbar_refuses_a_solution_that_steps_do_not_come_to(monkeypatch):
    log_f, counts, exact = gaussian_draws()
    with pytest.raises(ValueError, match="mbar: .*not solved"):
        mbar.log_ratios(log_f, counts, np.full(6, np.nan))
    monkeypatch.setattr(mbar, "_STEPS", 1)
    with pytest.raises(ValueError, match=r"mbar: .*changes by 0\.\d+ nats"):
        mbar.log_ratios(log_f, counts, exact + 0.5 * np.arange(6))


def mixed_case(blocks=4, rungs=6):
    """A prior, log Zhat per block, and draws per block."""
    generator = np.random.default_rng(2)
    prior = generator.dirichlet(np.ones(rungs) * 5)
    log_z_hats = np.cumsum(generator.normal(1.0, 1.0, (blocks, rungs)), axis=1)
    return prior, log_z_hats - log_z_hats[:, :1], generator.gamma(2.0, 50.0, (blocks, rungs))


def test_the_mixed_likelihood_has_the_derivatives_it_says():
    case = mixed_case()
    log_z = np.linspace(0.0, 4.0, 6)
    _, *derivatives = tempered_sampling.likelihood(log_z, *case)
    for order, derivative in enumerate(derivatives):
        numeric = approx_fprime(log_z, lambda z, order=order: tempered_sampling.likelihood(z, *case)[order], 1e-6)
        np.testing.assert_allclose(derivative, numeric, atol=1e-5)
    gradient, curvature = derivatives
    assert np.all(np.linalg.eigvalsh(curvature) < 1e-12)
    assert gradient.sum() == pytest.approx(0.0, abs=1e-12)


def test_one_block_gives_equation_12():
    prior, log_z_hats, occupancy = mixed_case(1)
    occupancy[0, 2] = 1e-200
    result = tempered_sampling.maximise(prior, log_z_hats, occupancy)
    np.testing.assert_allclose(result, updated_log_z(log_z_hats[0], prior, occupancy[0]), rtol=1e-10, atol=1e-10)


def test_blocks_at_different_log_z_hat_give_the_exact_ratios_from_expected_occupancies():
    prior, log_z_hats, sizes = mixed_case()
    exact = np.array([0.0, 1.0, 3.0, 2.0, 5.0, 4.0])
    occupancy = softmax(np.log(prior) + exact - log_z_hats, axis=1) * sizes.sum(axis=1, keepdims=True)
    for start in (None, np.zeros(6), exact + 5.0 * np.arange(6)):
        np.testing.assert_allclose(tempered_sampling.maximise(prior, log_z_hats, occupancy, start), exact, atol=1e-8)


def test_the_delta_method_follows_equations_25_and_26():
    ends = np.random.default_rng(4).gamma(20.0, 1.0, (30, 2)) * [1.0, 3.0]
    first, last = ends.mean(axis=0)
    (variance_1, both), (_, variance_k) = np.cov(ends.T) / 30
    bias, std_error = delta_method(ends)
    assert bias == pytest.approx(0.5 * (variance_1 / first**2 - variance_k / last**2), rel=1e-10)
    expected = variance_1 / first**2 + variance_k / last**2 - 2 * both / (first * last)
    assert std_error == pytest.approx(math.sqrt(expected), rel=1e-10)
    assert delta_method(1e-300 * ends) == pytest.approx((bias, std_error))


def test_stationary_distributions_of_random_walks_are_exact_down_to_tiny_ones():
    up, down = np.array([1e-6, 0.3, 1e-5, 0.2]), np.array([0.4, 0.1, 0.7, 1e-3])
    walk = np.diag(up, 1) + np.diag(down, -1)
    walk += np.diag(1.0 - walk.sum(axis=1))
    expected = np.append(1.0, np.cumprod(up / down))
    result = stationary(walk)
    np.testing.assert_allclose(result, expected / expected.sum(), rtol=1e-10)
    assert result.min() < 1e-9
    # Neither the sums of the rows nor the order of the states matters.
    order = np.array([3, 0, 4, 2, 1])
    rows = np.array([7.0, 1e-3, 1.0, 40.0, 2.0])[:, None]
    np.testing.assert_allclose(stationary((rows * walk)[np.ix_(order, order)]), result[order], rtol=1e-10)


def test_stationary_distributions_exist_for_chains_that_fall_apart():
    np.testing.assert_allclose(stationary(np.zeros((4, 4))), 0.25)
    np.testing.assert_allclose(stationary(np.eye(3)), 1 / 3)
    absorbed = stationary(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(absorbed, [0.0, 0.0, 1.0], atol=1e-12)


def test_smoothed_moves_favour_no_rung():
    np.testing.assert_allclose(stationary(smoothed(np.zeros((6, 6)))), 1 / 6)
    moves = np.zeros((4, 4))
    moves[0, 1], moves[1, 0] = 30.0, 20.0
    result = stationary(smoothed(moves))
    # Rungs without visits are joined to the nearest visited rung.
    assert np.all(result > 0.0)
    assert result[3] == pytest.approx(result[2])


# test_estimators_accuracy.py compares all other estimators in the marginal form with the truth.
@pytest.mark.parametrize(
    ("kind", "form"),
    [("rts mixed", "marginal"), ("mbar", "joint"), ("rsd", "joint"), ("ti-corrected", "joint"), ("ts", "joint")],
)
def test_estimates_are_unbiased_and_their_errors_honest(kind, form):
    exact, estimates = exact_log_z(SMALL), [estimated(kind, seed, form=form) for seed in range(REPEATS)]
    error, std_error = np.transpose([(estimate.log_z - exact, estimate.std_error) for estimate in estimates])
    inside = np.array([estimate.interval[0] <= exact <= estimate.interval[1] for estimate in estimates])
    z = error / std_error
    assert abs(z.mean()) < 4 / math.sqrt(REPEATS) and 0.65 < z.std(ddof=1) < 1.5
    # 95% of 40, less four standard deviations of that count.
    assert inside.sum() >= 0.95 * REPEATS - 4 * math.sqrt(0.95 * 0.05 * REPEATS)
    assert std_error.mean() < 0.2


@pytest.mark.parametrize("kind", ["mbar", "rts"])
def test_settling_is_paid_for_and_can_be_left_out(kind):
    for settling in (0.0, 0.25):
        ledger = SweepLedger(300, 24)
        options = {"base": "uniform", "rungs": 20, **MORE.get(kind, {}), "settling": settling}
        estimator(kind)(SMALL, ledger, root_stream(0), options)
        settled = ledger.by_purpose.get("settling", 0)
        assert settled == int(settling * (settled + ledger.by_purpose["sampling"]) / 24) * 24
        assert bool(settled) == bool(settling) and ledger.spent == 300


def test_settling_hides_the_draws_that_come_first():
    seen = []
    observer = SimpleNamespace(
        reads_values=False, start=lambda *sizes: seen.append(sizes), add=lambda stretch: seen.append(stretch.rungs)
    )
    options = {"base": "uniform", "rungs": 10, "observers": (observer,), "blocks": 1}
    ledger = SweepLedger(400, 5)
    run(SMALL, ledger, root_stream(0), settling=0.5, **options)
    sampled = ledger.by_purpose["sampling"] // 5
    assert seen[0] == (5, 10, sampled)
    assert sum(rungs.shape[1] - 1 for rungs in seen[1:]) == sampled
    hidden = seen[1:]
    seen.clear()
    run(SMALL, SweepLedger(400, 5), root_stream(0), **options)
    late, every = (np.concatenate([rungs[:, 1:] for rungs in part], axis=1) for part in (hidden, seen[1:]))
    np.testing.assert_array_equal(late, every[:, -sampled:])


def test_drift_tells_a_run_whose_halves_differ():
    generator = np.random.default_rng(1)
    occupancy = generator.gamma(30.0, 1.0, (7, 40, 3))
    draws = SimpleNamespace(occupancy=occupancy, log_z_hats=np.zeros((7, 3)))
    assert abs(drift(draws)) < 4
    occupancy[4:, :, 2] *= 1.5
    assert drift(draws) > 6
    # A change of log Zhat between blocks that fits the occupancies is no drift.
    draws.log_z_hats = np.repeat([[0.0] * 3, [0.0, 0.0, -math.log(1.5)]], [4, 3], axis=0)
    assert abs(drift(draws)) < 4
    assert drift(SimpleNamespace(occupancy=occupancy[:1], log_z_hats=np.zeros((1, 3)))) == 0.0
