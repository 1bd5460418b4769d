"""The random words, the elementary functions and the Bernoulli draws made of them."""

import math
from itertools import product

import numpy as np
import pytest
import twins
from drawing import decide_each, draw_each
from numba import njit
from parts import from_python

from logzoo.kernels import random
from logzoo.kernels.elementary import exp2_nonpositive, exp_wide
from logzoo.kernels.random import HIDDEN, RUNG, START, VISIBLE

KEY = np.uint64(0x299F31D0A4093822)
philox, uniform = from_python(random.philox), from_python(random.uniform)
# Random123, kat_vectors, philox4x32 10 rounds: counter, key, output.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def of_every_entry(function, kind):
    """That compiled function of every entry of an array, as an array of that type."""

    @njit
    def fill(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    def apply(x):
        out = np.empty(len(x), kind)
        fill(np.asarray(x, kind), out)
        return out

    return apply


exp2_32, exp64 = of_every_entry(exp2_nonpositive, np.float32), of_every_entry(exp_wide, np.float64)


@njit
def _fill(key, chain, sweep, layer, words):
    for unit in range(words.size):
        words[unit] = random.word_of_unit(key, chain, sweep, layer, unit)


def filled(key, chain, sweep, layer, count):
    """The words of the first `count` units of one layer."""
    words = np.zeros(count, np.uint32)
    _fill(np.uint64(key), np.uint64(chain), sweep, np.uint64(layer), words)
    return words


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter, key, answer):
    words = philox(*(np.uint64(word) for word in (*counter, *key)))
    assert tuple(int(word) for word in words) == answer


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(("chain", "sweep", "layer"), [(5, 17, 1), (4_000_000_000, (7 << 32) + 9, 3)])
def test_words_have_the_documented_layout(count, chain, sweep, layer):
    words = filled(KEY, chain, sweep, layer, count)
    np.testing.assert_array_equal(words, twins.layer_words(KEY, chain, sweep, layer, count))


def test_every_coordinate_of_a_draw_makes_another_stream():
    coordinates = list(product((1, 2, 1 << 32), (0, 1), (0, 1, 1 << 32), (HIDDEN, VISIBLE, RUNG, START)))
    drawn = {tuple(filled(*coordinate, 8)) for coordinate in coordinates}
    assert len(drawn) == len(coordinates)


def test_uniform_is_strictly_between_zero_and_one_and_is_uniform():
    draws = np.array([uniform(KEY, np.uint64(chain), 3, RUNG) for chain in range(20_000)])
    assert 0.0 < draws.min() < 1e-3
    assert 1.0 - 1e-3 < draws.max() < 1.0
    assert abs(draws.mean() - 0.5) < 4.0 / math.sqrt(12 * draws.size)
    w0, w1, _, _ = twins.philox((0, 7, 3, int(RUNG)), (int(KEY) & 0xFFFFFFFF, int(KEY) >> 32))
    assert draws[7] == pytest.approx(((w0 >> 6 << 26) + (w1 >> 6)) / 2.0**52, abs=2.0**-50)


def test_uniform_is_below_one_even_if_all_its_bits_are_ones():
    # Found by running the generator backwards from two words of ones.
    chain, sweep, layer = 3628667067, 11754402797216796, 118
    counter = (0, chain, sweep & 0xFFFFFFFF, layer | sweep >> 32 << 8)
    assert twins.philox(counter, (1, 0))[:2] == (0xFFFFFFFF, 0xFFFFFFFF)
    assert 1.0 - 2.0**-50 < uniform(np.uint64(1), np.uint64(chain), sweep, np.uint64(layer)) < 1.0


def test_exp2_of_a_float32_is_within_its_bound_over_the_whole_range():
    mantissas = np.linspace(1.0, 2.0, 20_000, endpoint=False)
    y = -np.concatenate([[0.0], *(mantissas * 2.0**power for power in range(-40, 7))]).astype(np.float32)
    y = y[y >= -125.0]
    error = np.abs(exp2_32(y) / np.exp2(y.astype(np.float64)) - 1.0)
    assert error.max() < 2e-7
    # Clipped, and exact at zero.
    np.testing.assert_array_equal(exp2_32([0.0, -0.0]), [1.0, 1.0])
    smallest = exp2_32([-125.0])[0]
    assert smallest >= np.finfo(np.float32).tiny
    np.testing.assert_array_equal(exp2_32([-126.0, -1e3, -1e30, -np.inf]), np.full(4, smallest))


def test_exp_of_a_float64_is_within_its_bound_over_the_whole_range():
    mantissas = np.linspace(1.0, 2.0, 20_000, endpoint=False)
    x = -np.concatenate([[0.0], *(mantissas * 2.0**power for power in range(-60, 10))])
    x = x[x >= -700.0]
    error = np.abs(exp64(x) / np.exp(x) - 1.0)
    assert error.max() < 1e-9
    np.testing.assert_array_equal(exp64([0.0, -701.0, -1e300, -np.inf]), [1.0, *exp64([-700.0] * 3)])


def states_from(logit, words):
    """draw_unit at one logit for each of many words."""
    words = np.asarray(words, np.uint32)
    return draw_each(np.full(words.size, logit, np.float32), words)


def resolved(size):
    """Relative error of a probability: of the word and of 2**y, and 2**-24 of rounding in y = logit / log(2)."""
    return 2e-7 + 2.0**-24 * size


def switch_point(logit):
    """The number of words (of 2**32) that draw the rarer value, by bisection: they are the small ones."""
    rare = 0 if logit > 0 else 1
    low, high = 0, 1 << 32
    while low < high:
        middle = (low + high) // 2
        if states_from(logit, [middle])[0] == rare:
            low = middle + 1
        else:
            high = middle
    return low


@pytest.mark.parametrize("size", [0.0, 1e-6, 1.0, 10.0, 18.0, 21.5])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_words_that_draw_each_value_count_its_probability(size, sign):
    logit = np.float32(sign * size)
    rare = 1.0 / (1.0 + math.exp(abs(float(logit))))
    edge = switch_point(logit)
    assert edge / 2.0**32 == pytest.approx(rare, abs=2.0**-32 + resolved(size) * rare)
    # Near the switch all words below it draw the rarer value, and no others.
    around = np.arange(max(edge - 2000, 0), min(edge + 2000, 1 << 32))
    drawn = states_from(logit, around) == (0 if logit > 0 else 1)
    np.testing.assert_array_equal(drawn, around < edge)


def test_rare_values_are_resolved_to_half_a_word_at_both_ends():
    for size in (14.0, 17.0, 20.0, 20.5):
        exact = 2.0**32 / (1.0 + math.exp(size))
        assert abs(switch_point(np.float32(size)) - exact) <= 0.51 + resolved(size) * exact
        assert switch_point(np.float32(-size)) == switch_point(np.float32(size))
    # P = 2e-9 is 8.85 words: words 0 to 8 draw it, whichever value is the rare one.
    np.testing.assert_array_equal(states_from(20.0, range(12)), [0] * 9 + [1] * 3)
    np.testing.assert_array_equal(states_from(-20.0, range(12)), [1] * 9 + [0] * 3)


@pytest.mark.parametrize("size", [30.0, 88.0, 3e38, np.inf])
def test_extreme_logits_draw_one_value_from_every_word(size):
    edges = [0, 1, 2, (1 << 31) - 1, 1 << 31, (1 << 32) - 2, (1 << 32) - 1]
    np.testing.assert_array_equal(states_from(size, edges), np.ones(len(edges)))
    np.testing.assert_array_equal(states_from(-size, edges), np.zeros(len(edges)))


def logits_to_decide():
    """Over the whole range, both signs, with many near zero and where the rarer value is one half in 65,536."""
    generator = np.random.default_rng(7)
    sizes = [np.linspace(0, 31, 300), 10.0 ** generator.uniform(-30, 2, 100), [0.0, 1e-40, 1e4, 3e38, np.inf]]
    sizes = np.concatenate([*sizes, np.log(2.0**16) + np.linspace(-1, 1, 50)])
    return np.concatenate([sizes, -sizes]).astype(np.float32)


def test_a_leading_half_that_decides_does_so_for_every_trailing_half():
    halves = np.arange(1 << 16, dtype=np.uint32)
    left_open = []
    for logit in logits_to_decide():
        logits = np.full(halves.size, logit)
        drawn, undecided = decide_each(logits, halves)
        # The draw is monotonic in the word, so the ends stand for all trailing halves.
        for trailing in (0, 0xFFFF):
            exact = draw_each(logits, halves << 16 | trailing)
            np.testing.assert_array_equal(drawn[~undecided], exact[~undecided])
        left_open.append(undecided.sum())
    # One half in 65,536 is where the draw changes; no more than its neighbours are open too.
    assert min(left_open) >= 1 and max(left_open) <= 4
