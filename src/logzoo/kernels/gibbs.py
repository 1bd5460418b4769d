"""Gibbs sweeps of many chains, each at its own inverse temperature.

Legend: v (chains, V) and h (chains, H) uint8 states; W (V, H) weights, c (V,) visible and b (H,) hidden bias, c0 (V,)
base log-odds; a = b + v W; beta (chains,) inverse temperatures.

    h | v : sigmoid(beta a)        v | h : sigmoid(beta (c + W h) + (1 - beta) c0)

Parameters are fixed-point int32, multiples of `unit`, a power of two (see `fixed_point`). Integer sums have no
rounding, so each layer's input can follow the units that flip for ever without drift, and any order of additions gives
the same bits.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from logzoo.kernels.compaction import count_set, list_set
from logzoo.kernels.elementary import LOG2_E, exp2_constants, exp2_nonpositive
from logzoo.kernels.random import HIDDEN, START, VISIBLE, fill_words
from logzoo.kernels.rows import WIDTH, update_sums

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_BIT = np.uint8(1)
# Layers are drawn in whole vectors of uint8: units beyond the last are drawn too, and set to zero.
UNITS_TOGETHER = 32
_HALF_WORD = np.float32(0.5)
_2_TO_MINUS_32 = np.float32(1.0 / 4294967296.0)


class Parameters(NamedTuple):
    """Fixed-point parameters of one RBM, and its base distribution."""

    weights: np.ndarray  # (blocks of H, V, WIDTH) int32
    weights_transposed: np.ndarray  # (blocks of V, H, WIDTH) int32
    visible_bias: np.ndarray  # (V rounded up to blocks,) int32
    hidden_bias: np.ndarray  # (H rounded up to blocks,) int32
    base: np.ndarray  # (V rounded up to blocks,) int32: base log-odds
    unit: np.float32  # value of the integer one


class Chains(NamedTuple):
    """Markov chains and their scratch. Between sweeps hidden_input belongs to v and visible_input to h."""

    number: np.ndarray  # (chains,) uint64: the chain's place in the random stream
    v: np.ndarray  # (chains, V) uint8
    h: np.ndarray  # (chains, H) uint8
    hidden_input: np.ndarray  # (chains, H rounded up to blocks) int32: b + v W
    visible_input: np.ndarray  # (chains, V rounded up to blocks) int32: c + W h
    plus: np.ndarray  # (chains, max(V, H) and some slack) int32: rows to add
    minus: np.ndarray  # like `plus`: rows to subtract
    counts: np.ndarray  # (chains, 3) int64: rows to add, rows to subtract, 1 to start from the bias


class LayerScratch(NamedTuple):
    """One layer of one chain while it is drawn; sizes are rounded up to UNITS_TOGETHER."""

    logit: np.ndarray  # float32
    words: np.ndarray  # uint32 random words
    drawn: np.ndarray  # uint8 new state; zero beyond the units of the layer, like the next two
    rise: np.ndarray  # uint8 1 where a unit goes on
    fall: np.ndarray  # uint8 1 where a unit goes off
    constants: np.ndarray  # of exp2_nonpositive


@njit(cache=True)
def layer_scratch(units):
    """Scratch for a layer of that many units."""
    size = -(-units // UNITS_TOGETHER) * UNITS_TOGETHER
    return LayerScratch(
        np.zeros(size, np.float32),
        np.zeros(size, np.uint32),
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint8),
        exp2_constants(),
    )


@njit(cache=True)
def list_ones(state, scratch, chains):
    """List the ones of `state` (chains, units) as the rows to add to the bias."""
    for chain in range(state.shape[0]):
        scratch.drawn[: state.shape[1]] = state[chain]
        chains.counts[chain, 0] = list_set(scratch.drawn, chains.plus[chain])
        chains.counts[chain, 1] = 0
        chains.counts[chain, 2] = 1


@njit(cache=True)
def list_changes(state, scratch, chain, chains):
    """Move one chain's `state` (units,) to the drawn one; list the rows to add and subtract: flips, or all ones."""
    drawn, rise, fall = scratch.drawn, scratch.rise, scratch.fall
    for unit in range(state.size):
        was = state[unit]
        now = drawn[unit]
        rise[unit] = now & (was ^ _BIT)
        fall[unit] = was & (now ^ _BIT)
        state[unit] = now
    chains.counts[chain, 0] = list_set(rise, chains.plus[chain])
    chains.counts[chain, 1] = list_set(fall, chains.minus[chain])
    chains.counts[chain, 2] = 0
    if chains.counts[chain, 0] + chains.counts[chain, 1] > count_set(drawn):
        chains.counts[chain, 0] = list_set(drawn, chains.plus[chain])
        chains.counts[chain, 1] = 0
        chains.counts[chain, 2] = 1


@njit(cache=True)
def apply_changes(table, bias, chains, inputs):
    """Bring `inputs` (chains, columns) up to date with the listed changes, block of columns by block of columns."""
    for block in range(table.shape[0]):
        rows = table[block]
        for chain in range(inputs.shape[0]):
            rises, falls, afresh = chains.counts[chain]
            sums = inputs[chain]
            start = bias if afresh else sums
            update_sums(rows, chains.plus[chain], rises, chains.minus[chain], falls, start, sums, block * WIDTH)


@njit(cache=True)
def draw_layer(logit, words, constants, state):
    """Draw state (units,) from independent Bernoullis: P(1) = sigmoid(logit), with `words` as 32-bit draws.

    The rarer value is drawn with probability sigmoid(-|logit|) <= 1/2, so both ends of the scale are resolved
    down to 2**-32 although float32 has only 24 bits near one. `constants` are those of exp2_nonpositive.
    """
    rounder, lowest = constants[0], constants[1]
    c1, c2, c3, c4, c5 = constants[2], constants[3], constants[4], constants[5], constants[6]
    for unit in range(state.size):
        x = logit[unit]
        decay = exp2_nonpositive(-abs(x) * LOG2_E, rounder, lowest, c1, c2, c3, c4, c5)
        draw = (np.float32(words[unit]) + _HALF_WORD) * _2_TO_MINUS_32
        state[unit] = (draw * (_ONE + decay) < decay) != (x > _ZERO)


@njit(cache=True)
def draw_hidden(parameters, key, sweep, chain, beta, chains, scratch):
    """Draw h of one chain given v; list its changes."""
    units = chains.h.shape[1]
    scale = beta * parameters.unit
    a = chains.hidden_input[chain]
    for j in range(units):
        scratch.logit[j] = scale * np.float32(a[j])
    fill_words(key, chains.number[chain], sweep, HIDDEN, scratch.words)
    draw_layer(scratch.logit, scratch.words, scratch.constants, scratch.drawn)
    scratch.drawn[units:] = 0
    list_changes(chains.h[chain], scratch, chain, chains)


@njit(cache=True)
def draw_visible(parameters, key, sweep, chain, beta, chains, scratch):
    """Draw v of one chain given h; list its changes."""
    units = chains.v.shape[1]
    scale = beta * parameters.unit
    cold = (_ONE - beta) * parameters.unit
    x = chains.visible_input[chain]
    for i in range(units):
        scratch.logit[i] = scale * np.float32(x[i]) + cold * np.float32(parameters.base[i])
    fill_words(key, chains.number[chain], sweep, VISIBLE, scratch.words)
    draw_layer(scratch.logit, scratch.words, scratch.constants, scratch.drawn)
    scratch.drawn[units:] = 0
    list_changes(chains.v[chain], scratch, chain, chains)


@njit(cache=True)
def update_hidden_inputs(parameters, chains):
    """Bring b + v W up to date with the listed changes of v."""
    apply_changes(parameters.weights, parameters.hidden_bias, chains, chains.hidden_input)


@njit(cache=True)
def update_visible_inputs(parameters, chains):
    """Bring c + W h up to date with the listed changes of h."""
    apply_changes(parameters.weights_transposed, parameters.visible_bias, chains, chains.visible_input)


@njit(cache=True)
def refresh_inputs(parameters, chains):
    """Compute both layers' inputs from their states: after a start, or when the parameters changed."""
    list_ones(chains.h, layer_scratch(chains.h.shape[1]), chains)
    update_visible_inputs(parameters, chains)
    list_ones(chains.v, layer_scratch(chains.v.shape[1]), chains)
    update_hidden_inputs(parameters, chains)


@njit(cache=True)
def start_chains(parameters, key, log_odds, chains):
    """Draw v of every chain from independent units of the given fixed-point log-odds (at least V,), set h to zero."""
    scratch = layer_scratch(chains.v.shape[1])
    for unit in range(chains.v.shape[1]):
        scratch.logit[unit] = parameters.unit * np.float32(log_odds[unit])
    for chain in range(chains.v.shape[0]):
        fill_words(key, chains.number[chain], 0, START, scratch.words)
        draw_layer(scratch.logit, scratch.words, scratch.constants, scratch.drawn)
        chains.v[chain] = scratch.drawn[: chains.v.shape[1]]
    chains.h[:] = 0
    refresh_inputs(parameters, chains)


@njit(cache=True)
def sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch):
    """One sweep of every chain, each at its inverse temperature beta (chains,); all inputs brought up to date."""
    for chain in range(chains.v.shape[0]):
        draw_hidden(parameters, key, sweep, chain, beta[chain], chains, hidden_scratch)
    update_visible_inputs(parameters, chains)
    for chain in range(chains.v.shape[0]):
        draw_visible(parameters, key, sweep, chain, beta[chain], chains, visible_scratch)
    update_hidden_inputs(parameters, chains)


@njit(cache=True, nogil=True)
def run_sweeps(parameters, key, first, last, beta, chains):
    """Sweeps first, ..., last - 1 of every chain at fixed inverse temperatures beta (chains,), in place."""
    hidden_scratch = layer_scratch(chains.h.shape[1])
    visible_scratch = layer_scratch(chains.v.shape[1])
    for sweep in range(first, last):
        sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch)
