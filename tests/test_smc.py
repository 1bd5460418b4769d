"""SMC: resampling, its twin, unbiasedness, islands, families, and the reasons it reports."""

import math

import numpy as np
import pytest
from parts import from_python
from twins import normal_rbm

from logzoo import estimate_log_z, exact_log_z
from logzoo.budgets import SweepLedger
from logzoo.estimators.weights import family_shares
from logzoo.kernels import resampling
from logzoo.samplers import annealed
from logzoo.streams import root_stream

STREAM = root_stream(5).child("resampled")
comb = from_python(resampling.comb)


SMALL = normal_rbm(3, 7, 5, 1.5)


def drawn(sweeps=30, chains=40, stream=STREAM, **options):
    return annealed.run_in_islands(SMALL, SweepLedger(sweeps, chains), stream, base="uniform", **options)


@pytest.mark.parametrize("teeth", [1, 12, 30])
def test_a_comb_copies_as_another_implementation_and_as_often_as_weights_say(teeth):
    generator = np.random.default_rng(teeth)
    for _ in range(50):
        log_weight = generator.normal(0.0, 3.0, 12)
        offset, copies = generator.uniform(), np.empty(12, np.int64)
        comb(log_weight, teeth, offset, copies)
        shares = np.exp(log_weight - log_weight.max())
        shares /= shares.sum()
        places = np.searchsorted(np.cumsum(shares), (np.arange(teeth) + offset) / teeth)
        np.testing.assert_array_equal(copies, np.bincount(np.minimum(places, 11), minlength=12))
        assert np.all(np.abs(copies - teeth * shares) < 1.0)


def test_a_comb_takes_rounding_and_vanishing_weights():
    copies = np.empty(3, np.int64)
    comb(np.array([-2000.0, 0.0, -2000.0]), 7, 0.999999, copies)
    assert list(copies) == [0, 7, 0]
    comb(np.full(3, -1e300), 3, 0.5, copies)
    assert list(copies) == [1, 1, 1]


@pytest.mark.parametrize("options", [{"resample": 0.5}, {"kept": 3}])
def test_z_is_without_bias_over_many_runs(options):
    exact, ratios = exact_log_z(SMALL), np.empty(1500)
    for run in range(ratios.size):
        draws = drawn(6, 10, STREAM.child(run), islands=2, **options)
        log_mean = np.logaddexp.reduce(draws.log_weight) - np.log(draws.log_weight.size)
        ratios[run] = np.exp(draws.log_z_base + log_mean - exact)
    error = ratios.std(ddof=1) / math.sqrt(ratios.size)
    assert abs(ratios.mean() - 1.0) < 4.0 * error
    # A bias of an eighth would be seen.
    assert error < 0.03


def test_without_resampling_it_is_annealing():
    draws = drawn(25, 12, resample=0.0)
    plain = annealed.run(SMALL, SweepLedger(25, 12), STREAM, base="uniform")
    np.testing.assert_array_equal(draws.log_weight, plain.log_weight)
    assert draws.log_z_base == plain.log_z_base
    np.testing.assert_array_equal(draws.family, np.arange(12))


@pytest.mark.parametrize("kept", [1, 4])
def test_islands_know_nothing_of_one_another(kept):
    draws = drawn(40, 40, islands=4, kept=kept, resample=0.9)
    more = drawn(40, 80, islands=8, kept=kept, resample=0.9)
    if kept == 1:
        np.testing.assert_array_equal(draws.log_weight, more.log_weight[:40])
    assert np.unique(draws.log_weight[draws.island == 0]).size <= 10 and np.unique(draws.island).size == 4


def test_families_stay_on_their_island_and_carry_the_whole_sum():
    draws = drawn(20, 60, islands=6, resample=0.9)
    np.testing.assert_array_equal(draws.island[draws.family], draws.island)
    shares = family_shares(draws)
    assert shares.sum() == pytest.approx(1.0) and np.unique(draws.family).size < 60


def test_an_island_that_carries_half_of_the_sum_is_flagged():
    steep = normal_rbm(3, 7, 5, 6.0)
    estimate = estimate_log_z(steep, "smc", sweeps=3, chains=40, base="uniform", check=False)
    assert not estimate.converged and "few-effective" in estimate.reasons


def test_sweeps_that_make_no_rung_are_left_over():
    ledger = SweepLedger(32, 20)
    annealed.run_in_islands(SMALL, ledger, STREAM, base="uniform", kept=8)
    assert ledger.spent == 32 and ledger.by_purpose["left over"] == 4 * 20


def test_islands_of_unequal_sizes_add_no_error():
    flat = normal_rbm(3, 7, 5, 0.01)
    # 25 chains make islands of two and of three.
    estimates = [
        estimate_log_z(flat, "smc", sweeps=50, chains=chains, base="uniform", check=False) for chains in (25, 30)
    ]
    assert all(estimate.diagnostics["spread_error"] < 1e-3 for estimate in estimates), estimates
