"""Gibbs sweeps at the rungs of a ladder of RBMs, in turn with exchanges of visible states between neighbours.

Legend: a ladder is one chain at each of `rungs` RBMs over the same visible units; pair i is rungs i and i + 1, x_i the
visible state at rung i; log f_i(v) has the hidden units summed out. States move, rungs stay: chains of one rung lie
together. An exchange is accepted with probability min(1, f_i(x_{i+1}) f_{i+1}(x_i) / (f_i(x_i) f_{i+1}(x_{i+1}))). Only
v moves; the next sweep draws h.
"""

import math
from typing import NamedTuple

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import copy_into
from logzoo.kernels.energies import log_f_tempered
from logzoo.kernels.gibbs import (
    Chains,
    Parameters,
    apply_changes,
    forget_hidden,
    layer_scratch,
    list_ones,
    sweep_once,
    sweep_scratch,
)
from logzoo.kernels.random import RUNG, uniform
from logzoo.kernels.simulated_tempering import count_crossing


class Travellers(NamedTuple):
    """Where the state at each rung came from; all move with the states."""

    heading: np.ndarray  # (rungs, ladders) int64: the end of the ladder that it left last, as in `count_crossing`
    round_trips: np.ndarray  # (rungs, ladders) int64
    old: np.ndarray  # (rungs, ladders) uint8: 1 unless it was at the base since this was set to 1


class Crossings(NamedTuple):
    """Exchanges of all pairs: counts, which are added to, and inputs, which are overwritten."""

    attempted: np.ndarray  # (rungs - 1, ladders) int64
    accepted: np.ndarray  # (rungs - 1, ladders) int64
    above: np.ndarray  # (rungs - 1, ladders, columns) int32: the hidden input of x_i at rung i + 1
    below: np.ndarray  # (rungs - 1, ladders, columns) int32: that of x_{i+1} at rung i


@kernel
def parameters_at(stack, rung):
    """The Parameters of one rung of Parameters whose arrays, `unit` too, have rungs as their first axis."""
    bias = stack.visible_bias[rung]
    weights = stack.weights[rung], stack.weights_transposed[rung]
    return Parameters(*weights, bias, stack.hidden_bias[rung], bias, stack.unit[rung])


@part
def chains_at(chains, rung):
    """The Chains of one rung of Chains whose arrays have rungs as their first axis."""
    inputs = chains.hidden_input[rung], chains.visible_input[rung]
    rows = chains.plus[rung], chains.minus[rung], chains.counts[rung]
    return Chains(chains.number[rung], chains.v[rung], chains.h[rung], *inputs, *rows)


@part
def log_f_elsewhere(parameters, chains, inputs, scratch, ones, log_f):
    """log f(v) of chains (chains,) by other parameters, in nats; their hidden inputs there are left in `inputs`."""
    list_ones(chains.v, scratch, chains)
    apply_changes(parameters.weights, parameters.hidden_bias, chains, inputs)
    layers = chains.v, chains.h, inputs, chains.visible_input
    log_f_tempered(parameters, ones, Chains(chains.number, *layers, chains.plus, chains.minus, chains.counts), log_f)


@part
def swap(one, other):
    """Exchange the entries of two arrays (n,)."""
    for i in range(one.size):
        one[i], other[i] = other[i], one[i]


@part
def exchange_states(stack, key, sweep, first, chains, travellers, crossings, up, down):
    """Exchange the states of neighbours: pairs first, first + 2, ... of every ladder; up, down (rungs - 1, ladders)."""
    for pair in range(first, up.shape[0], 2):
        for ladder in range(up.shape[1]):
            crossings.attempted[pair, ladder] += 1
            log_ratio = up[pair, ladder] - down[pair, ladder]
            if log_ratio < 0.0 and uniform(key, chains.number[pair, ladder], sweep, RUNG) >= math.exp(log_ratio):
                continue
            crossings.accepted[pair, ladder] += 1
            swap(chains.v[pair, ladder], chains.v[pair + 1, ladder])
            copy_into(chains.hidden_input[pair, ladder], crossings.below[pair, ladder])
            copy_into(chains.hidden_input[pair + 1, ladder], crossings.above[pair, ladder])
            for rung in (pair, pair + 1):
                chains.h[rung, ladder] = 0
                copy_into(chains.visible_input[rung, ladder], stack.visible_bias[rung])
            for moving in (travellers.heading, travellers.round_trips):
                moving[pair, ladder], moving[pair + 1, ladder] = moving[pair + 1, ladder], moving[pair, ladder]
            old = travellers.old
            old[pair, ladder], old[pair + 1, ladder] = old[pair + 1, ladder], old[pair, ladder]


@kernel
def settle_inputs(stack, chains):
    """Set h to zero and compute the inputs of all chains, by the parameters of their rungs."""
    for rung in range(chains.v.shape[0]):
        forget_hidden(parameters_at(stack, rung), chains_at(chains, rung))


@kernel(nogil=True)
def run_trajectory(stack, key, first, each, chains, travellers, crossings, steps_up, steps_down):
    """Rounds of `each` sweeps of all chains, from sweep `first` on, in place, with exchanges after each.

    The first rung's RBM has independent units: every sweep draws a fresh state there. Pairs 0, 2, ... exchange in one
    round, pairs 1, 3, ... in the next. steps_up, steps_down (rounds, rungs - 1, ladders) float64: log f_{i+1}(x_i) -
    log f_i(x_i), and log f_{i+1}(x_{i+1}) - log f_i(x_{i+1}), before the exchanges of a round.
    """
    rungs, ladders = chains.v.shape[:2]
    ones = np.ones(ladders, np.float32)
    scratch = sweep_scratch(chains_at(chains, 0))
    listed = layer_scratch(chains.v.shape[2])
    own, elsewhere = np.empty(ladders), np.empty(ladders)
    for number in range(len(steps_up)):
        start = first + number * each
        up, down = steps_up[number], steps_down[number]
        for rung in range(rungs):
            parameters, here = parameters_at(stack, rung), chains_at(chains, rung)
            for sweep in range(start, start + each):
                sweep_once(parameters, key, sweep, ones, here, scratch)
            log_f_tempered(parameters, ones, here, own)
            if rung > 0:
                lower = chains_at(chains, rung - 1)
                log_f_elsewhere(parameters, lower, crossings.above[rung - 1], listed, ones, elsewhere)
                up[rung - 1] += elsewhere
                colder = parameters_at(stack, rung - 1)
                log_f_elsewhere(colder, here, crossings.below[rung - 1], listed, ones, elsewhere)
                down[rung - 1] = own - elsewhere
            if rung < rungs - 1:
                up[rung] = -own
        travellers.old[0] = 0
        exchange_states(stack, key, start, (start // each) % 2, chains, travellers, crossings, up, down)
        for rung in range(rungs):
            for ladder in range(ladders):
                heading = travellers.heading[rung, ladder]
                travellers.heading[rung, ladder], completed = count_crossing(rung, 0, rungs - 1, heading)
                travellers.round_trips[rung, ladder] += completed
