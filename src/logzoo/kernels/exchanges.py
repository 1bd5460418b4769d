"""Exchanges of neighbours on a ladder, alternating with Gibbs sweeps: parallel tempering, and ladders of RBMs.

Legend: a ladder has `rungs` replicas, one at each rung. Pair i is rungs i and i + 1; x_i is the state at rung i. In
log f_k(v) the hidden units are summed out. Exchanges are accepted with probability
min(1, f_i(x_{i+1}) f_{i+1}(x_i) / (f_i(x_i) f_{i+1}(x_{i+1}))).

If rungs are inverse temperatures beta_k, replicas exchange their rungs. f_k is then the density that the sweep at
beta_k leaves invariant, not f to the power beta_k. If rungs are RBMs over the same visible units, replicas exchange
their visible states. Chains of one rung are then contiguous, and the next sweep draws new hidden states.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels import energies
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO, copy_into
from logzoo.kernels.energies import log_f_tempered
from logzoo.kernels.gibbs import (
    Chains,
    Parameters,
    apply_changes,
    chains_at,
    forget_hidden,
    layer_scratch,
    list_ones,
    sweep_once,
    sweep_scratch,
)
from logzoo.kernels.random import RUNG, uniform
from logzoo.kernels.tempering import count_crossing

if TYPE_CHECKING:
    from typing import Any

    from logzoo.kernels.energies import EnergyScratch
    from logzoo.types import Array


class Replicas(NamedTuple):
    """Rung, heading and round trips of each replica; the replicas of one ladder are contiguous."""

    rung: np.ndarray  # (ladders * rungs,) int64
    heading: np.ndarray  # (ladders * rungs,) int64: the end of the ladder visited last, as in `count_crossing`
    round_trips: np.ndarray  # (ladders * rungs,) int64


class Exchanges(NamedTuple):
    """Exchanges on each ladder in the sweeps of one call; counts accumulate over calls.

    `up` and `down` are overwritten at the pairs for which log f is computed. Every sweep overwrites `log_f`.
    """

    attempted: np.ndarray  # (ladders, rungs - 1) int64
    accepted: np.ndarray  # (ladders, rungs - 1) int64
    up: np.ndarray  # (ladders, sweeps, rungs - 1) float64: log f_{i+1}(x_i) - log f_i(x_i)
    down: np.ndarray  # (ladders, sweeps, rungs - 1) float64: log f_{i+1}(x_{i+1}) - log f_i(x_{i+1})
    log_f: np.ndarray  # (ladders, rungs, rungs) float64: log f of each replica's last state at each rung, or NaN


@part
def read_log_f(
    parameters: Parameters,
    betas: Array,
    chains: Chains,
    chain: int,
    rung: int,
    first: int,
    last: int,
    scratch: EnergyScratch,
    log_f: Array,
    up: Array,
    down: Array,
) -> None:
    """Write log f of one chain at rungs `first` to `last` into `log_f` (rungs,).

    Differences of log f between `rung` and its neighbours among these rungs go into `up` and `down`.
    """
    units, unit = chains.h.shape[1], np.float64(parameters.unit)
    model, base = energies.sum_biases(parameters, chains.v[chain])
    positive = energies.load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    energies.smooth_parts(units, betas[first : last + 1], scratch, log_f[first : last + 1])
    slope = float(model - base) * unit + positive
    if rung < last:
        step = np.float64(betas[rung + 1]) - np.float64(betas[rung])
        up[rung] = step * slope + log_f[rung + 1] - log_f[rung]
    if rung > first:
        step = np.float64(betas[rung]) - np.float64(betas[rung - 1])
        down[rung - 1] = step * slope + log_f[rung] - log_f[rung - 1]
    warm, cold = positive + float(model) * unit, float(base) * unit
    for k in range(first, last + 1):
        share = np.float64(betas[k])
        log_f[k] += share * warm + (1.0 - share) * cold


@part
def exchange_neighbours(
    key: np.uint64,
    sweep: int,
    number: np.uint64,
    holder: Array,
    rung: Array,
    up: Array,
    down: Array,
    attempted: Array,
    accepted: Array,
) -> None:
    """Exchange the rungs of neighbours on one ladder: even pairs in odd sweeps, odd pairs in even sweeps.

    holder (rungs,): the replica at each rung; number: the random stream of the ladder's first replica.
    """
    for pair in range((sweep - 1) % 2, up.size, 2):
        attempted[pair] += 1
        log_ratio = up[pair] - down[pair]
        if log_ratio >= 0.0 or uniform(key, number + np.uint64(pair), sweep, RUNG) < math.exp(log_ratio):
            accepted[pair] += 1
            rung[holder[pair]] = pair + 1
            rung[holder[pair + 1]] = pair


@kernel
def run_parallel_tempering(
    parameters: Parameters,
    betas: Array,
    key: np.uint64,
    first: int,
    last: int,
    chains: Chains,
    replicas: Replicas,
    exchanges: Exchanges,
    all_pairs: bool,
    all_rungs: bool,
) -> None:
    """Run sweeps `first` to `last - 1` of whole ladders in place, with exchanges after each sweep.

    betas: (rungs,) float32. log f of a state is computed at the two rungs of the pair that may exchange. With
    `all_pairs`, it is also computed at both neighbours of the state's rung, and with `all_rungs` at all rungs after the
    last sweep.
    """
    ladders, rungs = exchanges.attempted.shape[0], betas.size
    scratch = sweep_scratch(chains)
    room = energies.energy_scratch(chains.h.shape[1])
    beta = np.empty(ladders * rungs, np.float32)
    holder = np.empty(rungs, np.int64)
    for sweep in range(first, last):
        for chain in range(beta.size):
            beta[chain] = betas[replicas.rung[chain]]
        sweep_once(parameters, key, sweep, beta, chains, scratch)
        for ladder in range(ladders):
            start = ladder * rungs
            up, down = exchanges.up[ladder, sweep - first], exchanges.down[ladder, sweep - first]
            for chain in range(start, start + rungs):
                rung = replicas.rung[chain]
                holder[rung] = chain
                log_f = exchanges.log_f[ladder, chain - start]
                log_f[:] = np.nan
                # The pair of this rung that exchanges now, or both its pairs. A rung at an end may be in no pair.
                low = rung - 1 if all_pairs else rung - (rung + sweep - 1) % 2
                high = rung + 1 if all_pairs else low + 1
                if all_rungs and sweep == last - 1:
                    low, high = 0, rungs
                low, high = max(low, 0), min(high, rungs - 1)
                if low < high:
                    read_log_f(parameters, betas, chains, chain, rung, low, high, room, log_f, up, down)
            attempted, accepted = exchanges.attempted[ladder], exchanges.accepted[ladder]
            exchange_neighbours(key, sweep, chains.number[start], holder, replicas.rung, up, down, attempted, accepted)
        for chain in range(beta.size):
            heading = replicas.heading[chain]
            replicas.heading[chain], completed = count_crossing(replicas.rung[chain], INTEGER_ZERO, rungs - 1, heading)
            replicas.round_trips[chain] += completed


class Travellers(NamedTuple):
    """History of the state at each rung; an exchange moves it with the state."""

    heading: np.ndarray  # (rungs, ladders) int64: the end of the ladder visited last, as in `count_crossing`
    round_trips: np.ndarray  # (rungs, ladders) int64
    old: np.ndarray  # (rungs, ladders) uint8: the caller sets it to 1; it becomes 0 when the state is at the base


class Crossings(NamedTuple):
    """Exchanges of all pairs. Counts accumulate; hidden inputs are overwritten."""

    attempted: np.ndarray  # (rungs - 1, ladders) int64
    accepted: np.ndarray  # (rungs - 1, ladders) int64
    above: np.ndarray  # (rungs - 1, ladders, columns) int32: the hidden input of x_i at rung i + 1
    below: np.ndarray  # (rungs - 1, ladders, columns) int32: the hidden input of x_{i+1} at rung i


@kernel
def parameters_at(stack: Any, rung: int) -> Parameters:
    """The Parameters of one rung, from Parameters whose arrays, including `unit`, have the rungs as first axis."""
    bias = stack.visible_bias[rung]
    weights = stack.weights[rung], stack.weights_transposed[rung]
    return Parameters(*weights, bias, stack.hidden_bias[rung], bias, stack.unit[rung])


@part
def log_f_elsewhere(
    parameters: Parameters, chains: Chains, inputs: Array, scratch: Array, ones: Array, log_f: Array
) -> None:
    """Set log_f (chains,) to log f(v) in nats with another rung's parameters, and `inputs` to the hidden inputs."""
    list_ones(chains.v, scratch, chains)
    apply_changes(parameters.weights, parameters.hidden_bias, chains, inputs)
    layers = chains.v, chains.h, inputs, chains.visible_input
    log_f_tempered(parameters, ones, Chains(chains.number, *layers, chains.plus, chains.minus, chains.counts), log_f)


@part
def exchange_states(
    stack: Parameters,
    key: np.uint64,
    sweep: int,
    first: int,
    chains: Chains,
    travellers: Travellers,
    crossings: Crossings,
    up: Array,
    down: Array,
) -> None:
    """Exchange states in every second pair of every ladder, from pair `first` on; up, down (rungs - 1, ladders)."""
    for pair in range(first, up.shape[0], 2):
        for ladder in range(up.shape[1]):
            crossings.attempted[pair, ladder] += 1
            log_ratio = up[pair, ladder] - down[pair, ladder]
            if log_ratio < 0.0 and uniform(key, chains.number[pair, ladder], sweep, RUNG) >= math.exp(log_ratio):
                continue
            crossings.accepted[pair, ladder] += 1
            lower, upper = chains.v[pair, ladder], chains.v[pair + 1, ladder]
            for i in range(lower.size):
                lower[i], upper[i] = upper[i], lower[i]
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
def settle_inputs(stack: Parameters, chains: Chains) -> None:
    """Set h to zero and compute the inputs of all chains with the parameters of their rungs."""
    for rung in range(chains.v.shape[0]):
        forget_hidden(parameters_at(stack, rung), chains_at(chains, rung))


@kernel
def run_trajectory(
    stack: Parameters,
    key: np.uint64,
    first: int,
    sweeps: int,
    chains: Chains,
    travellers: Travellers,
    crossings: Crossings,
    steps_up: Array,
    steps_down: Array,
) -> None:
    """Run rounds of `sweeps` sweeps of all chains in place, from sweep `first` on, with exchanges after each round.

    The first rung's RBM has independent units, so every sweep draws an independent state there. Even and odd pairs
    exchange in alternate rounds. steps_up, steps_down (rounds, rungs - 1, ladders) float64: log f_{i+1}(x_i) -
    log f_i(x_i), and log f_{i+1}(x_{i+1}) - log f_i(x_{i+1}), before the exchanges of a round.
    """
    rungs, ladders = chains.v.shape[:2]
    ones = np.ones(ladders, np.float32)
    listed = layer_scratch(chains.v.shape[2])
    scratch = layer_scratch(chains.h.shape[2]), listed
    log_f, elsewhere = np.empty(ladders), np.empty(ladders)
    for number in range(len(steps_up)):
        start = first + number * sweeps
        up, down = steps_up[number], steps_down[number]
        for rung in range(rungs):
            parameters, here = parameters_at(stack, rung), chains_at(chains, rung)
            for sweep in range(start, start + sweeps):
                sweep_once(parameters, key, sweep, ones, here, scratch)
            log_f_tempered(parameters, ones, here, log_f)
            if rung > 0:
                lower = chains_at(chains, rung - 1)
                log_f_elsewhere(parameters, lower, crossings.above[rung - 1], listed, ones, elsewhere)
                for ladder in range(ladders):
                    up[rung - 1, ladder] += elsewhere[ladder]
                colder = parameters_at(stack, rung - 1)
                log_f_elsewhere(colder, here, crossings.below[rung - 1], listed, ones, elsewhere)
                for ladder in range(ladders):
                    down[rung - 1, ladder] = log_f[ladder] - elsewhere[ladder]
            if rung < rungs - 1:
                for ladder in range(ladders):
                    up[rung, ladder] = -log_f[ladder]
        travellers.old[0] = 0
        exchange_states(stack, key, start, (start // sweeps) % 2, chains, travellers, crossings, up, down)
        for rung in range(rungs):
            for ladder in range(ladders):
                heading = travellers.heading[rung, ladder]
                travellers.heading[rung, ladder], completed = count_crossing(rung, INTEGER_ZERO, rungs - 1, heading)
                travellers.round_trips[rung, ladder] += completed
