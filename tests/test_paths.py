"""Bases, tempered paths, the interpolation along them, ladders of equal length or barrier, and priors of the rungs."""

from itertools import pairwise

import numpy as np
import pytest
import twins
from scipy.special import logsumexp, softmax

from logzoo import RBM, exact_log_z, paths
from logzoo.budgets import SweepLedger
from logzoo.paths import chebyshev_nodes, equal_length, interpolation_matrix, inverse_temperatures, prior_weights
from logzoo.samplers import annealed, tempering_runs
from logzoo.samplers.annealed import annealing_ladder, lengths_of_rounds
from logzoo.samplers.base import checked_base
from logzoo.samplers.observers import Curvature
from logzoo.samplers.tempering_chains import updated_log_z
from logzoo.streams import root_stream

BASE = np.array([0.5, -1.0, 0.0, 2.0, -0.5, 1.0])


# An RBM with two modes, on whose path most of the length lies at small beta.
STEEP = twins.normal_rbm(8, 6, 4, 3.0)


def log_f(betas):
    """log f_beta(v) (point, state) along the path."""
    return np.array([twins.log_f_marginal(STEEP, BASE, twins.all_states(6), beta) for beta in betas])


def exact_curve(betas, step=1e-3):
    """log Z along the path (point,) and its second derivative in beta, both by enumerating v."""
    low, log_z, high = (logsumexp(log_f(betas + shift), axis=1) for shift in (-step, 0.0, step))
    return log_z, (low - 2.0 * log_z + high) / step**2


def lengths(betas):
    """Exact thermodynamic length (gap,) between neighbouring rungs, in shares of the whole."""
    fine = np.linspace(0.0, 1.0, 401)
    speed = np.sqrt(exact_curve(fine)[1])
    length = np.append(0.0, np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(fine)))
    return np.diff(np.interp(betas, fine, length)) / length[-1]


def test_rungs_lie_at_equal_steps_of_the_exact_length(monkeypatch):
    monkeypatch.setattr(paths, "_LINEAR_SHARE", 1e-9)
    linear = np.linspace(0.0, 1.0, 60)
    placed = equal_length(linear, exact_curve(linear)[1])
    assert placed[0] == 0.0 and placed[-1] == 1.0 and np.all(np.diff(placed) > 0.0)
    np.testing.assert_allclose(59 * lengths(placed), 1.0, atol=0.05)


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_no_gap_is_wider_than_the_linear_share_allows(share, monkeypatch):
    monkeypatch.setattr(paths, "_LINEAR_SHARE", share)
    linear = np.linspace(0.0, 1.0, 50)
    placed = equal_length(linear, np.where(linear > 0.9, 1e6, 1e-6))
    assert np.max(49 * np.diff(placed)) <= 1.0 / share * (1.0 + 1e-9)
    if share == 1.0:
        np.testing.assert_allclose(placed, linear, atol=1e-12)


def barrier(betas):
    """Rejection rate (gap,) of exchanges between neighbours, from their exact distributions."""
    p, steps = softmax(log_f(betas), axis=1), np.diff(log_f(betas), axis=0)
    accepted = [a @ np.minimum(1.0, np.exp(s[:, None] - s)) @ b for a, b, s in zip(p, p[1:], steps, strict=False)]
    return 1.0 - np.array(accepted)


def test_rungs_at_equal_steps_of_the_barrier_exchange_equally_often(monkeypatch):
    monkeypatch.setattr(paths, "_LINEAR_SHARE", 1e-9)
    betas = linear = np.linspace(0.0, 1.0, 12)
    tried = np.full(11, 1e6)
    for _ in range(3):
        betas = paths.equal_barrier(betas, tried, tried * (1.0 - barrier(betas)))
    assert betas[0] == 0.0 and betas[-1] == 1.0 and np.all(np.diff(betas) > 0.0)
    assert np.ptp(barrier(betas)) < 0.02 < 0.1 < np.ptp(barrier(linear))


def test_log_z_carried_to_other_rungs_keeps_its_ends_and_its_shape():
    linear = np.linspace(0.0, 1.0, 60)
    log_z = exact_curve(linear)[0]
    other = equal_length(linear, exact_curve(linear)[1])
    result = paths.carried(log_z, linear, other)
    np.testing.assert_allclose(result, exact_curve(other)[0], atol=0.01)
    assert result[0] == log_z[0] and result[-1] == log_z[-1]


@pytest.mark.parametrize("form", ["marginal", "joint"])
def test_the_observed_curvature_is_the_second_derivative_of_log_z(form):
    observer = Curvature()
    options = {"base": BASE, "rungs": 15, "form": form, "observers": (observer,)}
    draws = tempering_runs.run(STEEP, SweepLedger(2000, 30), root_stream(4), **options)
    expected = exact_curve(draws.betas)[1]
    np.testing.assert_allclose(observer.values(), expected, rtol=0.08)


def test_rungs_nobody_saw_take_the_curvature_of_their_neighbours():
    observer = Curvature()
    observer.start(1, 5, 10)
    observer.sums = np.array([[0.0, 10.0, 0.0, 10.0, 0.0], np.zeros(5), [0.0, 20.0, 0.0, 40.0, 0.0], np.zeros(5)])
    np.testing.assert_allclose(observer.values(), [2.0, 2.0, 3.0, 4.0, 4.0])
    observer.start(1, 5, 10)
    np.testing.assert_allclose(observer.sums[0], [0.0, 5.0, 0.0, 5.0, 0.0])
    observer.sums[:] = 0.0
    np.testing.assert_array_equal(observer.values(), np.ones(5))


def test_the_adapted_ladder_evens_out_the_lengths_and_log_z_stays_right():
    ledger = SweepLedger(4000, 40)
    draws = tempering_runs.run(STEEP, ledger, root_stream(9), base=BASE, rungs=20, ladder="adapted")
    assert ledger.spent == 4000
    assert draws.betas.size == 20 and draws.betas[0] == 0.0 and draws.betas[-1] == 1.0
    uneven = [np.max(19 * lengths(betas)) for betas in (draws.betas, np.linspace(0.0, 1.0, 20))]
    assert uneven[0] < 1.3 < 1.6 < uneven[1]
    occupancy = draws.occupancy.sum(axis=(0, 1))
    result = draws.log_z_base + updated_log_z(draws.log_z_hat, draws.prior, occupancy / occupancy.sum())
    expected = exact_curve(draws.betas)[0]
    np.testing.assert_allclose(result, expected, atol=0.03)


def test_a_number_as_prior_is_an_exponential_in_beta():
    betas = np.array([0.0, 0.2, 0.7, 1.0])
    r = prior_weights(2, betas)
    assert r.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(r[1:] / r[0], np.exp(2.0 * betas[1:]))
    np.testing.assert_allclose(prior_weights(-3.0, betas)[0] / prior_weights(-3.0, betas)[-1], np.exp(3.0))
    np.testing.assert_allclose([prior_weights(0, betas), prior_weights(None, betas)], 0.25)
    np.testing.assert_allclose(prior_weights([1, 2, 3, 4], betas), np.arange(1, 5) / 10)
    assert not np.allclose(r, prior_weights(2, betas[::-1]))


@pytest.mark.parametrize("sweeps", [0, 3, 4, 11, 12, 2000])
def test_rounds_double_and_take_no_more_than_their_share(sweeps):
    lengths = lengths_of_rounds(sweeps)
    assert sum(lengths) == (sweeps if sweeps >= 4 else 0)
    assert all(later >= earlier for earlier, later in pairwise(lengths))
    assert all(length >= 4 for length in lengths)


@pytest.mark.parametrize("sampler", [annealed.run, annealed.run_in_islands])
def test_annealing_by_rounds_is_paid_for_and_without_bias(sampler):
    truth, log_ratios = exact_log_z(STEEP), []
    for number in range(400):
        ledger = SweepLedger(40, 20)
        draws = sampler(STEEP, ledger, root_stream(number), base=BASE, ladder="adapted")
        assert ledger.by_purpose == {"adapting": 160, "annealing": 640}
        log_ratios.append(draws.log_z_base + np.logaddexp.reduce(draws.log_weight) - np.log(20.0) - truth)
    ratio = np.exp(log_ratios)
    error = ratio.std(ddof=1) / np.sqrt(ratio.size)
    assert abs(ratio.mean() - 1.0) < 4.0 * error
    # A bias of a seventh would be seen.
    assert error < 0.035


def test_rounds_crowd_where_almost_everything_happens():
    def ladder(sweeps, chains, threads, rungs):
        parameters, ledger = paths.kernel_parameters(STEEP, BASE), SweepLedger(sweeps, chains)
        return annealing_ladder("adapted", parameters, ledger, root_stream(0), threads)(rungs)

    betas = ladder(2000, 100, 1, 30)
    assert betas.size == 30 and np.all(np.diff(betas) > 0.0) and betas[0] == 0.0 and betas[-1] == 1.0
    # In shares of the mean step; the linear ladder has one twice as long.
    assert 29.0 * lengths(betas).max() < 1.3 < 29.0 * lengths(np.linspace(0.0, 1.0, 30)).max()
    np.testing.assert_array_equal(ladder(100, 300, 1, 9), ladder(100, 300, 2, 9))


def test_a_spread_is_that_of_the_weights_of_one_step():
    # Independent units: the increment of a step is their energy, times the difference of the inverse temperatures.
    bias, betas = np.array([1.0, -2.0, 3.0]), np.linspace(0.0, 1.0, 6)
    parameters = paths.kernel_parameters(RBM(np.zeros((3, 2)), bias, np.zeros(2)), np.zeros(3))
    spreads = annealed._spreads(parameters, betas, root_stream(1).key, 4000, 1)
    means = 1.0 / (1.0 + np.exp(-np.outer(betas[:-1], bias)))
    np.testing.assert_allclose(spreads, 0.2 * np.sqrt((means * (1.0 - means)) @ bias**2), rtol=0.06)


WIDE_BASE, MILD = np.array([0.0, 1.0, -2.0, 0.5, 30.0, -30.0]), twins.normal_rbm(3, 6, 4)


def test_log_z_of_the_base_counts_its_states():
    # Visible units weighted by exp(base), hidden units all alike.
    states = twins.all_states(6) @ WIDE_BASE
    assert paths.log_z_base(WIDE_BASE, 4) == pytest.approx(twins.logsumexp(states) + np.log(16), rel=1e-13)
    assert paths.log_z_base(np.zeros(6), 4) == pytest.approx(10 * np.log(2), rel=1e-13)
    assert paths.log_z_base(np.array([1e4]), 1) == pytest.approx(1e4 + np.log(2))


def test_the_path_goes_from_the_base_to_the_model():
    for beta, log_z in ((0.0, paths.log_z_base(WIDE_BASE, 4)), (1.0, exact_log_z(MILD))):
        assert exact_log_z(paths.tempered_rbm(MILD, WIDE_BASE, beta)) == pytest.approx(log_z, rel=1e-12)
    v = twins.all_states(6)
    for beta in (0.0, 0.3, 1.0):
        result = -paths.tempered_rbm(MILD, WIDE_BASE, beta).free_energy(v)
        np.testing.assert_allclose(result, twins.log_f_marginal(MILD, WIDE_BASE, v, beta), rtol=1e-12)


def test_a_base_is_a_known_name_or_finite_log_odds():
    np.testing.assert_array_equal(checked_base(MILD, list(WIDE_BASE)), WIDE_BASE)
    for bad in (WIDE_BASE[:5], "other", "", [np.nan] * 6, [WIDE_BASE]):
        with pytest.raises(ValueError, match="^base: "):
            checked_base(MILD, bad)


def test_log_odds_of_data_are_finite_and_smoothed():
    data = np.array([[0, 1, 1], [0, 1, 0]])
    np.testing.assert_allclose(paths.log_odds(data, pseudo_share=0.25), [-np.log(5.0), np.log(5.0), 0.0], atol=1e-15)
    assert np.all(np.isfinite(paths.log_odds(data)))
    with pytest.raises(ValueError, match="^pseudo_share: "):
        paths.log_odds(data, pseudo_share=0.0)


@pytest.mark.parametrize("rungs", [2, 100])
def test_ladders_increase_from_zero_to_one(rungs):
    for ladder in ("linear", "dense-near-one"):
        betas = inverse_temperatures(ladder, rungs)
        assert betas.size == rungs and betas[0] == 0.0 and betas[-1] == 1.0 and np.all(np.diff(betas) > 0.0)
    np.testing.assert_allclose(np.diff(inverse_temperatures("linear", rungs)), 1 / (rungs - 1))


def test_the_dense_ladder_has_the_published_spacing():
    betas = inverse_temperatures("dense-near-one", 14_501)
    np.testing.assert_allclose(betas[:501], np.arange(501) / 1000, atol=1e-12)
    np.testing.assert_allclose(betas[500:4501], 0.5 + np.arange(4001) / 10_000, atol=1e-12)
    np.testing.assert_allclose(betas[4500:], 0.9 + np.arange(10_001) / 100_000, atol=1e-12)


def test_impossible_ladders_are_refused():
    bad = ("steep", 5, "unknown value 'steep'"), ([0.0, 0.5, 1.0], 4, "expected 4"), ([0.1, 0.5, 1.0], 3, "from 0 to 1")
    for ladder, rungs, match in (*bad, ([0.0, 0.5, 0.5, 1.0], 4, "increase")):
        with pytest.raises(ValueError, match=match):
            inverse_temperatures(ladder, rungs)


def test_interpolation_is_exact_at_nodes_and_for_polynomials():
    nodes = chebyshev_nodes(24)
    assert nodes[0] == 0.0 and nodes[-1] == 1.0
    np.testing.assert_array_equal(interpolation_matrix(nodes, nodes), np.eye(24))
    targets = np.linspace(0, 1, 101)
    matrix = interpolation_matrix(nodes, targets)
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0, atol=1e-13)
    for degree in (1, 7, 23):
        np.testing.assert_allclose(nodes**degree @ matrix, targets**degree, atol=1e-12)


def worst_interpolation_error(magnitudes, count):
    """Largest error over 100 rungs of sums (case,) of softplus parts, each row of `magnitudes` a case."""
    nodes, betas = chebyshev_nodes(count), inverse_temperatures("linear", 100)

    def smooth(points):
        return np.log1p(np.exp(-points * magnitudes[..., None])).sum(axis=1)

    return np.max(np.abs(smooth(nodes) @ interpolation_matrix(nodes, betas) - smooth(betas)))


@pytest.mark.parametrize(("count", "one_unit", "many_units"), [(16, 5e-3, 1.0), (48, 1e-7, 4e-6)])
def test_interpolated_softplus_sums_are_accurate_at_every_rung(count, one_unit, many_units):
    single = np.linspace(0, 60, 601)[:, None]
    assert worst_interpolation_error(single, count) < one_unit
    generator = np.random.default_rng(0)
    sums = np.concatenate([generator.uniform(0, 60, (20, 500)), np.linspace(0, 60, 500)[None, :]])
    assert worst_interpolation_error(sums, count) < many_units
