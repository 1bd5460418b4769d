"""New temperatures after each sweep: by infinite swapping, or by exchanges of neighbours in turn.

Hult, Nyquist & Ringqvist (2019). Legend: a ladder has K replicas. Each replica holds one of K inverse temperatures
beta_k, which increase with k. x_i is the state of replica i: (v, h), or v with h summed out. The sweep at beta_k leaves
f_k invariant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from logzoo.kernels.assignments import assignment_scratch, draw_assignment, sum_assignments
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO
from logzoo.kernels.energies import energy_scratch, log_f_at_betas, log_f_joint_at_betas
from logzoo.kernels.gibbs import sweep_once, sweep_scratch
from logzoo.kernels.gradients import hidden_probabilities
from logzoo.kernels.random import RUNG, uniform

if TYPE_CHECKING:
    from logzoo.kernels.assignments import AssignmentScratch
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


@part
def reassign(
    key: np.uint64,
    sweep: int,
    number: np.uint64,
    log_f: Array,
    groups: Array,
    rung: Array,
    shares: Array,
    numbers: Array,
    integers: Array,
    scratch: AssignmentScratch,
) -> None:
    """Draw new temperatures of one ladder within groups of rungs, and compute each replica's share of the last rung.

    An assignment s is drawn in proportion to prod_i f_{s(i)}(x_i). The share of replica i is the probability that s(i)
    is the last rung (eq 8). rung (K,) and shares (K,) have the rung and the share of each replica, and are updated in
    place. log_f (K, K): log f of each replica at each rung. groups (K,): the group of each rung. number: the random
    stream of the first replica. numbers (K + 1, K) float64 and integers (3, K) int64 are scratch.
    """
    count = rung.size
    m, uniforms = numbers[:count], numbers[count]
    members, rungs, drawn = integers
    for group in range(count):
        size = INTEGER_ZERO
        for k in range(count):
            if groups[k] == group:
                rungs[size] = k
                size += 1
        if size == 0:
            continue
        member = 0
        for i in range(count):
            if groups[rung[i]] == group:
                members[member] = i
                uniforms[member] = uniform(key, number + np.uint64(i), sweep, RUNG)
                for k in range(size):
                    m[member, k] = log_f[i, rungs[k]]
                member += 1
        sum_assignments(m, size, scratch)
        draw_assignment(uniforms, scratch, drawn[:size])
        has_last = rungs[size - 1] == count - 1
        for member in range(size):
            shares[members[member]] = scratch.shares[member] if has_last else 0.0
            rung[members[member]] = rungs[drawn[member]]


@part
def exchange_in_turn(
    key: np.uint64, sweep: int, number: np.uint64, log_f: Array, rung: Array, shares: Array, holder: Array
) -> None:
    """Try to exchange every pair of neighbours of one ladder, from the last rung down; arguments as in `reassign`.

    As in the paper, exchanges start at the lowest temperature. The share of the replica at the last rung becomes 1, and
    all other shares become 0. holder (K,): scratch.
    """
    count = rung.size
    for i in range(count):
        holder[rung[i]] = i
    for low in range(count - 2, -1, -1):
        lower, upper = holder[low], holder[low + 1]
        log_ratio = log_f[lower, low + 1] + log_f[upper, low] - log_f[lower, low] - log_f[upper, low + 1]
        if log_ratio >= 0.0 or uniform(key, number + np.uint64(low), sweep, RUNG) < math.exp(log_ratio):
            holder[low], holder[low + 1] = upper, lower
    for k in range(count):
        rung[holder[k]] = k
        shares[holder[k]] = 1.0 if k == count - 1 else 0.0


@part
def add_shares(chains: Chains, unit: np.float32, shares: Array, p: Array, sums: Array) -> None:
    """Add share * (v p(h | v)', v, p(h | v)) of each chain to its row of `sums`.

    Chains are split evenly over the rows, in order. p (H,): scratch.
    """
    visible, hidden = chains.v.shape[1], p.size
    size = shares.size // sums.shape[0]
    for chain in range(shares.size):
        share = shares[chain]
        if share == 0.0:
            continue
        total = sums[chain // size]
        hidden_probabilities(chains.hidden_input[chain], unit, p)
        for i in range(visible):
            if chains.v[chain, i]:
                total[visible * hidden + i] += share
                for j in range(hidden):
                    total[i * hidden + j] += share * p[j]
        for j in range(hidden):
            total[visible * (hidden + 1) + j] += share * p[j]


@kernel
def run_infinite_swapping(
    parameters: Parameters,
    betas: Array,
    key: np.uint64,
    first: int,
    last: int,
    partitions: Array,
    largest: int,
    joint: bool,
    chains: Chains,
    rung: Array,
    shares: Array,
    occupancy: Array,
    sums: Array,
) -> None:
    """Run sweeps `first` to `last - 1` of whole ladders in place, with new temperatures after each sweep.

    betas (K,) float32 must increase. A row of partitions (P, K) int64 has the group of each rung. Sweeps use the rows
    in turn. A single row of zeros gives infinite swapping, and no rows give exchanges of neighbours in turn. largest:
    the size of the largest group, at least 1. joint: whether log f is of (v, h), not of v. rung (chains,): the rung of
    each replica. shares (chains,): becomes P(the replica holds the last beta) after the last sweep. occupancy
    (chains, K) int64 counts the sweeps after which a replica held each beta. After every sweep, `add_shares` adds to
    sums (n, V H + V + H) float64; n = 0 for no sums.
    """
    rungs = betas.size
    sweeping, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    p = np.empty(chains.h.shape[1], np.float32)
    scratch = assignment_scratch(largest)
    numbers, integers = np.zeros((rungs + 1, rungs)), np.zeros((3, rungs), np.int64)
    beta = np.empty(rung.size, np.float32)
    log_f = np.empty((rung.size, rungs))
    for sweep in range(first, last):
        for chain in range(rung.size):
            beta[chain] = betas[rung[chain]]
        sweep_once(parameters, key, sweep, beta, chains, sweeping)
        if joint:
            log_f_joint_at_betas(parameters, betas, chains, log_f)
        else:
            log_f_at_betas(parameters, betas, chains, energies, log_f)
        for start in range(0, rung.size, rungs):
            end = start + rungs
            ladder = chains.number[start], log_f[start:end]
            own_rung, own_shares = rung[start:end], shares[start:end]
            if partitions.shape[0] == 0:
                exchange_in_turn(key, sweep, *ladder, own_rung, own_shares, integers[0])
            else:
                groups = partitions[(sweep - 1) % partitions.shape[0]]
                reassign(key, sweep, *ladder, groups, own_rung, own_shares, numbers, integers, scratch)
        for chain in range(rung.size):
            occupancy[chain, rung[chain]] += 1
        if sums.shape[0]:
            add_shares(chains, parameters.unit, shares, p, sums)
