"""Modes of an RBM by naive mean field from many starts, and the lower bounds of log Z that they give."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from logzoo.checks import binary_matrix, is_a, whole_number
from logzoo.kernels.elementary import exponentiate
from logzoo.kernels.mean_field import LANES, bound, fill_inputs, fill_log_odds, fill_means, log_ratio, settle
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

# No hidden mean moves by more in the last step of a start.
_TOLERANCE = np.float32(1e-5)
# Two solutions are the same mode if no hidden mean differs by more.
_SAME = 0.05
# Means of the product laws that are drawn from are at least this far from 0 and 1, so that every v has a density.
_LEAST_MEAN = 1e-12
# Modes with less of the mixture are left out of it.
_LEAST_SHARE = 1e-15
# Times at most that a random direction passes the weights; and the least size that it is divided by.
_MOST_TURNS = 4
_TINY = np.float32(1e-30)
# Inputs of units stay below it, in float32, whatever the states.
_LARGEST_INPUT = 1e37


class Modes(NamedTuple):
    """Solutions of mean field, the best first: each is a product law close to one mode of the RBM."""

    visible: np.ndarray  # (mode, visible) means of v, float64
    hidden: np.ndarray  # (mode, hidden) means of h, the best for those of v
    bounds: np.ndarray  # (mode,) F1 in nats: each is a lower bound of log Z
    starts: np.ndarray  # (mode,) starts that ended there
    steps: int  # of all starts; each costs about a Gibbs sweep of one chain


class LowerBound(NamedTuple):
    """Lower bounds of log Z in nats: one that is sure, and the estimate of a sharper one."""

    sure: float  # the best F1
    mixture: float  # mean of log f(v) - log Q(v) over draws from the mixture Q of all modes: an estimate
    std_error: float  # of `mixture`
    modes: Modes


def find_modes(rbm, stream, *, starts=500, steps=400, data=None, threads=1):
    """Modes of an RBM by the alternating fixed point of mean field: q = sigmoid(b + m W), m = sigmoid(c + W q).

    A start is h_j ~ Bernoulli(p) with a p ~ U(0, 1) of its own, or the signs of a random direction that passed the
    weights some times; with data, a 0/1 matrix (examples, visible), as many as half of the starts are rows of it.
    Cost: a start makes at most `steps`, each about a Gibbs sweep.
    Raises ValueError for impossible sizes and data, and for parameters that overflow float32.
    Source: Gabrié, Tramel, Krzakala (2015) for the fixed point and its bound; the starts are our own.
    """
    is_a("rbm", rbm, RBM)
    starts, steps = whole_number("starts", starts), whole_number("steps", steps)
    threads = whole_number("threads", threads)
    data = None if data is None else binary_matrix("data", data, visible=rbm.visible)
    single, double = _parameters(rbm, np.float32), _parameters(rbm, np.float64)
    hidden = _hidden_starts(single, starts, data, stream.child("starts").generator())
    with ThreadPoolExecutor(threads) as pool:
        parts = np.array_split(hidden, min(threads, starts), axis=1)
        settled, made = zip(*pool.map(lambda part: _settled(single, part, steps), parts), strict=True)
        hidden = np.concatenate(settled, axis=1)
        tiles = (hidden[:, first : first + LANES] for first in range(0, starts, LANES))
        solutions = zip(*pool.map(lambda tile: _bounded(double, tile), tiles), strict=True)
    # One more step of each start gives its bound.
    return _distinct(*(np.concatenate(parts) for parts in solutions), sum(made) + starts)


def lower_bound(rbm, *, draws=10_000, starts=500, steps=400, seed=0, data=None, threads=1):
    """Lower bounds of log Z of an RBM, as a LowerBound: `sure`, and `mixture` with its `std_error`.

    sure: the best F1 of `find_modes`, below log Z whatever the modes miss. mixture: with Q the mixture of the modes'
    product laws, weights proportional to exp(F1), E_Q[log f(v) - log Q(v)] is below log Z; it is estimated from `draws`
    of Q, so what is sure of it holds only up to its standard error. It is mostly the higher one, not always.
    Raises ValueError as `find_modes`, and for fewer than two draws.
    """
    draws = whole_number("draws", draws, minimum=2)
    stream = root_stream(seed).child("modes")
    modes = find_modes(rbm, stream, starts=starts, steps=steps, data=data, threads=threads)
    shares = modes.bounds.copy()
    shares /= exponentiate(shares)[1]
    # The best come first; a mode that is never drawn is only work.
    kept = np.count_nonzero(shares > _LEAST_SHARE)
    shares = shares[:kept] / shares[:kept].sum()
    means = np.clip(modes.visible[:kept], _LEAST_MEAN, 1.0 - _LEAST_MEAN)
    log_odds, constants = np.empty_like(means), np.empty(kept)
    fill_log_odds(means, log_odds, constants)
    constants += np.log(shares)
    _, transposed, *biases = _parameters(rbm, np.float64)

    def ratios(first):
        generator = stream.child("draws", first).generator()
        count = min(LANES, draws - first)
        chosen = generator.choice(kept, count, p=shares)
        v = (generator.random((count, rbm.visible)) < means[chosen]).T
        values = np.empty(count)
        log_ratio(transposed, *biases, log_odds, constants, np.ascontiguousarray(v, np.float64), values)
        return values

    with ThreadPoolExecutor(threads) as pool:
        values = np.concatenate(list(pool.map(ratios, range(0, draws, LANES))))
    std_error = values.std(ddof=1) / np.sqrt(draws)
    return LowerBound(float(modes.bounds[0]), float(values.mean()), float(std_error), modes)


def _parameters(rbm, kind):
    """Weights (V, H), the same transposed, visible and hidden bias, contiguous and of that type."""
    arrays = rbm.weights, rbm.weights.T, rbm.visible_bias, rbm.hidden_bias
    largest = max(float(np.abs(array).max()) for array in arrays) * (max(rbm.weights.shape) + 1)
    if largest > _LARGEST_INPUT:
        raise ValueError(f"mode search: the parameters are too large, inputs of units may reach {largest:.2g}")
    return tuple(np.ascontiguousarray(array, kind) for array in arrays)


def _hidden_starts(parameters, starts, data, generator):
    """Where q starts (H, starts), float32: random hidden states of two kinds, then means of h given examples."""
    weights, transposed, _, hidden_bias = parameters
    rows = 0 if data is None else min(len(data), starts // 2)
    projected = (starts - rows) // 2
    random = starts - rows - projected
    p = generator.random(random)
    hidden = np.empty((hidden_bias.size, starts), np.float32)
    hidden[:, :random] = generator.random((hidden_bias.size, random)) < p
    hidden[:, random : random + projected] = _projected(weights, transposed, projected, generator)
    if rows:
        v = data[generator.choice(len(data), rows, replace=False)].T
        means = np.empty((hidden_bias.size, rows), np.float32)
        fill_means(transposed, hidden_bias, np.ascontiguousarray(v, np.float32), means, rows)
        hidden[:, starts - rows :] = means
    return hidden


def _projected(weights, transposed, count, generator):
    """Hidden states (H, count): signs of random directions, which the weights turn towards their strongest ones.

    Which units are called on does not matter to them: an RBM with some units flipped has the same starts, flipped.
    """
    visible, hidden = weights.shape
    x, y = generator.standard_normal((visible, count), np.float32), np.empty((hidden, count), np.float32)
    turns = np.arange(count) % _MOST_TURNS
    for turn in range(_MOST_TURNS):
        turning = turns >= turn
        if turn:
            x = np.ascontiguousarray(x)
            fill_inputs(weights, np.zeros(visible, np.float32), y, x, count)
        x /= np.maximum(np.abs(x).max(axis=0), _TINY)
        later = np.empty_like(y)
        fill_inputs(transposed, np.zeros(hidden, np.float32), x, later, count)
        later /= np.maximum(np.abs(later).max(axis=0), _TINY)
        y[:, turning] = later[:, turning]
    return y > 0.0


def _settled(parameters, hidden, steps):
    """The hidden means (H, starts) after the fixed point from given ones, and the steps of all starts."""
    hidden = np.ascontiguousarray(hidden)
    made = settle(*parameters, hidden, steps, _TOLERANCE)
    return hidden, int(made.sum())


def _bounded(parameters, hidden):
    """Visible means (starts, V), hidden means (starts, H) and F1 (starts,), all float64, one step on from `hidden`."""
    hidden = np.ascontiguousarray(hidden, np.float64)
    visible, bounds = np.empty((len(parameters[0]), hidden.shape[1])), np.empty(hidden.shape[1])
    bound(*parameters, hidden, visible, bounds)
    return visible.T, hidden.T, bounds


def _distinct(visible, hidden, bounds, steps):
    """The best start of each mode, with how many ended there: a start joins the best mode that it is the same as."""
    leaders, counts = [], []
    for start in np.argsort(-bounds, kind="stable"):
        apart = np.abs(hidden[leaders] - hidden[start]).max(axis=1)
        same = np.flatnonzero(apart <= _SAME)
        if same.size:
            counts[same[0]] += 1
        else:
            leaders.append(start)
            counts.append(1)
    return Modes(visible[leaders], hidden[leaders], bounds[leaders], np.array(counts), steps)
