"""Tours: Gibbs chains that start in a set of hidden states and end when they return to it (Savarese et al. 2018).

One sweep draws v given h, then h given v. Random numbers depend only on the key, the tour and its sweeps so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels import gibbs
from logzoo.kernels.bitsets import find, hash_of, insert, pack_state, unpack_state
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO, ZERO, copy_into
from logzoo.kernels.gradients import add_products, probabilities, update_hidden_inputs_of_values
from logzoo.kernels.random import HIDDEN, VISIBLE

if TYPE_CHECKING:
    from logzoo.kernels.bitsets import HashSet
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


class TourStates(NamedTuple):
    """Tours between two sweeps: states, lengths and whether they have returned."""

    number: np.ndarray  # (tours,) uint64: selects the tour's random stream
    rows: np.ndarray  # (tours, words) uint64: h
    length: np.ndarray  # (tours,) int64: sweeps made so far
    finished: np.ndarray  # (tours,) bool: back in the set


@kernel
def add_hidden_draws(
    parameters: Parameters, key: np.uint64, sweep: int, chains: Chains, members: HashSet, count: int, example: Array
) -> int:
    """Draw h of every chain given its v, and add new states to a set of `count` states; returns the new count.

    example (states,): becomes the number of the chain that first drew each state. Hidden inputs must be up to date.
    """
    scratch = gibbs.layer_scratch(chains.h.shape[1])
    words = np.empty(members.rows.shape[1], np.uint64)
    gibbs.draw_hidden(parameters, key, sweep, np.ones(chains.number.size, np.float32), chains, scratch)
    for chain in range(chains.number.size):
        pack_state(chains.h[chain], words)
        if insert(members, count, words, hash_of(words)) == count:
            example[count] = chains.number[chain]
            count += 1
    return count


@kernel
def run_tours(
    parameters: Parameters,
    key: np.uint64,
    members: HashSet,
    tours: TourStates,
    queue: Array,
    limit: int,
    chains: Chains,
    means: Array,
    path: Array,
) -> None:
    """Continue the tours listed in `queue` until they end or reach length `limit`.

    When a tour ends or reaches the limit, its chain takes the next tour of the queue. means (chains, V) float32:
    scratch for tours with E[v | h] in place of draws of v. An empty array selects Gibbs sampling. path (queue, sweeps,
    words): becomes the states before each of the last sweeps up to the limit. With an empty array no states are kept.
    """
    scratches = gibbs.sweep_scratch(chains)
    words = np.empty(members.rows.shape[1], np.uint64)
    active = min(chains.number.size, queue.size)
    chains = gibbs.chains_at(chains, slice(0, active))
    flying = np.arange(active)  # position of each chain's tour in the queue
    waiting = active
    gibbs.forget_hidden(parameters, chains)
    for chain in range(active):
        _load(tours.rows[queue[chain]], chain, chains)
    gibbs.update_visible_inputs(parameters, chains)
    while active:
        if path.size:
            for chain in range(active):
                tour = queue[flying[chain]]
                copy_into(path[flying[chain], tours.length[tour] + path.shape[1] - limit], tours.rows[tour])
        _sweep_tours(parameters, key, tours, queue, flying, scratches, words, chains, means)
        for chain in range(active):
            tour = queue[flying[chain]]
            tours.finished[tour] = find(members, tours.rows[tour], hash_of(tours.rows[tour])) >= 0
            if _rests(tours, tour, limit) and waiting < queue.size:
                flying[chain] = waiting
                _load(tours.rows[queue[waiting]], chain, chains)
                waiting += 1
        gibbs.update_visible_inputs(parameters, chains)
        left = _close_ranks(tours, queue, limit, flying, chains)
        if left < active:
            active = left
            chains = gibbs.chains_at(chains, slice(0, active))


@part
def _sweep_tours(
    parameters: Parameters,
    key: np.uint64,
    tours: TourStates,
    queue: Array,
    flying: Array,
    scratches: tuple[Array, Array],
    words: Array,
    chains: Chains,
    means: Array,
) -> None:
    """Make one sweep of every chain in the random stream of its tour, and list the changes of h."""
    hidden_scratch, visible_scratch = scratches
    unit = parameters.unit
    if means.size:
        averages = means[: chains.number.size]
        probabilities(chains.visible_input, parameters.unit, averages)
        update_hidden_inputs_of_values(parameters, averages, chains)
    else:
        for chain in range(chains.number.size):
            tour = queue[flying[chain]]
            number, sweep, x = tours.number[tour], tours.length[tour] + 1, chains.visible_input[chain]
            v = chains.v[chain]
            gibbs.redraw(x, x, unit, ZERO, key, number, sweep, VISIBLE, v, visible_scratch, chain, chains)
        gibbs.update_hidden_inputs(parameters, chains)
    for chain in range(chains.number.size):
        tour = queue[flying[chain]]
        tours.length[tour] += 1
        number, sweep, a = tours.number[tour], tours.length[tour], chains.hidden_input[chain]
        h = chains.h[chain]
        gibbs.redraw(a, a, unit, ZERO, key, number, sweep, HIDDEN, h, hidden_scratch, chain, chains)
        pack_state(h, words)
        copy_into(tours.rows[tour], words)


@part
def _rests(tours: TourStates, tour: int, limit: int) -> bool:
    return tours.finished[tour] or tours.length[tour] >= limit


@part
def _load(words: Array, chain: int, chains: Chains) -> None:
    """Set a chain's h to a state (words,) and list its ones as the rows to add to the bias."""
    unpack_state(words, chains.h[chain])
    gibbs.list_all(words.view(np.uint32), chain, chains)


@part
def _close_ranks(tours: TourStates, queue: Array, limit: int, flying: Array, chains: Chains) -> int:
    """Replace chains whose tours have stopped by the last chains; returns the number of chains left."""
    left = chains.number.size
    chain = INTEGER_ZERO
    while chain < left:
        if not _rests(tours, queue[flying[chain]], limit):
            chain += 1
            continue
        left -= 1
        flying[chain] = flying[left]
        gibbs.copy_chain(chains, left, chain)
    return left


@kernel
def add_means_of_states(
    parameters: Parameters,
    rows: Array,
    factor: np.float32,
    chains: Chains,
    means: Array,
    weights: Array,
    visible_bias: Array,
    hidden_bias: Array,
) -> None:
    """Add factor * sum_n (E[v | h_n] h_n', E[v | h_n], h_n) over states, rows (n, words), to the parts of a gradient.

    chains, means (chains, V) float32: scratch for the states that are handled together.
    """
    together = means.shape[0]
    for first in range(0, rows.shape[0], together):
        count = min(together, rows.shape[0] - first)
        part = gibbs.chains_at(chains, slice(0, count))
        for n in range(count):
            _load(rows[first + n], n, part)
        gibbs.update_visible_inputs(parameters, part)
        probabilities(part.visible_input, parameters.unit, means[:count])
        add_products(means[:count], part.h.astype(np.float32), factor, weights, visible_bias, hidden_bias)
