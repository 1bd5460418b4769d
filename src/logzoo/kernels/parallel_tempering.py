"""Parallel tempering: Gibbs sweeps in turn with exchanges of inverse temperatures between neighbouring replicas.

Legend: a ladder is `rungs` replicas, one at each inverse temperature beta_k; pair i is rungs i and i + 1, x_i the
state at rung i; log f_k(v) has the hidden units summed out. Exchanges are accepted with probability
min(1, f_i(x_{i+1}) f_{i+1}(x_i) / (f_i(x_i) f_{i+1}(x_{i+1}))): log f_k is the density that the sweep at beta_k leaves
invariant, which beta_k times log f is not.
"""

import math
from typing import NamedTuple

import numpy as np

from logzoo.kernels import energies
from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.gibbs import sweep_once, sweep_scratch
from logzoo.kernels.random import RUNG, uniform
from logzoo.kernels.simulated_tempering import count_crossing


class Replicas(NamedTuple):
    """Where each replica is on its ladder; the replicas of one ladder lie together."""

    rung: np.ndarray  # (ladders * rungs,) int64
    heading: np.ndarray  # (ladders * rungs,) int64: the end of the ladder it left last, as in `count_crossing`
    round_trips: np.ndarray  # (ladders * rungs,) int64


class Exchanges(NamedTuple):
    """What a stretch of sweeps did on each ladder; counts are added to, steps overwritten where they are looked at."""

    attempted: np.ndarray  # (ladders, rungs - 1) int64
    accepted: np.ndarray  # (ladders, rungs - 1) int64
    up: np.ndarray  # (ladders, sweeps, rungs - 1) float64: log f_{i+1}(x_i) - log f_i(x_i)
    down: np.ndarray  # (ladders, sweeps, rungs - 1) float64: log f_{i+1}(x_{i+1}) - log f_i(x_{i+1})
    log_f: np.ndarray  # (ladders, rungs, rungs) float64: of replicas' last states, log f at the rungs, or NaN


@part
def rungs_looked_at(rung, rungs, sweep, all_pairs, all_rungs):
    """The first and the last of the rungs at which log f of the state at `rung` is taken; the same one if at none."""
    if all_rungs:
        return 0, rungs - 1
    if all_pairs:
        return max(rung - 1, 0), min(rung + 1, rungs - 1)
    # The pair that is about to exchange; at an end of the ladder there may be none.
    lower = rung - (rung + sweep - 1) % 2
    return max(lower, 0), min(lower + 1, rungs - 1)


@part
def read_log_f(parameters, betas, chains, chain, rung, first, last, even, scratch, log_f, up, down):
    """log f of one chain at rungs first, ..., last, into `log_f` (rungs,); steps from its rung into `up` and `down`.

    even: log f at the other rungs as well, all betas being in equal steps: less exactly, but nothing is drawn by it.
    """
    units, unit = chains.h.shape[1], np.float64(parameters.unit)
    model, base = energies.sum_biases(parameters, chains.v[chain])
    positive = energies.load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    if even:
        energies.smooth_parts_of_even(units, betas, scratch, log_f)
    energies.smooth_parts(units, betas[first : last + 1], scratch, log_f[first : last + 1])
    slope = float(model - base) * unit + positive
    if rung < last:
        step = np.float64(betas[rung + 1]) - np.float64(betas[rung])
        up[rung] = step * slope + log_f[rung + 1] - log_f[rung]
    if rung > first:
        step = np.float64(betas[rung]) - np.float64(betas[rung - 1])
        down[rung - 1] = step * slope + log_f[rung] - log_f[rung - 1]
    warm, cold = positive + float(model) * unit, float(base) * unit
    for k in range(0 if even else first, betas.size if even else last + 1):
        share = np.float64(betas[k])
        log_f[k] += share * warm + (1.0 - share) * cold


@part
def exchange_neighbours(key, sweep, number, holder, rung, up, down, attempted, accepted):
    """Exchange the rungs of neighbours on one ladder: pairs 0, 2, ... in odd sweeps, 1, 3, ... in even ones.

    holder (rungs,): the replica at each rung; number: the random stream of the ladder's first replica.
    """
    for pair in range((sweep - 1) % 2, up.size, 2):
        attempted[pair] += 1
        log_ratio = up[pair] - down[pair]
        if log_ratio >= 0.0 or uniform(key, number + np.uint64(pair), sweep, RUNG) < math.exp(log_ratio):
            accepted[pair] += 1
            rung[holder[pair]] = pair + 1
            rung[holder[pair + 1]] = pair


@kernel(nogil=True)
def run_parallel_tempering(parameters, betas, key, first, last, chains, replicas, exchanges, all_pairs, all_rungs):
    """Sweeps first, ..., last - 1 of whole ladders in place, with exchanges after each; betas (rungs,) float32.

    log f is looked at where exchanges need it: at the two rungs of each pair that is about to exchange. all_pairs: at
    all neighbouring rungs, whether or not they exchange. all_rungs: after the last sweep, at every rung.
    """
    ladders, rungs = exchanges.attempted.shape[0], betas.size
    scratch = sweep_scratch(chains)
    room = energies.energy_scratch(chains.h.shape[1])
    beta = np.empty(ladders * rungs, np.float32)
    holder = np.empty(rungs, np.int64)
    ladder_is_even = energies.is_even(betas)
    for sweep in range(first, last):
        for chain in range(beta.size):
            beta[chain] = betas[replicas.rung[chain]]
        sweep_once(parameters, key, sweep, beta, chains, scratch)
        for ladder in range(ladders):
            start = ladder * rungs
            up, down = exchanges.up[ladder, sweep - first], exchanges.down[ladder, sweep - first]
            for place in range(rungs):
                chain = start + place
                rung = replicas.rung[chain]
                holder[rung] = chain
                log_f = exchanges.log_f[ladder, place]
                log_f[:] = np.nan
                everywhere = all_rungs and sweep == last - 1
                even = everywhere and ladder_is_even
                ends = rungs_looked_at(rung, rungs, sweep, all_pairs, everywhere and not even)
                if even or ends[0] < ends[1]:
                    read_log_f(parameters, betas, chains, chain, rung, *ends, even, room, log_f, up, down)
            counts = exchanges.attempted[ladder], exchanges.accepted[ladder]
            exchange_neighbours(key, sweep, chains.number[start], holder, replicas.rung, up, down, *counts)
        for chain in range(beta.size):
            heading = replicas.heading[chain]
            replicas.heading[chain], completed = count_crossing(replicas.rung[chain], 0, rungs - 1, heading)
            replicas.round_trips[chain] += completed
