"""Modes of an RBM by naive mean field from many starts, and the lower bounds of log Z that they give.

Mean field has many solutions with a poor bound. Random starts find few of the best solutions. Each solution therefore
climbs: units of the smaller layer are flipped one at a time, with the larger layer summed out. The mean-field updates
are then repeated from the states that the climbs reach. The first solutions are kept, too, because chains may stay near
them.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from logzoo.checks import binary_matrix, is_a, whole_number
from logzoo.kernels.cache import announce_compilation
from logzoo.kernels.elementary import exponentiate
from logzoo.kernels.product_laws import (
    LANES,
    bound,
    climb,
    fill_inputs,
    fill_log_odds,
    fill_means,
    log_ratio,
    settle,
)
from logzoo.models.rbm import RBM
from logzoo.streams import Stream, root_stream
from logzoo.types import Array, ArrayLike, Bits, Seed

# A start has settled when no hidden mean moves by more than this in a step.
_TOLERANCE = np.float32(1e-5)
# Two solutions are the same mode if no hidden mean differs by more than this.
_SAME = 0.05
# Nats that a flip in a climb must gain: far above rounding.
_GAIN = 1e-4
# Means of the product laws in the mixture stay this far from 0 and 1, so that every v has a positive probability.
_LEAST_MEAN = 1e-12
# Modes whose share of the mixture is smaller are left out.
_LEAST_SHARE = 1e-15
# Power iterations of random vectors with the weights: the largest number of products into the hidden layer, and the
# smallest divisor of a product.
_MOST_TURNS = 4
_TINY = np.float32(1e-30)
# Largest input that a unit may have in any state, so that float32 does not overflow.
_LARGEST_INPUT = 1e37


class Solutions(NamedTuple):
    """Solutions of mean field, each with its lower bound F1 of log Z."""

    visible: np.ndarray  # (n, visible) means
    hidden: np.ndarray  # (n, hidden) means
    bounds: np.ndarray  # (n,) nats

    def rows(self, rows: Array | list[int]) -> "Solutions":
        """The Solutions in these rows."""
        return Solutions(*(array[rows] for array in self))


class Modes(NamedTuple):
    """Solutions of mean field, best first: each is a product law (independent units) close to one mode of the RBM."""

    visible: np.ndarray  # (mode, visible) means of v, float64
    hidden: np.ndarray  # (mode, hidden) means of h, optimal for the means of v
    bounds: np.ndarray  # (mode,) F1 in nats: each is a lower bound of log Z
    starts: np.ndarray  # (mode,) number of starts that settled in the mode, before or after their climb
    steps: int  # summed over the starts and all phases; samplers count a step as a sweep of one chain
    lower: float  # rigorous lower bound in nats; see `LowerBound.sure`


class LowerBound(NamedTuple):
    """Lower bounds of log Z in nats: a rigorous bound, and an estimate of a sharper bound."""

    sure: float  # the best F1, or log of the sum of f over the first and last states of all climbs if larger
    mixture: float  # mean of log f(v) - log Q(v) over draws from the mixture Q of all modes: an estimate
    std_error: float  # standard error of `mixture`
    modes: Modes


def find_modes(
    rbm: RBM, stream: Stream, *, starts: int = 500, steps: int = 400, data: ArrayLike | None = None, threads: int = 1
) -> Modes:
    """Modes of an RBM by the alternating fixed point of mean field: q = sigmoid(b + m W), m = sigmoid(c + W q).

    One kind of start is h_j ~ Bernoulli(p), where each start has its own p ~ U(0, 1). The other kind is the signs of a
    random vector after a few products with the weights. With data, a 0/1 matrix (examples, visible), up to half of the
    starts are means of h given rows of the data. First mean field settles. Flips of single units then climb from the
    rounded solution, and mean field settles again. Cost: at most about `steps` steps per start for each of these three
    phases. At 784 x 500 a step takes as long as four Gibbs sweeps of a chain, and a step of the climb as long as 40.
    Raises ValueError for impossible sizes and data, and for parameters that overflow float32. The fixed point and its
    bound follow Gabrié, Tramel & Krzakala (2015). The starts and the climb are our own.
    """
    announce_compilation()
    is_a("rbm", rbm, RBM)
    starts, steps = whole_number("starts", starts), whole_number("steps", steps)
    threads = whole_number("threads", threads)
    data = None if data is None else binary_matrix("data", data, visible=rbm.visible)
    single, double = _parameters(rbm, np.float32), _parameters(rbm, np.float64)
    hidden = _hidden_starts(single, starts, data, stream.child("starts").generator()).T
    with ThreadPoolExecutor(threads) as pool:
        each_part = partial(_over_parts, pool, threads)
        settled, steps_made = _solutions(each_part, single, double, hidden, steps)
        leaders, mode = _distinct(settled)
        settled = settled.rows(leaders)
        hidden, of_summit, lower, passes = _summits(each_part, single, double, settled, steps)
        again, more_steps = _solutions(each_part, single, double, hidden, steps)
    every = Solutions(*(np.concatenate(arrays) for arrays in zip(settled, again, strict=True)))
    leaders, of_leader = _distinct(every)
    first, second = of_leader[mode], of_leader[len(settled.bounds) + of_summit[mode]]
    counts = np.bincount(first, minlength=len(leaders)) + np.bincount(second[second != first], minlength=len(leaders))
    best = every.rows(leaders)
    return Modes(*best, counts, steps_made + passes + more_steps, max(float(best.bounds[0]), lower))


def lower_bound(
    rbm: RBM,
    *,
    draws: int = 10_000,
    starts: int = 500,
    steps: int = 400,
    seed: Seed = 0,
    data: ArrayLike | None = None,
    threads: int = 1,
) -> LowerBound:
    """Bound log Z of an RBM from below by the modes that mean field finds.

    Parameters
    ----------
    rbm : RBM
    draws : int
        Number of draws from the mixture, at least 2.
    starts, steps : int
        Number of starts of the search for modes, and largest number of steps of a start in each of three phases.
    seed : int or str
    data : array of 0 and 1, shape (examples, visible), optional
        Examples that replace up to half of the random starts.
    threads : int

    Returns
    -------
    LowerBound
        ``sure``, in nats, is a rigorous lower bound, even if modes were missed. ``mixture`` estimates another bound,
        with error ``std_error``: the mean of log f(v) - log Q(v) over draws from Q, the mixture of the modes' product
        laws. It is usually higher than ``sure``.

    Raises
    ------
    ValueError
        For impossible sizes and data, and for parameters that overflow float32.

    References
    ----------
    Gabrié, Tramel & Krzakala (2015): the mean-field bound F1. The bound ``sure`` is F1, or log of a sum of f if larger.

    Examples
    --------
    >>> from logzoo import RBM, exact_log_z, lower_bound
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> lower_bound(rbm).sure <= exact_log_z(rbm)
    True
    """
    draws = whole_number("draws", draws, minimum=2)
    stream = root_stream(seed).child("modes")
    modes = find_modes(rbm, stream, starts=starts, steps=steps, data=data, threads=threads)
    shares = modes.bounds.copy()
    shares /= exponentiate(shares)[1]
    # Modes are sorted, best first; modes that would never be drawn are omitted.
    drawn = np.count_nonzero(shares > _LEAST_SHARE)
    shares = shares[:drawn] / shares[:drawn].sum()
    means = np.clip(modes.visible[:drawn], _LEAST_MEAN, 1.0 - _LEAST_MEAN)
    log_odds, constants = np.empty_like(means), np.empty(drawn)
    fill_log_odds(means, log_odds, constants)
    constants += np.log(shares)
    log_odds.flags.writeable = constants.flags.writeable = False
    _, transposed, *biases = _parameters(rbm, np.float64)

    def ratios(first):
        generator = stream.child("draws", first).generator()
        count = min(LANES, draws - first)
        chosen = generator.choice(drawn, count, p=shares)
        v = (generator.random((count, rbm.visible)) < means[chosen]).T
        values = np.empty(count)
        log_ratio(transposed, *biases, log_odds, constants, np.ascontiguousarray(v, np.float64), values)
        return values

    with ThreadPoolExecutor(threads) as pool:
        values = np.concatenate(list(pool.map(ratios, range(0, draws, LANES))))
    std_error = values.std(ddof=1) / np.sqrt(draws)
    return LowerBound(modes.lower, float(values.mean()), float(std_error), modes)


def _parameters(rbm, kind):
    """Weights (V, H), their transpose, visible bias and hidden bias, as contiguous arrays of type `kind`."""
    arrays = rbm.weights, rbm.weights.T, rbm.visible_bias, rbm.hidden_bias
    largest = max(float(np.abs(array).max()) for array in arrays) * (max(rbm.weights.shape) + 1)
    if largest > _LARGEST_INPUT:
        reach = f"inputs of units may reach {largest:.2g}, expected at most {_LARGEST_INPUT:g}"
        raise ValueError(f"mode search: the parameters are too large, {reach}")
    parameters = tuple(np.ascontiguousarray(array, kind) for array in arrays)
    # The arrays of an RBM are read-only. numba would compile the kernels again for a writeable array.
    parameters[1].flags.writeable = parameters[0].flags.writeable
    return parameters


def _hidden_starts(parameters, starts, data, generator):
    """Initial q (H, starts), float32: random hidden states of two kinds, then means of h given examples."""
    weights, transposed, _, hidden_bias = parameters
    rows = 0 if data is None else min(len(data), starts // 2)
    projected = (starts - rows) // 2
    random = starts - rows - projected
    p = generator.random(random)
    hidden = np.empty((hidden_bias.size, starts), np.float32)
    hidden[:, :random] = generator.random((hidden_bias.size, random)) < p
    hidden[:, random : random + projected] = _projected(weights, transposed, projected, generator)
    if data is not None and rows:
        v = data[generator.choice(len(data), rows, replace=False)].T
        hidden[:, starts - rows :] = _means_of_hidden(parameters, v)
    return hidden


def _means_of_hidden(parameters, v):
    """Means (H, n), float32, of the hidden units given visible states v (V, n)."""
    _, transposed, _, hidden_bias = parameters
    means = np.empty((hidden_bias.size, v.shape[1]), np.float32)
    fill_means(transposed, hidden_bias, np.ascontiguousarray(v, np.float32), means, v.shape[1])
    return means


def _projected(weights, transposed, count, generator):
    """Hidden states (H, count): signs of random vectors after 1 to 4 products of power iterations."""
    visible, hidden = weights.shape
    x, y = generator.standard_normal((visible, count), np.float32), np.empty((hidden, count), np.float32)
    turns = np.arange(count) % _MOST_TURNS
    for turn in range(_MOST_TURNS):
        turning = turns >= turn
        if turn:
            fill_inputs(weights, np.zeros(visible, np.float32), y, x, count)
        x /= np.maximum(np.abs(x).max(axis=0), _TINY)
        later = np.empty_like(y)
        fill_inputs(transposed, np.zeros(hidden, np.float32), x, later, count)
        later /= np.maximum(np.abs(later).max(axis=0), _TINY)
        y[:, turning] = later[:, turning]
    return y > 0.0


def _over_parts(pool, threads, function, states):
    """Concatenate the arrays that `function` returns for parts of the rows of `states`."""
    parts = np.array_split(states, min(threads, len(states)))
    return [np.concatenate(arrays) for arrays in zip(*pool.map(function, parts), strict=True)]


def _solutions(each_part, single, double, hidden, steps):
    """The Solutions reached from the starts `hidden` (n, H), and the number of steps."""
    hidden, steps_made = each_part(lambda part: _settled(single, part, steps), hidden)
    # One more step of each start gives its bound.
    return Solutions(*each_part(lambda part: _bounded(double, part), hidden)), int(steps_made.sum()) + len(hidden)


def _settled(parameters, hidden, steps):
    """Hidden means (n, H), float32, at the fixed points reached from `hidden`, and the steps of each start (n,)."""
    hidden = np.ascontiguousarray(hidden.T, np.float32)
    steps_made = settle(*parameters, hidden, steps, _TOLERANCE)
    return hidden.T, steps_made


def _bounded(parameters, hidden):
    """Visible means (n, V), hidden means (n, H) and F1 (n,), all float64, one step after `hidden` (n, H)."""
    results = []
    for first in range(0, len(hidden), LANES):
        tile = np.ascontiguousarray(hidden[first : first + LANES].T, np.float64)
        visible, bounds = np.empty((len(parameters[0]), tile.shape[1])), np.empty(tile.shape[1])
        bound(*parameters, tile, visible, bounds)
        results.append((visible.T, tile.T, bounds))
    return [np.concatenate(arrays) for arrays in zip(*results, strict=True)]


def _summits(each_part, single, double, settled, steps):
    """Climb from the rounded Solutions to local maxima.

    Returns hidden means (n, H) of the distinct maxima, the index of each Solution's maximum, a lower bound of log Z in
    nats, and the number of passes over all units. The bound sums f over the first and last states of all climbs.
    """
    weights, transposed, visible_bias, hidden_bias = double
    swapped = len(hidden_bias) > len(visible_bias)
    layers = (weights, visible_bias, hidden_bias) if swapped else (transposed, hidden_bias, visible_bias)

    def climbed(part, most=steps):
        states = np.ascontiguousarray(part, np.uint8)
        return states, *climb(*layers, states, most, _GAIN)

    rounded = (settled.visible if swapped else settled.hidden) > 0.5
    states, _, passes = each_part(climbed, rounded)
    summits, of_summit = distinct_rows(states)
    seen, _ = distinct_rows(np.concatenate([summits, rounded]))
    _, heights, _ = each_part(partial(climbed, most=0), seen)
    hidden = _means_of_hidden(single, summits.T).T if swapped else summits
    # Computing log f of a state costs one more pass.
    return hidden, of_summit, float(logsumexp(heights)), int(passes.sum()) + len(seen)


def distinct_rows(states: Array) -> tuple[Bits, Array]:
    """The sorted distinct rows (n, units) uint8 of a 0/1 matrix, and the index of each matrix row among them."""
    # Rows packed into bytes of eight units have the same order, and sorting them takes an eighth of the time.
    packed, number = np.unique(np.packbits(states, axis=1), axis=0, return_inverse=True)
    return np.unpackbits(packed, axis=1, count=states.shape[1]), number.ravel()


def _distinct(solutions):
    """The row of the best Solution in each mode, best first, and the mode (n,) of each Solution."""
    leaders, mode = [], np.empty(len(solutions.bounds), int)
    for row in np.argsort(-solutions.bounds, kind="stable"):
        apart = np.abs(solutions.hidden[leaders] - solutions.hidden[row]).max(axis=1)
        same = np.flatnonzero(apart <= _SAME)
        mode[row] = same[0] if same.size else len(leaders)
        if not same.size:
            leaders.append(row)
    return leaders, mode
