"""Hidden states that examples draw, and walks from hidden states with all that is seen on the way.

Both use the random numbers of `logzoo.samplers.tours`: what a stopping set was drawn from, where a tour has led.
"""

import numpy as np

from logzoo.kernels.bitsets import LONG_WORD
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import (
    draw_hidden,
    draw_visible,
    forget_hidden,
    layer_scratch,
    list_ones,
    update_hidden_inputs,
    update_visible_inputs,
)
from logzoo.samplers.tours import TOGETHER, example_chains


def first_draws(parameters, data, examples, stream):
    """States (n, words) uint64 that examples (n,) of the data drew first for a `stopping_set` of the same stream.

    data (examples, visible) uint8 of 0/1, or float32 grey levels.
    """
    hidden = parameters.weights_transposed.shape[1]
    key, drawn = stream.child("hidden").key, np.empty((len(examples), hidden), np.uint8)
    for first in range(0, len(examples), TOGETHER):
        part = examples[first : first + TOGETHER]
        chains = example_chains(parameters, data, part)
        draw_hidden(parameters, key, 0, np.ones(len(part), np.float32), chains, layer_scratch(hidden))
        drawn[first : first + TOGETHER] = chains.h
    return packed_states(drawn)


def walk(parameters, states, numbers, sweeps, stream):
    """Gibbs chains from hidden states (n, words): v (sweep, n, visible) uint8 and states (sweep, n, words) after each.

    stream: of a `TourSampler`, numbers: of its tours, whose first sweeps these are.
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


def packed_states(units):
    """Words (n, words) uint64 of states of 0/1 units (n, units), as in `logzoo.kernels.bitsets`."""
    bits = np.zeros((len(units), -(-units.shape[1] // LONG_WORD) * LONG_WORD), np.uint8)
    bits[:, : units.shape[1]] = units
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked_states(states, units):
    """0/1 units (n, units) uint8 of states (n, words)."""
    return np.unpackbits(states.astype("<u8").view(np.uint8), axis=1, count=units, bitorder="little")
