"""The Las Vegas estimator: unbiased, covered by its intervals, and never silently low."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from twins import normal_rbm, two_modes

from logzoo import RBM, estimate_log_z, exact_log_z, sample_gibbs
from logzoo.budgets import SweepLedger
from logzoo.estimators import las_vegas
from logzoo.estimators.las_vegas import mean_length, upper_bound
from logzoo.paths import kernel_parameters
from logzoo.samplers import tour_chains
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import Probes, TourDraws, Tours, TourSampler, tours_within
from logzoo.streams import root_stream


def random_rbm(visible, hidden, scale, seed=0):
    return normal_rbm([77, seed, visible, hidden], visible, hidden, scale)


def some_data(rbm, examples=3):
    """A draw of the model and others that are nothing like it: stopping sets of probable and improbable states."""
    others = np.random.default_rng(1).integers(0, 2, (examples - 1, rbm.visible)).astype(np.uint8)
    return np.concatenate([sample_gibbs(rbm, 1, 50, seed=5), others])


def test_z_is_unbiased_over_many_runs():
    # Each run has its own stopping set and a number of tours fixed up front.
    rbm = random_rbm(12, 4, 1.5)
    options, relative = {"data": some_data(rbm), "rounds": 1, "tours": 8}, []
    for run in range(1000):
        estimate = las_vegas.estimate(rbm, SweepLedger(5000, 10), root_stream(run), **options)
        assert estimate.diagnostics["tours_cut"] == 0
        relative.append(np.exp(estimate.log_z - exact_log_z(rbm)))
    assert np.std(relative) > 0.1
    assert abs(ttest_1samp(relative, 1.0).statistic) < 4


def test_a_budget_of_one_sweep_is_refused():
    rbm, data = random_rbm(6, 4, 1.0), np.zeros((1, 6), np.uint8)
    with pytest.raises(ValueError, match="sweeps: expected at least 2, .*, found 1"):
        tour_chains.run(rbm, SweepLedger(1, 1), root_stream(0), data)
    assert tour_chains.run(rbm, SweepLedger(2, 1), root_stream(0), data).tours.length.sum() == 1


def test_sums_of_lengths_are_unbiased_when_the_budget_decides_how_many_tours_are_made():
    rbm = random_rbm(10, 6, 0.4)
    parameters, data = kernel_parameters(rbm, np.zeros(rbm.visible)), some_data(rbm)
    exact, excess, cut = exact_log_z(rbm), [], 0
    for stream in map(root_stream, range(250)):
        stopping = stopping_set(parameters, data, 3, stream)
        tours = tours_within(TourSampler(parameters, stopping, stream), None, 6_000, None, False)
        cut += not np.all(tours.finished)
        excess.append(tours.length.sum() / np.exp(exact - stopping.log_z) - tours.finished.sum())
    assert cut <= 5
    assert abs(ttest_1samp(excess, 0.0).statistic) < 4


@pytest.mark.parametrize("settings", [{"cap": 1}, {"cap": 5, "tours": 200}, {"tours": 400}])
def test_cut_tours_are_flagged_and_the_truth_lies_within_the_bounds(settings):
    rbm = random_rbm(16, 8, 0.5)
    exact, excess = exact_log_z(rbm), []
    for seed in range(30):
        options = {"data": some_data(rbm), "rounds": 1, "seed": seed, "check": False, **settings}
        estimate = estimate_log_z(rbm, "las-vegas", sweeps=60, chains=10, **options)
        assert not estimate.converged and estimate.diagnostics["tours_cut"] > 0
        assert estimate.interval[0] <= exact <= estimate.interval[1]
        # All sweeps divided by the exact mean length, minus the number of tours that returned; negative for cut tours.
        excess.append((np.exp(estimate.log_z - exact) - 1.0) * estimate.diagnostics["tours"])
    assert ttest_1samp(excess, 0.0).statistic < -2


def test_the_upper_bound_holds_and_is_exact_for_pairs_of_units():
    for seed in range(20):
        rbm = random_rbm(9, 5, [0.1, 1.0, 5.0][seed % 3], seed)
        assert upper_bound(rbm) > exact_log_z(rbm)
        assert upper_bound(rbm) == pytest.approx(upper_bound(rbm.transposed))
    # The bound is exact without weights and if every unit has one neighbour: the chord joins the only two values.
    for weights in (np.zeros((3, 3)), np.diag([30.0, -2.0, 500.0])):
        rbm = RBM(weights, [-30.0, 1.0, -300.0], -np.arange(3.0))
        assert upper_bound(rbm) == pytest.approx(exact_log_z(rbm))
    assert upper_bound(RBM([[1e308, 1e308]], [0.0], [0.0, 0.0])) == np.inf


def test_a_mode_without_data_is_flagged():
    rbm = two_modes()
    one, both = np.zeros((1, 20), np.uint8), np.repeat([[0], [1]], 20, axis=1)
    estimate = estimate_log_z(rbm, "las-vegas", sweeps=500, chains=20, data=one, check=False)
    assert estimate.log_z == pytest.approx(exact_log_z(rbm) - np.log(2), abs=0.01)
    assert not estimate.converged and estimate.diagnostics["probes_lost"] > 0
    assert estimate.interval[1] > exact_log_z(rbm)
    estimate = estimate_log_z(rbm, "las-vegas", sweeps=500, chains=20, data=both)
    assert estimate.converged and abs(estimate.log_z - exact_log_z(rbm)) < 4 * estimate.std_error < 0.01


def test_the_ledger_says_what_the_sweeps_were_for():
    rbm, ledger = random_rbm(10, 6, 0.4), SweepLedger(300, 20)
    result = las_vegas.estimate(rbm, ledger, root_stream(0), data=some_data(rbm), rounds=40, tours=100)
    assert ledger.by_purpose["stopping set"] == 120
    assert ledger.by_purpose["tours"] >= 100 == result.diagnostics["tours"]
    assert sum(ledger.by_purpose.values()) == 6000
    ledger = SweepLedger(300, 20)
    las_vegas.estimate(rbm, ledger, root_stream(0), data=some_data(rbm))
    assert ledger.by_purpose["stopping set"] == 1200
    # Five times the longest tour, and less than two tours more.
    assert ledger.by_purpose["left over"] < 0.1 * 6000


@pytest.mark.parametrize(("draws", "tours", "scale"), [(10, 60, 1.5), (60, 1000, 0.5)])
def test_intervals_cover_the_truth(draws, tours, scale):
    covered, converged = [], []
    for seed in range(8):
        rbm = random_rbm(20, 10, scale, seed)
        data, exact = sample_gibbs(rbm, draws, 200, seed=seed), exact_log_z(rbm)
        for run in range(15):
            settings = {"data": data, "rounds": 1, "tours": tours, "seed": run}
            estimate = estimate_log_z(rbm, "las-vegas", sweeps=20_000, chains=20, check=False, **settings)
            covered.append(estimate.interval[0] <= exact <= estimate.interval[1])
            converged.append(estimate.converged)
    # Four standard errors of 120 repeats below 95%.
    assert np.mean(covered) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / len(covered))
    assert np.mean(converged) > 0.8


def test_an_error_that_no_tour_has_shown_yet_is_allowed_for():
    none_left = Tours(np.zeros(50), np.ones(50, int), np.ones(50, bool))
    assert mean_length(none_left) == (1.0, pytest.approx(1 / 50, rel=0.02))
    many = Tours(np.zeros(5000), 1 + np.arange(5000) % 9, np.ones(5000, bool))
    mean, std_error = mean_length(many)
    assert std_error == pytest.approx(many.length.std() / np.sqrt(5000) / mean, rel=0.01)


def test_a_mean_that_rests_on_a_few_long_tours_is_flagged():
    rbm = random_rbm(10, 6, 0.4)
    stopping = stopping_set(kernel_parameters(rbm, np.zeros(10)), some_data(rbm), 3, root_stream(0))
    none_lost = Probes(0, 0, -np.inf)
    for longest, converged in ((9, True), (2000, False)):
        tours = Tours(np.zeros(200), np.append(np.ones(199, int), longest), np.ones(200, bool))
        assert las_vegas._estimate_of(rbm, TourDraws(stopping, tours, none_lost)).converged == converged
    # Lost chains visit states with 0.1% or 10% of the mass of the tours.
    tours = Tours(np.zeros(200), np.ones(200, int), np.ones(200, bool))
    for share, converged in ((0.001, True), (0.1, False)):
        lost = Probes(0, 3, stopping.log_z + np.log(share))
        assert las_vegas._estimate_of(rbm, TourDraws(stopping, tours, lost)).converged == converged
