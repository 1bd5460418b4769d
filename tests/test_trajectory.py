"""Ladders of RBMs along a training: exchanges, paths, choice of snapshots, annealing up and down, and reasons."""

import math
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from twins import all_states, normal_rbm, p_value

from logzoo import RBM, estimate_log_z, exact_log_z, train_rbm
from logzoo.budgets import SweepLedger
from logzoo.kernels.exchanges import parameters_at
from logzoo.models.known.exact_draws import exact_draws
from logzoo.paths import log_odds
from logzoo.samplers import snapshot_ladders
from logzoo.streams import root_stream

STREAM = root_stream(3).child("trajectory")
BASE = np.array([0.3, -0.5, 0.8])


def random_rbm(seed, visible=3, hidden=2, scale=1.0):
    return normal_rbm(seed, visible, hidden, scale)


def sampler_of(path, count, rungs, each=1):
    ledger = SweepLedger(10**9, count * rungs)
    return snapshot_ladders.Trajectory(path, STREAM.key, count, np.linspace(0.0, 1.0, rungs), each, 1, ledger)


def as_rbms(path):
    return [RBM(*terms) for terms in path]


def test_the_kernel_decides_by_that_rule_and_moves_all_that_belongs_to_a_state():
    path = snapshot_ladders.path_of(random_rbm(2), BASE, [random_rbm(1)])
    sampler = sampler_of(path, 4000, 3)
    exchanges = []
    for number in range(1, 5):
        steps = sampler.move(number, number + 1, "test")
        chains, travellers, _ = sampler._parts[0]
        # The sweep comes first: the steps are those of the states that were about to exchange.
        exchanges.append((steps.up[:, 0] - steps.down[:, 0], sampler.accepted.copy()))
        for rung, rbm in enumerate(as_rbms(path)):
            parameters = parameters_at(sampler._stack, rung)
            inputs = chains.hidden_input[rung, :, :2] * float(parameters.unit)
            np.testing.assert_allclose(inputs, rbm.hidden_bias + chains.v[rung] @ rbm.weights, atol=1e-5)
        assert travellers.old.max() <= 1
    previous = np.zeros_like(exchanges[0][1])
    for number, (log_ratio, accepted) in enumerate(exchanges, 1):
        pair = number % 2
        expected = np.minimum(1.0, np.exp(log_ratio[:, pair]))
        share = (accepted - previous)[:, pair].mean()
        error = math.sqrt(np.sum(expected * (1.0 - expected))) / len(expected)
        assert abs(share - expected.mean()) < 4.5 * error
        assert (accepted - previous)[:, 1 - pair].sum() == 0
        previous = accepted


def test_round_trips_lead_from_the_base_to_the_model_and_back():
    path = snapshot_ladders.path_of(RBM(np.zeros((3, 2)), np.zeros(3), np.zeros(2)), np.zeros(3), [])
    sampler, trips = sampler_of(path, 5, 2), 10
    sampler.move(1, 1 + 4 * (trips + 1), "test")
    np.testing.assert_array_equal(sampler.accepted, sampler.attempted)
    # Two rungs exchange in every second round, so a round trip takes four rounds.
    assert np.all((sampler.round_trips == trips) | (sampler.round_trips == trips + 1))


def test_states_of_every_rung_have_its_law_and_neighbours_are_independent():
    path = snapshot_ladders.path_of(random_rbm(6, hidden=3, scale=1.5), BASE, [random_rbm(5, scale=1.5)])
    sampler = sampler_of(path, 5000, 3, 2)
    sampler.move(1, 21, "test")
    codes = sampler._parts[0][0].v.astype(int) @ np.array([4, 2, 1])
    log_f = [rbm.log_f(all_states(3)) for rbm in as_rbms(path)]
    laws = np.exp(log_f - np.logaddexp.reduce(log_f, axis=1, keepdims=True))
    for rung in range(3):
        assert p_value(np.bincount(codes[rung], minlength=8), laws[rung]) > 1e-4
    joint = np.bincount(8 * codes[1] + codes[2], minlength=64)
    assert p_value(joint, np.outer(laws[1], laws[2]).ravel()) > 1e-4


def test_steps_are_differences_of_log_f():
    path = snapshot_ladders.path_of(random_rbm(2), BASE, [random_rbm(1)])
    sampler = sampler_of(path, 50, 3)
    steps = sampler.move(1, 2, "test")
    # Rejected exchanges leave the states that the steps were taken at.
    unmoved = sampler.accepted.sum(axis=1) == 0
    assert unmoved.sum() > 5
    v = sampler._parts[0][0].v[:, unmoved]
    for pair, (low, high) in enumerate(pairwise(as_rbms(path))):
        for step, states in ((steps.up, v[pair]), (steps.down, v[pair + 1])):
            np.testing.assert_allclose(step[unmoved, 0, pair], high.log_f(states) - low.log_f(states), atol=1e-4)


def test_a_path_goes_from_independent_units_through_the_snapshots_to_the_model():
    model = random_rbm(1, hidden=3)
    path = snapshot_ladders.path_of(model, BASE, [random_rbm(2, hidden=2), random_rbm(3, hidden=4)])
    assert [terms.pairs.shape for terms in path] == [(3, 4)] * 4
    assert not path[0].pairs.any() and np.array_equal(path[0].visible, BASE)
    # Padding units add log 2 each.
    assert exact_log_z(RBM(*path[-1])) == pytest.approx(exact_log_z(model) + math.log(2.0))
    middle = snapshot_ladders.terms_at(path, 0.5)
    np.testing.assert_allclose(middle.pairs, 0.5 * (path[1].pairs + path[2].pairs))
    for place, terms in ((0.0, path[0]), (1.0, path[-1])):
        np.testing.assert_array_equal(snapshot_ladders.terms_at(path, place).pairs, terms.pairs)


@pytest.mark.parametrize(("number", "expected"), [(0, [0, 9]), (3, [0, 2, 4, 7, 9]), (50, range(10))])
def test_thinned_paths_keep_their_ends(number, expected):
    assert snapshot_ladders.thinned(list(range(10)), number) == list(expected)


@pytest.mark.parametrize(
    ("snapshots", "match"),
    [
        (7, "snapshots: expected RBMs, or the Dataset of a training, found int"),
        (xr.Dataset(), "snapshots: expected the Dataset of a training, found a Dataset without RBMs"),
        ([random_rbm(1, visible=4)], "snapshots: expected RBMs of 3 visible units, found an RBM of 4"),
    ],
)
def test_bad_snapshots_are_refused(snapshots, match):
    for method in ("trajectory", "trajectory-ais"):
        with pytest.raises(ValueError, match=match):
            estimate_log_z(random_rbm(1), method, sweeps=10, chains=10, snapshots=snapshots)


def test_a_snapshot_that_makes_rounding_coarse_is_refused():
    rbm = random_rbm(1)
    snapshots = [RBM(rbm.weights, rbm.visible_bias, [-1e9, *rbm.hidden_bias[1:]])]
    with pytest.raises(ValueError, match="^weights: .*could move log Z"):
        estimate_log_z(rbm, "trajectory-ais", sweeps=10, chains=10, snapshots=snapshots)


@pytest.mark.parametrize(
    ("method", "plain"), [("trajectory", "bar"), ("trajectory-ais", "ais"), ("trajectory-raise", "raise")]
)
def test_without_snapshots_it_is_the_method_of_tempering(method, plain):
    model = random_rbm(4, 6, 4)
    data = {"data": np.eye(6, dtype=np.uint8)} if method == "trajectory-raise" else {}
    settings = {"sweeps": 60, "chains": 20, "base": np.zeros(6), "check": False, **data}
    first, other = (estimate_log_z(model, name, **settings) for name in (method, plain))
    assert abs(first.log_z - other.log_z) < 4.0 * np.hypot(first.std_error, other.std_error)
    assert first.diagnostics.keys() == other.diagnostics.keys()
    with pytest.raises(ValueError, match="kept: expected snapshots with this option, found none"):
        estimate_log_z(model, method, kept=2, **settings)


def test_few_snapshots_are_kept_where_the_training_wanders():
    model = random_rbm(1, 30, 10, 0.1)
    near = [RBM(share * model.weights, model.visible_bias, model.hidden_bias) for share in np.linspace(0.1, 0.9, 12)]
    far = [random_rbm(seed, 30, 10, 1.5) for seed in range(12)]
    for snapshots, expected in ((near, 12), (far, 1)):
        path = snapshot_ladders.path_of(model, np.zeros(30), snapshots)
        tried = []

        def begun(number, path=path, tried=tried):
            tried.append(number)
            return sampler_of(snapshot_ladders.thinned(path, number), 5, 8)

        def pilot(sampler, betas, **settings):
            snapshot_ladders.follow(sampler, betas, sweeps=40, adapt=True, burn_in=0.1, **settings)

        _, number = snapshot_ladders._short_enough(begun, 12, pilot)
        assert tried[-1] == expected and number == len(tried)


def trained():
    """An RBM trained on two patterns, with snapshots."""
    generator = np.random.default_rng(0)
    patterns = generator.integers(0, 2, (2, 12))
    data = (patterns[generator.integers(0, 2, 400)] ^ (generator.random((400, 12)) < 0.05)).astype(np.uint8)
    return train_rbm(data, "pcd", hidden=6, updates=400, batch=50, snapshots=10, learning_rate=0.1), data


@pytest.mark.parametrize("of_training", [True, False])
def test_log_z_is_right_whatever_the_way(of_training):
    run, data = trained()
    # The other path has models with more units.
    way = run.snapshots if of_training else [random_rbm(4, 12, 9, 0.3)]
    truth, options = exact_log_z(run.rbm), {"snapshots": way, "base": log_odds(data), "check": False}
    starts = exact_draws(run.rbm, 200, np.random.default_rng(0))
    for method in ("trajectory", "trajectory-ais", "trajectory-raise"):
        data_of_method = {"data": starts} if method == "trajectory-raise" else {}
        estimate = estimate_log_z(run.rbm, method, sweeps=1500, chains=100, **options, **data_of_method)
        assert abs(estimate.log_z - truth) < 4.0 * estimate.std_error < 1.0, method


def test_z_of_annealing_up_and_its_inverse_of_annealing_down_are_without_bias():
    model, truth = random_rbm(8, 6, 4, 1.2), exact_log_z(random_rbm(8, 6, 4, 1.2))
    options = {"snapshots": [random_rbm(9, 6, 4, 1.0)], "base": np.zeros(6)}
    up = snapshot_ladders.anneal(model, SweepLedger(5, 4000), STREAM, **options)
    starts = exact_draws(model, 4000, np.random.default_rng(1))
    with pytest.raises(ValueError, match=r"starts: expected 4000 rows \(chains\), found 1"):
        snapshot_ladders.anneal(model, SweepLedger(5, 4000), STREAM, starts[:1], **options)
    down = snapshot_ladders.anneal(model, SweepLedger(5, 4000), STREAM, starts, **options)
    for log_ratio in (up.log_z_base + up.log_weight - truth, truth - down.log_z_base - down.log_weight):
        ratio = np.exp(log_ratio)
        error = ratio.std(ddof=1) / math.sqrt(ratio.size)
        assert abs(ratio.mean() - 1.0) < 4.0 * error < 0.3
        # The logarithm is biased, which shows that the weights vary.
        assert log_ratio.mean() < -4.0 * log_ratio.std(ddof=1) / math.sqrt(ratio.size)


def test_states_that_never_leave_their_rung_are_flagged():
    generator = np.random.default_rng(0)
    far = [RBM(*(generator.normal(0.0, 3.0, shape) for shape in ((30, 10), 30, 10))) for _ in range(4)]
    estimate = estimate_log_z(far[0], "trajectory", sweeps=200, chains=40, snapshots=far[1:], kept=3, check=False)
    assert "not-renewed" in estimate.reasons and estimate.diagnostics["old_share"] > 0.3
    run, data = trained()
    estimate = estimate_log_z(run.rbm, "trajectory", sweeps=1000, chains=60, snapshots=run.snapshots, check=False)
    assert estimate.converged and estimate.diagnostics["old_share"] < 0.05
