"""Infinite swapping: after each sweep all temperatures are handed out anew (Hult, Nyquist & Ringqvist 2019).

Legend: a ladder is K replicas that hold K inverse temperatures beta_k, each one of them. Given their states v_i an
assignment s is drawn in proportion to prod_i f_{s(i)}(v_i), log f_k(v) with the hidden units summed out: what the
sweep at beta_k leaves invariant. By eq 8 every replica counts for beta_k with P(s(i) = k).
"""

import numpy as np
from numba import njit

from logzoo.kernels.assignments import assignment_scratch, draw_assignment, shares_of_temperature, sum_assignments
from logzoo.kernels.energies import log_f_at_betas
from logzoo.kernels.gibbs import layer_scratch, sweep_once
from logzoo.kernels.random import RUNG, uniform


@njit(cache=True)
def reassign(key, sweep, number, log_f, groups, rung, shares, room, scratch):
    """Hand out the temperatures of one ladder anew within each group of them, and count who may hold the last.

    log_f (K, K): of each replica at each rung; groups (K,): of each rung; rung, shares (K,): of each replica, changed;
    number: the random stream of the first replica; room: (K, K) float64, (K,) uniforms, members and rungs of a group.
    """
    count = rung.size
    m, uniforms, members, rungs, drawn, part = room
    for group in range(groups.max() + 1):
        size = 0
        for k in range(count):
            if groups[k] == group:
                rungs[size] = k
                size += 1
        found = 0
        for i in range(count):
            if groups[rung[i]] == group:
                members[found] = i
                uniforms[found] = uniform(key, number + np.uint64(i), sweep, RUNG)
                for place in range(size):
                    m[found, place] = log_f[i, rungs[place]]
                found += 1
        if size == 0:
            continue
        sum_assignments(m, size, scratch)
        part[:size] = 0.0
        if rungs[size - 1] == count - 1:
            shares_of_temperature(size - 1, scratch, part[:size])
        draw_assignment(uniforms, scratch, drawn[:size])
        for place in range(size):
            shares[members[place]] = part[place]
            rung[members[place]] = rungs[drawn[place]]


@njit(cache=True, nogil=True)
def run_infinite_swapping(parameters, betas, key, first, last, partitions, chains, rung, shares):
    """Sweeps first, ..., last - 1 of whole ladders in place, temperatures handed out anew after each.

    betas (K,) float32; partitions (P, K) int64: the group of each rung, one row for each sweep in turn (a single row of
    zeros is infinite swapping proper); rung (chains,): of each replica; shares (chains,): P(the replica holds the
    last beta) after the last sweep.
    """
    rungs = betas.size
    hidden_scratch = layer_scratch(chains.h.shape[1])
    visible_scratch = layer_scratch(chains.v.shape[1])
    largest = 1
    for groups in partitions:
        largest = max(largest, np.bincount(groups).max())
    scratch = assignment_scratch(largest)
    room = (
        np.zeros((rungs, rungs)),
        np.zeros(rungs),
        np.zeros(rungs, np.int64),
        np.zeros(rungs, np.int64),
        np.zeros(rungs, np.int64),
        np.zeros(rungs),
    )
    beta = np.empty(rung.size, np.float32)
    log_f = np.empty((rung.size, rungs))
    for sweep in range(first, last):
        for chain in range(rung.size):
            beta[chain] = betas[rung[chain]]
        sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch)
        log_f_at_betas(parameters, betas, chains, log_f)
        groups = partitions[(sweep - 1) % partitions.shape[0]]
        for start in range(0, rung.size, rungs):
            end = start + rungs
            own = chains.number[start]
            reassign(key, sweep, own, log_f[start:end], groups, rung[start:end], shares[start:end], room, scratch)
