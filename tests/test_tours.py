"""Stopping sets, log f(h) of their states, and tours: against slow twins and exact transition probabilities."""

import numpy as np
import pytest
import twins
from drawing import draw_each
from parts import from_python

from logzoo import RBM
from logzoo.kernels import bitsets
from logzoo.kernels.bitsets import new_hash_set
from logzoo.kernels.hidden_energies import log_f_hidden
from logzoo.kernels.random import HIDDEN, VISIBLE
from logzoo.paths import kernel_parameters
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import TourSampler
from logzoo.streams import root_stream
from replication.papers.las_vegas.lv_walks import packed_states, unpacked_states

find, hash_of, insert = (from_python(part) for part in (bitsets.find, bitsets.hash_of, bitsets.insert))
pack_state, unpack_state = from_python(bitsets.pack_state), from_python(bitsets.unpack_state)


def parameters_of(rbm):
    return kernel_parameters(rbm, np.zeros(rbm.visible))


def a_stopping_set(rbm, draws=6, examples=4, seed=1):
    """A stopping set from random data, and the 0/1 states in it."""
    data = np.random.default_rng(seed).integers(0, 2, (examples, rbm.visible)).astype(np.uint8)
    stopping = stopping_set(parameters_of(rbm), data, draws, root_stream(seed))
    return stopping, unpacked_states(stopping.members.rows, rbm.hidden)


@pytest.mark.parametrize("hidden", [1, 63, 64, 65, 500])
def test_states_are_packed_into_words_and_back(hidden):
    states = np.random.default_rng(hidden).integers(0, 2, (20, hidden)).astype(np.uint8)
    rows = packed_states(states)
    for state, words in zip(states, rows, strict=True):
        number = sum(int(bit) << place for place, bit in enumerate(state))
        assert [int(word) for word in words] == [number >> first & (1 << 64) - 1 for first in range(0, hidden, 64)]
        by_kernel, back = np.empty_like(words), np.empty_like(state)
        pack_state(state, by_kernel)
        unpack_state(words, back)
        assert np.array_equal(by_kernel, words) and np.array_equal(back, state)
    np.testing.assert_array_equal(unpacked_states(rows, hidden), states)


@pytest.mark.parametrize("planted", [False, True])
@pytest.mark.parametrize("hidden", [5, 130])
def test_a_hash_set_knows_its_members_even_if_all_hashes_collide(hidden, planted):
    states = np.random.default_rng(hidden).integers(0, 2, (300, hidden)).astype(np.uint8)
    rows, members, known = packed_states(states), new_hash_set(300, hidden), {}
    # Near the end of the table, so that probing goes round.
    code = (lambda words: np.uint64(members.slots.size - 2)) if planted else (lambda words: np.uint64(hash_of(words)))
    for words in rows[:200]:
        row = insert(members, len(known), words, code(words))
        assert row == known.setdefault(words.tobytes(), len(known))
    assert len(known) > 25
    assert [words.tobytes() for words in members.rows[: len(known)]] == list(known)
    for words in rows:
        assert find(members, words, code(words)) == known.get(words.tobytes(), -1)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("scale", [0.3, 60.0, 1000.0])
@pytest.mark.parametrize(("visible", "hidden"), [(1, 1), (33, 9), (100, 130)])
def test_log_f_of_hidden_states_equals_numpy(visible, hidden, scale, single):
    rbm = twins.shaped_rbm(visible, hidden, scale)
    states = np.random.default_rng(3).integers(0, 2, (50, hidden)).astype(np.uint8)
    result = np.empty(50)
    log_f_hidden(parameters_of(rbm), packed_states(states), result, single)
    # Half a unit for each parameter that has a part.
    rounding = 0.5 * float(parameters_of(rbm).unit) * (visible + 1) * (hidden + 1)
    # A factor in single precision has a rounding for each of its parts.
    tables = 2.0**-24 * visible * (hidden + 5) if single else 1e-9
    np.testing.assert_allclose(result, twins.log_f_of_hidden(rbm, states), rtol=1e-12, atol=rounding + tables)


def test_a_stopping_set_holds_the_draws_that_its_stream_makes_once_each():
    rbm = twins.shaped_rbm(6, 40, 0.2)
    data = np.random.default_rng(2).integers(0, 2, (700, 6)).astype(np.uint8)
    stopping = stopping_set(parameters_of(rbm), data, 1600, root_stream(5))
    twin = twins.FixedPointRBM(rbm, np.zeros(6), parameters_of(rbm).unit, draw_each)
    order = root_stream(5).child("order").generator().permutation(700)
    key, drawn = root_stream(5).child("hidden").key, set()
    for turn, rows in enumerate((order, order, order[:200])):
        for row in rows:
            words = twins.layer_words(key, int(row), turn, int(HIDDEN), 40)
            logits = np.float32(twin.unit) * twin.hidden_input(data[row]).astype(np.float32)
            drawn.add(draw_each(logits, words).tobytes())
    states = unpacked_states(stopping.members.rows, 40)
    assert {state.tobytes() for state in states} == drawn and len(states) == len(drawn) == stopping.size
    np.testing.assert_allclose(stopping.log_f, twins.log_f_of_hidden(rbm, states), atol=1e-6)
    assert stopping.log_z == pytest.approx(twins.logsumexp(stopping.log_f), abs=1e-12)
    # A draw from an example is more probable given this example than given another.
    inputs = data[stopping.example] @ rbm.weights + rbm.hidden_bias
    log_p = (states * inputs - np.logaddexp(0, inputs)).sum(axis=1)
    others = inputs[::-1]
    assert log_p.mean() > (states * others - np.logaddexp(0, others)).sum(axis=1).mean() + 0.1


def test_starts_are_drawn_in_proportion_to_f():
    stopping, _ = a_stopping_set(twins.shaped_rbm(5, 4), 30)
    assert stopping.size > 4
    counts = np.bincount(stopping.starts(np.random.default_rng(0).random(50_000)), minlength=stopping.size)
    exact, uniform = np.exp(stopping.log_f - stopping.log_z), np.full(stopping.size, 1 / stopping.size)
    off, other = (np.abs((counts / 50_000 - p) / np.sqrt(p * (1 - p) / 50_000)).max() for p in (exact, uniform))
    assert off < 4 and other > 8
    assert stopping.starts(np.array([0.0, np.nextafter(1.0, 0.0)])).tolist() == [0, stopping.size - 1]


@pytest.mark.parametrize(("visible", "hidden"), [(40, 33), (3, 70)])
def test_tours_are_those_of_a_slow_twin(visible, hidden):
    rbm = twins.shaped_rbm(visible, hidden, 0.2)
    stopping, states = a_stopping_set(rbm)
    sampler = TourSampler(parameters_of(rbm), stopping, root_stream(3), flight=4)
    result = sampler.run(10, 10**6, cap=30)
    twin = twins.FixedPointRBM(rbm, np.zeros(visible), parameters_of(rbm).unit, draw_each)
    home = {state.tobytes() for state in states}

    def drawn(inputs, number, sweep, layer):
        logits = np.float32(twin.unit) * inputs.astype(np.float32)
        return draw_each(logits, twins.layer_words(sampler.key, number, sweep, layer, inputs.size))

    for number in range(10):
        h, length, finished = states[result.start[number]], 0, False
        while not finished and length < 30:
            length += 1
            v = drawn(twin.visible_input(h), number, length, int(VISIBLE))
            h = drawn(twin.hidden_input(v), number, length, int(HIDDEN))
            finished = h.tobytes() in home
        assert (result.length[number], result.finished[number]) == (length, finished)


def test_a_tour_does_not_depend_on_how_many_are_in_flight_threads_or_the_order_of_calls():
    rbm = twins.shaped_rbm(20, 9, 0.4)
    stopping, _ = a_stopping_set(rbm)

    def lengths(counts, **settings):
        sampler = TourSampler(parameters_of(rbm), stopping, root_stream(3), **settings)
        return np.concatenate([sampler.run(count, 10**9).length for count in counts])

    expected = lengths([3000])
    assert expected.max() > 100
    for counts, settings in (([3000], {"flight": 7}), ([3000], {"threads": 3, "flight": 999}), ([1, 1999, 1000], {})):
        np.testing.assert_array_equal(lengths(counts, **settings), expected)


@pytest.mark.parametrize(("budget", "cap"), [(10**6, 5), (3000, None), (1999, None), (0, None)])
def test_tours_end_with_the_cap_or_the_budget(budget, cap):
    rbm = twins.shaped_rbm(20, 9, 0.4)
    stopping, _ = a_stopping_set(rbm)
    whole = TourSampler(parameters_of(rbm), stopping, root_stream(3)).run(2000, 10**9).length
    result = TourSampler(parameters_of(rbm), stopping, root_stream(3), flight=50).run(2000, budget, cap)
    assert result.length.sum() <= budget and np.all(result.length <= whole)
    np.testing.assert_array_equal(result.finished, result.length == whole)
    if cap is not None:
        assert result.length.max() <= cap
    if result.length.sum() < budget:
        np.testing.assert_array_equal(result.length, np.minimum(whole, cap))
    else:
        # Unfinished tours are equally long, except that the first of them may be one sweep longer.
        out = result.length[~result.finished]
        assert np.all(np.diff(out) <= 0) and out.max() - out.min() <= 1


def test_lengths_have_the_distribution_that_the_transition_matrix_gives():
    rbm = twins.shaped_rbm(6, 4)
    stopping, states = a_stopping_set(rbm, 3)
    joint = np.exp(twins.log_f_joint(rbm, twins.all_states(6), twins.all_states(4)) - twins.brute_log_z(rbm))
    # P(h' | h) of one sweep h -> v -> h' over all hidden states, and their probabilities.
    p = (joint / joint.sum(axis=0)).T @ (joint / joint.sum(axis=1, keepdims=True))
    weight = joint.sum(axis=0)
    home = np.isin(np.arange(16), twins.state_numbers(states))
    tail, out = [], weight * home / weight[home].sum() @ p
    for _ in range(12):
        out = np.where(home, 0.0, out)
        tail.append(out.sum())
        out = out @ p
    length = TourSampler(parameters_of(rbm), stopping, root_stream(0)).run(60_000, 10**9).length
    result, tail = np.array([(length > sweeps).mean() for sweeps in range(1, 13)]), np.array(tail)
    assert result[0] > 0.05
    assert np.abs((result - tail) / np.sqrt(tail * (1 - tail) / 60_000)).max() < 4


def test_probes_find_a_mode_that_the_set_does_not_know_and_weigh_it():
    # The modes are all units off and all on; the stopping set has only the former.
    modes = twins.two_modes()
    for tilt, known in ((0.0, False), (-0.3, False), (0.0, True)):
        rbm = RBM(modes.weights, modes.visible_bias + tilt, modes.hidden_bias)
        data = np.repeat([[0], [1]] if known else [[0]], 20, axis=1).astype(np.uint8)
        stopping = stopping_set(parameters_of(rbm), data, 10, root_stream(0))
        result = TourSampler(parameters_of(rbm), stopping, root_stream(0)).probe(200, 200 * 200)
        assert result.sweeps <= 200 * 200
        if known:
            assert result.lost == 0 and result.log_mass == -np.inf
        else:
            assert 10 < result.lost < 190
            h = twins.all_states(12)
            on = twins.log_f_of_hidden(rbm, h[h.sum(axis=1) > 6])
            assert result.log_mass == pytest.approx(twins.logsumexp(on), abs=0.05)


def test_what_lost_probes_have_not_seen_twice_is_not_weighed():
    rbm = twins.shaped_rbm(30, 60, 0.01)
    stopping, _ = a_stopping_set(rbm)
    result = TourSampler(parameters_of(rbm), stopping, root_stream(0)).probe(5, 50)
    assert (result.lost, result.log_mass) == (5, np.inf)
