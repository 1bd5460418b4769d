"""AIS, RAISE, BAR and MBAR of parallel tempering: exactness on enumerable models, sandwiches, honest intervals."""

import numpy as np
import pymbar
import pytest
import twins

from logzoo import RBM, estimate_log_z, exact_log_z
from logzoo.budgets import SweepLedger
from logzoo.estimators import bar, intervals, reverse, weights
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.intervals import LARGEST_SHAPE, tail_shape
from logzoo.models.known.exact_draws import exact_draws
from logzoo.models.known.families import known
from logzoo.paths import inverse_temperatures, log_z_base
from logzoo.samplers import annealed, replica_exchange
from logzoo.samplers.replica_exchange import Steps
from logzoo.streams import root_stream


def small_rbm(visible=8, hidden=5, scale=0.7):
    return twins.normal_rbm([7, 0], visible, hidden, scale)


def sweep_matrix(rbm, base, beta):
    """P(v' | v) (state, state) of one sweep at beta."""
    v, h = twins.all_states(rbm.visible), twins.all_states(rbm.hidden)
    log_joint = beta * twins.log_f_joint(rbm, v, h) + (1 - beta) * (v @ base)[:, None]
    joint = np.exp(log_joint - log_joint.max())
    return (joint / joint.sum(axis=1, keepdims=True)) @ (joint / joint.sum(axis=0)).T


def reverse_case(sweeps, trajectories=4000):
    """Of the 16 visible states of an RBM: p_ann by matrix products, log(f / Z_1), weights of reverse trajectories."""
    rbm, base = small_rbm(4, 3, 1.5), np.array([0.5, -1.0, 0.0, 1.0])
    states = twins.all_states(4)
    betas = inverse_temperatures("linear", sweeps + 1)
    log_f = np.array([twins.log_f_marginal(rbm, base, states, beta) for beta in betas])
    p = np.exp(log_f[0] - twins.logsumexp(log_f[0]))
    for beta in betas[1:]:
        p = p @ sweep_matrix(rbm, base, beta)
    starts = np.repeat(states, trajectories, axis=0)
    draws = annealed.run_reverse(rbm, SweepLedger(sweeps, len(starts)), root_stream(3), starts, base=base)
    assert draws.log_z_base == pytest.approx(log_z_base(base, 3)) == pytest.approx(twins.logsumexp(log_f[0]))
    return p, log_f[-1] - draws.log_z_base, draws.log_weight.reshape(16, trajectories)


@pytest.mark.parametrize("sweeps", [1, 5])
def test_reverse_weights_estimate_the_annealed_probability_without_bias(sweeps):
    p, log_ratio, log_weight = reverse_case(sweeps)
    assert p.sum() == pytest.approx(1.0)

    def worst(sign):
        """How many standard errors mean exp(-w) f(v) / Z_1 of a v lies from p(v) at most."""
        ratio = np.exp(sign * log_weight + log_ratio[:, None]) / p[:, None]
        return np.max(np.abs((ratio.mean(axis=1) - 1.0) / (ratio.std(axis=1) / np.sqrt(ratio.shape[1]))))

    # The wrong sign does not pass.
    assert worst(-1.0) < 4.0 and worst(1.0) > 8.0


def test_raise_is_the_mean_over_vectors_of_log_means_over_their_trajectories():
    rbm, data = small_rbm(), exact_draws(small_rbm(), 50, np.random.default_rng(9))
    options = {"data": data, "vectors": 3, "base": "uniform"}
    estimate = estimator("raise")(rbm, SweepLedger(40, 11), root_stream(2), options)
    rows = root_stream(2).child("data").generator().choice(50, 3, replace=False)
    vector = np.arange(11) % 3
    draws = annealed.run_reverse(rbm, SweepLedger(40, 11), root_stream(2), data[rows[vector]], base="uniform")
    log_means = [-np.log(np.exp(-draws.log_weight[vector == one]).mean()) for one in range(3)]
    assert estimate.log_z == pytest.approx(draws.log_z_base + np.mean(log_means), abs=1e-10)
    spread = np.std(log_means, ddof=1) / np.sqrt(3)
    bias = reverse._bias([-draws.log_weight[vector == one] for one in range(3)])
    assert estimate.std_error == pytest.approx(np.hypot(spread, bias))
    assert spread < estimate.std_error < 1.02 * spread
    assert estimate.interval[1] - estimate.log_z == pytest.approx(4.302653 * estimate.std_error, rel=1e-5)


def mean_error(method, sweeps, repeats=200):
    """Mean error of estimates from four chains each, and how many standard errors it is from zero."""
    rbm = small_rbm(scale=1.5)
    data = {"data": exact_draws(rbm, 2000, np.random.default_rng(9))} if method == "raise" else {}
    streams = (root_stream(repeat).child(method) for repeat in range(repeats))
    options = {"base": "uniform", **data}
    estimates = [estimator(method)(rbm, SweepLedger(sweeps, 4), stream, options) for stream in streams]
    error = np.array([estimate.log_z for estimate in estimates]) - exact_log_z(rbm)
    return error.mean(), error.mean() / (error.std() / np.sqrt(error.size))


@pytest.mark.parametrize(("method", "side"), [("ais", -1), ("raise", 1)])
def test_ais_lies_below_and_raise_above_with_few_sweeps_and_both_tend_to_the_truth(method, side):
    few, sigmas = mean_error(method, 3)
    assert side * sigmas > 4.0
    many, sigmas = mean_error(method, 400)
    assert abs(many) < 0.1 * abs(few)
    assert abs(many) < 0.02 and abs(sigmas) < 4.0


@pytest.mark.parametrize("vectors", [1, 20])
def test_any_number_of_vectors_gives_an_interval(vectors):
    options = {"data": exact_draws(small_rbm(), 5, np.random.default_rng(9)), "vectors": vectors}
    estimate = estimator("raise")(small_rbm(), SweepLedger(50, 20), root_stream(0), options)
    assert 0.0 < estimate.std_error < 1.0 and estimate.interval[0] < estimate.log_z < estimate.interval[1]
    # No row counts as two vectors, so the interval of two rows has the Student factor of one degree of freedom.
    rows = estimator("raise")(small_rbm(), SweepLedger(50, 20), root_stream(0), options | {"data": options["data"][:2]})
    wide = rows.interval[1] - rows.interval[0] > 20.0 * rows.std_error
    assert wide == (vectors == 20)


@pytest.mark.parametrize(("chains", "vectors"), [(2, 2), (3, 2), (8, 4), (20, 10), (100, 10)])
def test_by_default_there_are_ten_vectors_or_two_chains_a_vector(chains, vectors):
    data = np.tile(np.eye(8, dtype=np.uint8), (2, 1))
    starts, vector = reverse.starts_of(small_rbm(), SweepLedger(50, chains), root_stream(0), data, None)
    assert starts.shape == (chains, 8) and np.unique(vector).tolist() == list(range(vectors))


def test_reverse_trajectories_that_disagree_are_flagged():
    rbm = small_rbm(20, 12, 3.0)
    options = {"data": exact_draws(rbm, 2000, np.random.default_rng(9)), "base": "uniform"}
    few, many = (estimator("raise")(rbm, SweepLedger(s, 50), root_stream(1), options) for s in (2, 3000))
    assert not few.converged and few.diagnostics["effective_trajectories"] < 3.0
    assert many.converged and many.diagnostics["effective_trajectories"] > 4.0


def gaussian_steps(generator, draws, gap=2.0, shift=1.5):
    """Steps (draw,) for two normals of unit variance `gap` apart, the second of mass exp(shift)."""

    def step(x):
        return shift + gap * x - gap**2 / 2

    return step(generator.standard_normal(draws)), step(gap + generator.standard_normal(draws))


def test_the_root_of_the_bridge_equation_is_that_of_another_implementation():
    generator = np.random.default_rng(0)
    pairs = [gaussian_steps(generator, 500, gap, shift) for gap, shift in ((0.1, -3.0), (2.0, 1.5), (6.0, 40.0))]
    up, down = (np.stack(values, axis=1) for values in zip(*pairs, strict=True))
    result = bar.bridge_root(up, down)
    for pair, (first, other) in enumerate(pairs):
        peer = -pymbar.bar(-first, other, compute_uncertainty=False)["Delta_f"]
        assert result[pair] == pytest.approx(peer, abs=1e-5)


def fed(up, down, burning, sweeps):
    """BridgeSums of one ladder fed with steps (draw, pair): the burn-in, then the sampling phase."""
    sums = bar.BridgeSums()
    sums.start(1, up.shape[1] + 1, sweeps)
    for first in range(0, burning + sweeps, 50):
        part = slice(first, first + 50)
        sums.add(Steps(first < burning, up[None, part], down[None, part]))
    return sums


@pytest.mark.parametrize("burning", [0, 1000])
def test_bridge_sums_come_close_to_the_root_for_all_draws_without_keeping_them(burning):
    generator = np.random.default_rng(4)
    up, down = (values.reshape(-1, 4) for values in gaussian_steps(generator, 4 * (burning + 20_000), 3.0))
    sums = fed(up, down, burning, 20_000)
    total = sums.parts().sum(axis=0)
    result, best = sums.log_ratios(total), bar.bridge_root(up[burning:], down[burning:])
    error = intervals.jackknife_error(sums.log_ratios(total - sums.parts())[:, 0])
    # With an s that is a nat off, or without s, the ratio would not pass.
    assert np.max(np.abs(result - best)) < 0.02
    assert np.max(np.abs(result - 1.5)) < 4 * 0.03
    assert 0.012 < error < 0.03
    assert np.min(np.abs(result - sums.log_s - 1.5)) > 0.5
    short = fed(up[: burning + 500], down[: burning + 500], burning, 500)
    assert short.parts().nbytes == sums.parts().nbytes


def test_bar_of_two_modes_that_never_meet_is_flagged():
    rbm, settings = twins.two_modes(), {"check": False, "base": "uniform"}
    assert not estimate_log_z(rbm, "bar", sweeps=20, chains=20, **settings).converged
    assert not estimate_log_z(rbm, "bar", sweeps=3000, chains=20, rungs=2, **settings).converged
    estimate = estimate_log_z(rbm, "bar", sweeps=3000, chains=60, rungs=30, **settings)
    assert estimate.converged
    assert abs(estimate.log_z - exact_log_z(rbm)) < 4 * estimate.std_error < 0.2


@pytest.mark.parametrize("shape", [0.3, 0.7, 1.5])
def test_the_shape_of_a_pareto_tail_is_found(shape):
    generator = np.random.default_rng(0)
    log_w = [-shape * np.log(generator.random(10_000)) for _ in range(20)]
    result = np.array([tail_shape(sample) for sample in log_w])
    assert abs(result.mean() - shape) < 4.0 * result.std(ddof=1) / np.sqrt(result.size) + 0.01
    # A constant factor changes nothing.
    assert tail_shape(log_w[0] + 1000.0) == pytest.approx(result[0], abs=1e-6)


def test_steep_paths_are_measured_from_the_log_weight_of_a_chain_that_does_not_move():
    rbm, ledger, log_w = RBM(np.ones((3, 2)), np.zeros(3), np.zeros(2)), SweepLedger(10, 4), 1000.0 + np.arange(4.0)
    steep = [weights.variance_is_unreliable(rbm, log_w, ledger, reference)["steep"] for reference in (0.0, 1000.0)]
    assert steep == [True, False]


def test_log_normal_weights_of_little_spread_have_no_heavy_tail_and_heavy_ones_do():
    generator = np.random.default_rng(1)
    heavy = [
        np.mean([tail_shape(spread * generator.standard_normal(100)) > LARGEST_SHAPE for _ in range(300)])
        for spread in (0.5, 1.0, 3.0)
    ]
    assert heavy[0] < 0.03 and heavy[1] < 0.12 and heavy[2] > 0.8
    # Too few or equal weights have no tail.
    assert all(tail_shape(log_w) == 0.0 for log_w in (np.zeros(100), np.append(np.full(99, -800.0), 0.0), np.zeros(2)))


def test_ais_with_a_heavy_tail_says_so():
    rbm, _, _ = known("ising-torus", side=20, coupling=0.45)
    estimate = estimate_log_z(rbm, "ais", check=False, sweeps=60, chains=100)
    assert estimate.diagnostics["tail_shape"] > LARGEST_SHAPE and "heavy-tail" in estimate.reasons


def test_leaving_one_out_gives_what_direct_sums_give():
    values = np.random.default_rng(0).normal(0, 3, (7, 4))
    direct = np.array([np.delete(values, i, axis=0).sum(axis=0) for i in range(7)])
    np.testing.assert_allclose(intervals.sums_left_out(values), direct, atol=1e-12)
    logs = intervals.sums_left_out(values[:, 0], np.logaddexp)
    np.testing.assert_allclose(logs, [twins.logsumexp(np.delete(values[:, 0], i)) for i in range(7)], atol=1e-12)
    # One value may dwarf the rest, or overflow alone.
    np.testing.assert_allclose(intervals.sums_left_out(np.array([2000.0, 0.0]), np.logaddexp), [0.0, 2000.0])
    # The jackknife of a mean is its standard error.
    values = np.random.default_rng(1).normal(0, 2, 9)
    left_out = intervals.sums_left_out(values) / 8
    assert intervals.jackknife_error(left_out) == pytest.approx(values.std(ddof=1) / 3.0)


def test_intervals_use_students_quantiles_and_effective_numbers_count():
    for parts, quantile in ((2, 12.7062), (10, 2.2622)):
        low, high = intervals.student_interval(3.0, 0.5, parts)
        assert (high - 3.0, 3.0 - low) == (pytest.approx(0.5 * quantile, rel=1e-4),) * 2
    np.testing.assert_allclose(intervals.effective_number(np.array([[5.0, 5.0], [900.0, 0.0]])), [2.0, 1.0])


GAPS = np.array([0.8, 1.5, 1.0])
SHIFTS = np.array([1.5, -2.0, 4.0])


def normal_log_f(draws, generator):
    """log f (draw, rung, rung) at the states of each of four normals of unequal mass: (draw, state's rung, rung)."""
    means, masses = np.append(0.0, np.cumsum(GAPS)), np.append(0.0, np.cumsum(SHIFTS))
    x = means + generator.standard_normal((draws, means.size))
    return masses - 0.5 * (x[:, :, None] - means) ** 2


def overlaps(log_f, guess):
    """OverlapSums of one ladder fed with such draws, each read once, at a guess of log(Z_{i+1} / Z_i)."""
    sums = bar.OverlapSums()
    sums.start(1, 4, 2 * len(log_f))
    sums.log_s = guess
    steps = np.zeros((1, 2 * len(log_f), 3))
    sums.add(Steps(False, steps, steps, log_f[None]))
    return sums


def test_at_the_solution_of_mbar_the_overlaps_give_it_back():
    log_f = normal_log_f(2000, np.random.default_rng(0))
    energies = -log_f.transpose(2, 1, 0).reshape(4, -1)
    peer = np.diff(-pymbar.MBAR(energies, np.full(4, 2000)).f_k)
    sums = overlaps(log_f, peer)
    assert sums.overlap_ratios(sums.overlaps().sum(axis=0)) == pytest.approx(peer, abs=1e-4)


def test_overlaps_are_consistent_at_a_wrong_guess():
    log_f = normal_log_f(40_000, np.random.default_rng(1))
    for offset in (-1.0, 1.0):
        sums = overlaps(log_f, SHIFTS + offset)
        assert sums.overlap_ratios(sums.overlaps().sum(axis=0)) == pytest.approx(SHIFTS, abs=0.04)


def sandwich(draws, generator):
    """The gap between stepping stones of independent draws at each of four normals."""
    bridge, log_f = bar.BridgeSums(), normal_log_f(draws, generator)
    bridge.start(1, 4, draws)
    bridge.log_s = SHIFTS
    rungs = np.arange(3)
    up = log_f[:, rungs, rungs + 1] - log_f[:, rungs, rungs]
    down = log_f[:, rungs + 1, rungs + 1] - log_f[:, rungs + 1, rungs]
    bridge.add(Steps(False, up[None], down[None]))
    return bridge.sandwich()[0]


def test_stepping_stones_bracket_log_z_on_average_and_close():
    generator = np.random.default_rng(3)
    few, many = (np.array([sandwich(draws, generator) for _ in range(200)]) for draws in (20, 2000))
    assert few.mean() > 4.0 * few.std(ddof=1) / np.sqrt(200)
    assert abs(many.mean()) < 0.05 * few.mean()


def test_replicas_travel_as_predicted_where_sweeps_forget_and_not_where_they_do_not():
    shares = []
    for coupling in (0.1, 0.7):
        rbm = known("ising-torus", side=8, coupling=coupling).rbm
        draws = replica_exchange.run(rbm, SweepLedger(2000, 60), root_stream(1), base="uniform")
        shares.append(draws.round_trip_share)
    assert shares[0] == pytest.approx(1.0, abs=0.05) and shares[1] < 0.8
