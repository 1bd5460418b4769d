"""Exact log Z and exact expectations of an RBM, by enumerating the smaller layer."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from logzoo.checks import is_a, whole_number
from logzoo.kernels.enumeration import LANES, UNITS, LowPart, expectations, log_sum_states
from logzoo.models.equivalent import without_certain
from logzoo.models.rbm import RBM, refuse_rounding
from logzoo.printing import bar, shows
from logzoo.types import ArrayLike

LARGEST_LAYER = 36
_STATES_PER_SECOND = 4e9  # for one unit in the other layer; only a message uses this number
# Largest number of low bits of a state. Exponentials computed for the other (high) bits serve all 1024 low states.
_LOW_BITS = 10
# Number of high states that share one pass over the table of low states.
_TOGETHER = 16
# Number of high states per kernel call: large enough for a negligible overhead, and small enough for a smooth progress
# bar.
_CHUNK = 256
# Number of chunks handed to the threads at once.
_GROUP = 8
# One product of factors stays between exp(-600) and 2**512, well within float64.
_LARGEST_RANGE = 600.0
_MOST_UNITS = 512


def exact_log_z(rbm: RBM, *, threads: int = 1, progress: bool | None = None) -> float:
    """Compute log Z of an RBM exactly, by enumeration of its smaller layer.

    Parameters
    ----------
    rbm : RBM
    threads : int
    progress : bool, optional
        Whether stderr shows a progress bar, by default if it is a terminal.

    Returns
    -------
    float
        log Z in nats.

    Raises
    ------
    ValueError
        For bad arguments, for more than 36 units in the smaller layer, and if rounding could move log Z by more than
        1e-6 nat.

    Notes
    -----
    Cost: ``2**min(visible, hidden)`` states, and one pass over the other layer for each state. Memory does not grow
    with the number of states. Units whose state is certain are removed first.

    Examples
    --------
    >>> from logzoo import RBM, exact_log_z
    >>> round(exact_log_z(RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])), 6)
    4.046784
    """
    rbm, constant, *_ = without_certain(is_a("rbm", rbm, RBM))
    refuse_rounding("exact log Z", rbm.rounding + abs(constant) * np.finfo(np.float64).eps)
    if rbm.visible < rbm.hidden:
        rbm = rbm.transposed
    if rbm.hidden > LARGEST_LAYER:
        digits = rbm.hidden * np.log10(2.0) + np.log10(rbm.visible / _STATES_PER_SECOND / 3.15e7)
        raise ValueError(
            f"exact log Z: the smaller layer has {rbm.hidden} units, and its 2**{rbm.hidden} states would take "
            f"about 1e{digits:.0f} years; at most {LARGEST_LAYER} units are enumerated: use estimate_log_z"
        )
    padding = -rbm.visible % UNITS
    weights = np.pad(rbm.weights.T, ((0, 0), (0, padding)))
    # Padding units have the input -inf, so that log(1 + exp(input)) = 0.
    bias = np.pad(rbm.visible_bias, (0, padding), constant_values=-np.inf)
    bits = _low_bits(weights)
    low = _low_part(weights[:bits], rbm.hidden_bias[:bits])
    high = (np.ascontiguousarray(weights[bits:]), bias, rbm.hidden_bias[bits:])
    states = 1 << (rbm.hidden - bits)

    def log_sum(first):
        largest, total = log_sum_states(low, *high, first, min(first + _CHUNK, states), *np.empty(shape))
        return largest + np.log(total)

    shape = (2, _TOGETHER, bias.size)
    log_z = -np.inf
    progress_bar = bar(states << bits, "enumeration", "state", shows(progress))
    # Chunks and the order of their sum do not depend on the number of threads.
    with progress_bar, ThreadPoolExecutor(whole_number("threads", threads)) as pool:
        for group in range(0, states, _CHUNK * _GROUP):
            firsts = range(group, min(group + _CHUNK * _GROUP, states), _CHUNK)
            for part in pool.map(log_sum, firsts):
                log_z = np.logaddexp(log_z, part)
            progress_bar.update(min(_CHUNK * _GROUP, states - group) << bits)
    return float(log_z) + constant


def _low_bits(weights):
    """Largest number of low bits, up to 10, for which products of UNITS factors stay within the range of float64."""
    for bits in range(min(_LOW_BITS, len(weights)), 0, -1):
        spread = np.abs(weights[:bits]).sum(axis=0).reshape(-1, UNITS).sum(axis=1)
        if spread.max() <= _LARGEST_RANGE:
            return bits
    return 0


def _low_part(weights, enumerated_bias):
    """The table of all states of the low bits, from their weights (bits, units) and biases (bits,)."""
    codes = np.arange(1 << len(weights))
    states = (codes[:, None] >> np.arange(len(weights)) & 1).astype(np.float64)
    inputs = states @ weights
    largest = inputs.max(axis=0)
    blocks = -(-len(codes) // LANES)
    t = np.zeros((blocks * LANES, weights.shape[1]))
    t[: len(codes)] = np.exp(inputs - largest)
    # Lanes without a state have weight 0 (energy -inf). They copy the factors of state 0, so that no product vanishes.
    t[len(codes) :] = t[0]
    energy = np.full(blocks * LANES, -np.inf)
    energy[: len(codes)] = states @ enumerated_bias
    return LowPart(
        t=np.ascontiguousarray(t.reshape(blocks, LANES, -1).transpose(0, 2, 1)),
        energy=energy.reshape(blocks, LANES),
        largest=largest,
        stops=_stops(np.abs(weights).sum(axis=0)),
    )


def _stops(spread):
    """Numbers of units (multiples of UNITS) after which the exponent of a running product is moved to an integer."""
    stops, used, first = [], 0.0, 0
    for end in range(UNITS, spread.size + 1, UNITS):
        more = spread[end - UNITS : end].sum()
        if end - first > _MOST_UNITS or used + more > _LARGEST_RANGE:
            stops.append(end - UNITS)
            used, first = 0.0, end - UNITS
        used += more
    return np.array([*(stop for stop in stops if stop), spread.size], np.int64)


LARGEST_EXPECTED = 20


class Expectations(NamedTuple):
    """log Z in nats, and E[v h'] (V, H), E[v] (V,), E[h] (H,), float64."""

    log_z: float
    products: np.ndarray
    visible: np.ndarray
    hidden: np.ndarray


def exact_expectations(weights: ArrayLike, visible_bias: ArrayLike, hidden_bias: ArrayLike) -> Expectations:
    """Exact Expectations under the RBM with weights (V, H), visible_bias (V,) and hidden_bias (H,).

    Cost: 2**min(V, H) states, and about one pass over the weights for each state. Raises ValueError for more than 20
    units in the smaller layer.
    """
    weights, visible_bias, hidden_bias = (
        np.ascontiguousarray(array, np.float64) for array in (weights, visible_bias, hidden_bias)
    )
    smaller = min(weights.shape)
    if smaller > LARGEST_EXPECTED:
        raise ValueError(
            f"exact expectations: the smaller layer has {smaller} units; at most {LARGEST_EXPECTED} are enumerated"
        )
    if weights.shape[1] == smaller:
        log_z, products, hidden, visible = expectations(np.ascontiguousarray(weights.T), hidden_bias, visible_bias)
        return Expectations(log_z, np.ascontiguousarray(products.T), visible, hidden)
    return Expectations(*expectations(weights, visible_bias, hidden_bias))
