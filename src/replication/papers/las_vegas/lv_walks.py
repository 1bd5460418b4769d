"""Gibbs chains from hidden states of training images, with all the states that they visit."""

import numpy as np

from logzoo.kernels.bitsets import LONG_WORD
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import (
    Parameters,
    draw_hidden,
    draw_visible,
    forget_hidden,
    layer_scratch,
    list_ones,
    update_hidden_inputs,
    update_visible_inputs,
)
from logzoo.samplers.stopping_sets import TOGETHER, example_chains
from logzoo.streams import Stream


def first_draws(parameters: Parameters, data: np.ndarray, examples: np.ndarray, stream: Stream) -> np.ndarray:
    """The first hidden state that `stopping_set` draws for each of `examples` from the same stream: (n, words) uint64.

    data: as for `stopping_set`.
    """
    hidden = parameters.weights_transposed.shape[1]
    key, drawn = stream.child("hidden").key, np.empty((len(examples), hidden), np.uint8)
    for first in range(0, len(examples), TOGETHER):
        part = examples[first : first + TOGETHER]
        chains = example_chains(parameters, data, part)
        draw_hidden(parameters, key, 0, np.ones(len(part), np.float32), chains, layer_scratch(hidden))
        drawn[first : first + TOGETHER] = chains.h
    return packed_states(drawn)


def walk(
    parameters: Parameters, states: np.ndarray, numbers: np.ndarray, sweeps: int, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Run Gibbs chains from hidden states (n, words).

    Returns v (sweep, n, visible) uint8 and the hidden states (sweep, n, words) after each sweep. The stream of a
    `TourSampler` and the numbers of its tours reproduce the first sweeps of these tours.
    """
    visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
    key, count = stream.child("sweeps").key, len(states)
    chains, beta = new_chains(count, visible, hidden), np.ones(count, np.float32)
    hidden_scratch, visible_scratch = layer_scratch(hidden), layer_scratch(visible)
    chains.number[...] = numbers
    forget_hidden(parameters, chains)
    chains.h[...] = unpacked_states(states, hidden)
    list_ones(chains.h, hidden_scratch, chains)
    seen, reached = np.empty((sweeps, count, visible), np.uint8), np.empty((sweeps, *states.shape), np.uint64)
    for sweep in range(sweeps):
        update_visible_inputs(parameters, chains)
        draw_visible(parameters, key, sweep + 1, beta, chains, visible_scratch)
        update_hidden_inputs(parameters, chains)
        draw_hidden(parameters, key, sweep + 1, beta, chains, hidden_scratch)
        seen[sweep], reached[sweep] = chains.v, packed_states(chains.h)
    return seen, reached


def packed_states(units: np.ndarray) -> np.ndarray:
    """Words (n, words) uint64 of states of 0/1 units (n, units), as in `logzoo.kernels.bitsets`."""
    bits = np.zeros((len(units), -(-units.shape[1] // LONG_WORD) * LONG_WORD), np.uint8)
    bits[:, : units.shape[1]] = units
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked_states(states: np.ndarray, units: int) -> np.ndarray:
    """0/1 units (n, units) uint8 of states (n, words)."""
    return np.unpackbits(states.astype("<u8").view(np.uint8), axis=1, count=units, bitorder="little")
