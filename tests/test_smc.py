"""SMC: resampling, its twin, unbiasedness, islands, families, and what it says of them."""

import math

import numpy as np
import pytest
from parts import from_python

from logzoo.api import estimate_log_z
from logzoo.budgets import SweepLedger
from logzoo.estimators.smc import family_shares
from logzoo.kernels import resampling
from logzoo.kernels.resampling import run_resampled
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.samplers import annealed, resampled
from logzoo.streams import root_stream

STREAM = root_stream(5).child("resampled")
comb = from_python(resampling.comb)


def random_rbm(scale=1.5, visible=7, hidden=5):
    generator = np.random.default_rng(3)
    return RBM(*(generator.normal(0.0, scale, shape) for shape in ((visible, hidden), visible, hidden)))


def drawn(sweeps=30, chains=40, stream=STREAM, rbm=None, **options):
    options = {"base": "uniform", **options}
    return resampled.run(random_rbm() if rbm is None else rbm, SweepLedger(sweeps, chains), stream, **options)


def log_mean(log_weight):
    return float(np.logaddexp.reduce(log_weight) - np.log(log_weight.size))


@pytest.mark.parametrize("teeth", [1, 5, 12, 100])
def test_a_comb_copies_as_another_implementation_and_as_often_as_weights_say(teeth):
    generator = np.random.default_rng(teeth)
    for _ in range(200):
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


@pytest.mark.parametrize(
    "options", [{"resample": 0.5}, {"resample": 0.99}, {"resample": 0.0}, {"kept": 3}, {"kept": 7}]
)
def test_z_is_without_bias_over_two_thousand_runs(options):
    rbm = random_rbm()
    exact = exact_log_z(rbm)
    ratios = np.empty(2000)
    for run in range(ratios.size):
        draws = drawn(6, 10, STREAM.child(run), rbm, islands=2, **options)
        ratios[run] = np.exp(draws.log_z_base + log_mean(draws.log_weight) - exact)
    error = ratios.std(ddof=1) / math.sqrt(ratios.size)
    assert abs(ratios.mean() - 1.0) < 4.0 * error
    # A bias of an eighth would be seen.
    assert error < 0.03


def test_weights_that_are_kept_after_resampling_would_be_biased(monkeypatch):
    rbm = random_rbm()
    exact = exact_log_z(rbm)
    monkeypatch.setattr(resampled, "run_resampled", keeping_weights)
    ratios = np.empty(400)
    for run in range(ratios.size):
        draws = drawn(6, 10, STREAM.child(run), rbm, islands=2, resample=0.99)
        ratios[run] = np.exp(draws.log_z_base + log_mean(draws.log_weight) - exact)
    assert abs(ratios.mean() - 1.0) > 5.0 * ratios.std(ddof=1) / math.sqrt(ratios.size)


def keeping_weights(parameters, betas, key, share, first, last, chains, log_weight, family, island):
    """The kernel with a fault: chosen chains bring their weights with them, which count twice."""
    for k in range(first, last):
        copy, weighed = type(chains)(*(array.copy() for array in chains)), log_weight.copy()
        run_resampled(parameters, betas, key, 0.0, k, k + 1, copy, weighed, family.copy(), island)
        chosen = np.arange(log_weight.size)
        run_resampled(parameters, betas, key, share, k, k + 1, chains, log_weight, chosen, island)
        log_weight[:] = weighed[chosen]


def test_without_resampling_it_is_annealing():
    rbm = random_rbm()
    draws = drawn(25, 12, rbm=rbm, resample=0.0)
    plain = annealed.run(rbm, SweepLedger(25, 12), STREAM, base="uniform")
    np.testing.assert_array_equal(draws.log_weight, plain.log_weight)
    assert draws.log_z_base == plain.log_z_base
    np.testing.assert_array_equal(draws.family, np.arange(12))


@pytest.mark.parametrize("kept", [1, 4])
@pytest.mark.parametrize("chains", [7, 40, 300])
def test_the_bits_do_not_depend_on_threads(kept, chains):
    one, three = (drawn(60, chains, kept=kept, resample=0.9, threads=threads) for threads in (1, 3))
    for first, second in zip(one, three, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kept", [1, 4])
def test_islands_know_nothing_of_one_another(kept):
    draws = drawn(40, 40, islands=4, kept=kept, resample=0.9)
    more = drawn(40, 80, islands=8, kept=kept, resample=0.9)
    if kept == 1:
        np.testing.assert_array_equal(draws.log_weight, more.log_weight[:40])
    assert np.unique(draws.log_weight[draws.island == 0]).size <= 10
    assert np.unique(draws.island).size == 4


def test_families_stay_on_their_island_and_carry_the_whole_sum():
    draws = drawn(20, 60, islands=6, resample=0.9)
    np.testing.assert_array_equal(draws.island[draws.family], draws.island)
    shares = family_shares(draws)
    assert shares.sum() == pytest.approx(1.0) and np.unique(draws.family).size < 60


def test_resampling_helps_where_weights_are_unequal():
    """Weights of annealing in few sweeps spread by nats: resampled chains are spread by less, at equal sweeps."""
    rbm = random_rbm(2.0, visible=40, hidden=12)
    exact = exact_log_z(rbm)
    errors = {
        share: np.array(
            [
                draws.log_z_base + log_mean(draws.log_weight) - exact
                for draws in (drawn(30, 200, STREAM.child(run), rbm, islands=2, resample=share) for run in range(60))
            ]
        )
        for share in (0.0, 0.5)
    }
    assert np.sqrt(np.mean(errors[0.5] ** 2)) < 0.8 * np.sqrt(np.mean(errors[0.0] ** 2))


def test_an_island_that_carries_half_of_the_sum_is_flagged():
    steep = random_rbm(6.0)
    found = estimate_log_z(steep, "smc", sweeps=3, chains=40, base="uniform", check=False)
    assert not found.converged and "few-effective" in found.reasons


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"islands": 1}, "islands"),
        ({"resample": 1.0}, "resample"),
        ({"kept": 0}, "kept"),
        ({"kept": 32}, "kept: expected at most 31"),
    ],
)
def test_impossible_options_are_refused_by_name(options, match):
    with pytest.raises(ValueError, match=match):
        drawn(**options)


def test_sweeps_that_make_no_rung_are_left_over():
    ledger = SweepLedger(32, 20)
    resampled.run(random_rbm(), ledger, STREAM, base="uniform", kept=8)
    assert ledger.spent == 32 and ledger.by_purpose["left over"] == 4 * 20
