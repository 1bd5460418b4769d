"""The ladder that follows the flow of replicas: on walks of known flow, at a bottleneck, without labels, resumed."""

import numpy as np
import pytest

from logzoo.training.flow import FlowLadder, linearising, moved_towards

RUNGS = 10
LINEAR = np.linspace(0.0, 1.0, RUNGS)


def uniform(failures):
    """A barrier (-log of the exchange rate from 0 to beta) that grows linearly in beta."""
    return lambda beta: failures * beta


def bottleneck(beta):
    """A barrier with a steep rise at beta = 0.7, across which few exchanges succeed."""
    return 3.0 * beta + 2.0 * np.tanh((beta - 0.7) / 0.03)


class Walk:
    """Ladders of replicas that exchange even and odd neighbours in turn, pairs i at rate exp(-(c_{i+1} - c_i))."""

    def __init__(self, barrier, *, ladders=20, rungs=RUNGS, seed=0):
        self.barrier, self.generator = barrier, np.random.default_rng(seed)
        # Replicas at each rung (ladder, rung).
        self.holder = np.arange(ladders * rungs).reshape(ladders, rungs)
        self.rung = np.tile(np.arange(rungs), ladders)
        self.heading, self.round_trips = np.zeros((2, self.rung.size), np.int64)
        self.sweeps = 0

    def rates(self, betas):
        return np.exp(-np.diff(self.barrier(betas)))

    def move(self, betas, k=1):
        for _ in range(k):
            rates, pairs = self.rates(betas), slice(self.sweeps % 2, betas.size - 1, 2)
            left, right = self.holder[:, :-1][:, pairs], self.holder[:, 1:][:, pairs]
            made = self.generator.random(left.shape) < rates[pairs]
            left[made], right[made] = right[made], left[made]
            self.rung[self.holder] = np.arange(betas.size)
            base, model = self.holder[:, 0], self.holder[:, -1]
            self.round_trips[base] += self.heading[base] == 2
            self.heading[base] = 1
            self.heading[model] = np.where(self.heading[model] == 0, 0, 2)
            self.sweeps += 1

    def replicas(self):
        return self.rung, self.heading, self.round_trips


def follow(ladder, walk, updates):
    for _ in range(updates):
        walk.move(ladder.betas, ladder.k)
        ladder.update(*walk.replicas(), walk.rates(ladder.betas))
    return ladder.betas


def exact_return_time(rates):
    """Sweeps of a replica's round trip when exchanges are independent of all else (Syed et al. 2022)."""
    return (rates.size + 1) * (2.0 + 2.0 * np.sum((1.0 - rates) / rates))


def exact_f_up(rates):
    """Share of "up" at each rung: flux J is the same everywhere, and rejection mixes the two directions."""
    odds = (1.0 - rates) / rates
    return np.concatenate([[0.0], (0.5 + np.cumsum(odds)[:-1]) / (1.0 + odds.sum()), [1.0]])


@pytest.mark.parametrize("k", [1, 2])
def test_the_profile_and_the_return_time_of_a_still_ladder_are_exact(k):
    ladder, walk = FlowLadder(LINEAR, rate=0.0, k=k), Walk(uniform(4.0), seed=k)
    follow(ladder, walk, 1000)
    profile, trip_rate = np.zeros(RUNGS), 0.0
    for _ in range(2000):
        follow(ladder, walk, 1)
        np.testing.assert_array_equal(ladder.betas, LINEAR)
        profile += ladder.f_up / 2000
        trip_rate += ladder.trip_rate / 2000
    rates = walk.rates(LINEAR)
    np.testing.assert_allclose(profile, exact_f_up(rates), atol=0.012)
    # The two directions differ by the flux, 0.17 here. Observed at every second sweep, the profile would have steps.
    assert np.diff(profile).min() > 0.07
    assert ladder.f_up[0] == 0.0 and ladder.f_up[-1] == 1.0
    assert 1.0 / trip_rate == pytest.approx(exact_return_time(rates) / k, rel=0.05)


@pytest.mark.parametrize(("k", "rate"), [(1, 0.9), (2, 1e-2)])
def test_a_bottleneck_draws_rungs_and_more_round_trips_are_made(k, rate):
    still, walk = FlowLadder(LINEAR, rate=0.0, k=k), Walk(bottleneck, seed=1)
    follow(still, walk, 3000 // k)
    before = walk.round_trips.sum()
    ladder, walk = FlowLadder(LINEAR, rate, k=k), Walk(bottleneck, seed=2)
    betas = follow(ladder, walk, 6000 // k)
    half_way = walk.round_trips.sum()
    follow(ladder, walk, 3000 // k)
    assert walk.round_trips.sum() - half_way > 3.0 * before > 0
    # Equal rates give the shortest round trips of all ladders; those of the linear ladder take 4.7 times as long.
    best = exact_return_time(np.full(RUNGS - 1, np.exp(-np.ptp(bottleneck(LINEAR)) / (RUNGS - 1))))
    assert exact_return_time(walk.rates(betas)) < 1.01 * best
    assert np.max(np.abs(still.f_up - LINEAR)) > 0.5
    assert np.max(np.abs(ladder.f_up - LINEAR)) < 0.06
    assert betas[0] == 0.0 and betas[-1] == 1.0 and np.diff(betas).min() > 0.0
    assert np.count_nonzero(np.abs(betas - 0.7) < 0.05) >= 4


def test_a_uniform_medium_leaves_the_linear_ladder_alone():
    betas = follow(FlowLadder(LINEAR, rate=1e-3), Walk(uniform(1.0)), 4000)
    assert np.max(np.abs(betas - LINEAR)) < 0.015


def test_without_labels_hardly_anything_moves_and_the_return_time_is_what_was_waited():
    ladder, walk = FlowLadder(LINEAR, rate=0.5), Walk(bottleneck)
    at_start = 1.0 / ladder.trip_rate
    assert at_start == pytest.approx(exact_return_time(np.full(RUNGS - 1, 0.4)))
    for _ in range(500):
        ladder.update(walk.rung, np.zeros_like(walk.heading), np.zeros_like(walk.round_trips), walk.rates(LINEAR))
    np.testing.assert_allclose(ladder.betas, LINEAR, atol=0.015)
    np.testing.assert_array_equal(ladder.f_up, LINEAR)
    assert 1.0 / ladder.trip_rate == pytest.approx(at_start + 500.0, rel=0.01)


def test_a_rung_is_spawned_at_the_largest_step_of_the_flow():
    ladder, walk = FlowLadder(LINEAR, 1e-4, spawn_below=0.9), Walk(bottleneck)
    assert ladder.spawn() is None
    follow(ladder, walk, 2000)
    assert ladder.exchange_rates == pytest.approx(walk.rates(ladder.betas), abs=0.1)
    f_up, rates, betas = ladder.f_up, ladder.exchange_rates, ladder.betas
    index = ladder.spawn()
    below, above = betas[index - 1 : index + 1]
    assert below < 0.7 < above
    np.testing.assert_array_equal(ladder.betas, np.insert(betas, index, 0.5 * (below + above)))
    np.testing.assert_array_equal(np.delete(ladder.f_up, index), f_up)
    assert ladder.f_up[index] == pytest.approx(0.5 * (f_up[index - 1] + f_up[index]))
    np.testing.assert_array_equal(np.delete(ladder.exchange_rates, [index - 1, index]), np.delete(rates, index - 1))
    longer = Walk(bottleneck, rungs=RUNGS + 1)
    for _ in range(100):
        assert ladder.spawn() is None
        follow(ladder, longer, 1)
    assert ladder.spawn() is not None


def test_no_rung_is_spawned_without_a_limit_or_while_exchanges_are_frequent():
    walk = Walk(uniform(1.0))
    for spawn_below in (0.4, None):
        ladder = FlowLadder(LINEAR, 1e-4, spawn_below=spawn_below)
        follow(ladder, walk, 500)
        assert ladder.spawn() is None


@pytest.mark.parametrize("spawned", [False, True])
def test_a_ladder_goes_on_from_its_state_to_the_same_bits(tmp_path, spawned):
    options = {"rate": 1e-2, "k": 3, "spawn_below": 0.9}
    ladder, walk = FlowLadder(LINEAR, **options), Walk(bottleneck, seed=4)
    follow(ladder, walk, 301)
    if spawned:
        assert ladder.spawn()
        walk = Walk(bottleneck, rungs=RUNGS + 1, seed=5)
        follow(ladder, walk, 7)
    np.savez(tmp_path / "state.npz", **ladder.state)
    with np.load(tmp_path / "state.npz", allow_pickle=False) as file:
        again = FlowLadder(LINEAR, **options)
        again.restore(dict(file))
    for _ in range(100):
        walk.move(ladder.betas, 3)
        rates = walk.rates(ladder.betas)
        for one in (again, ladder):
            one.update(*walk.replicas(), rates)
    bits, expected = ({name: array.tobytes() for name, array in one.state.items()} for one in (again, ladder))
    assert bits == expected


def test_targets_are_where_the_profile_would_be_linear():
    betas = np.array([0.0, 0.2, 0.5, 1.0])
    np.testing.assert_allclose(linearising(betas, np.array([1.0, 2.0, 3.0, 4.0])), betas)
    # Two thirds of the rise are between 0.2 and 0.5, one third above.
    np.testing.assert_allclose(linearising(betas, np.array([0.0, 0.0, 2.0, 3.0])), [0.0, 0.35, 0.5, 1.0])
    # Gaps never vanish.
    targets = np.array([0.0, 1e-9, 2e-9, 1.0 - 1e-9, 1.0])
    moved = moved_towards(targets, np.linspace(0.0, 1.0, 5), 0.999999)
    assert moved[0] == 0.0 and moved[-1] == 1.0
    assert np.diff(moved).min() > 2e-4
    assert np.all(np.diff(moved.astype(np.float32)) > 0.0)


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="ladder: .*increase"):
        FlowLadder([0.0, 0.5, 0.5, 1.0], 0.1)
    for name, value in {"rate": 1.0, "k": 0, "spawn_below": 2}.items():
        with pytest.raises(ValueError, match=f"{name}: .*{value}"):
            FlowLadder([0.0, 1.0], **{"rate": 0.1, name: value})
