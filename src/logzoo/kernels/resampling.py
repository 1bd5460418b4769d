"""Annealing with resampling: the chains of each island (group) are resampled in proportion to their weights.

Del Moral, Doucet & Jasra (2006); Dau & Chopin (2022). Legend: w_i weights of the n chains of an island,
ESS = (sum w)^2 / sum w^2. A resampling gives every chain of the island the mean weight. Therefore mean w always
estimates the current Z divided by the first Z. The estimate is unbiased, because the decision to resample depends only
on earlier draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from logzoo.kernels.annealing import weigh
from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO, copy_into, largest_of
from logzoo.kernels.energies import energy_scratch, log_f_tempered
from logzoo.kernels.gibbs import chains_at, copy_chain, forget_hidden, sweep_once, sweep_scratch
from logzoo.kernels.random import RUNG, uniform

if TYPE_CHECKING:
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


@kernel
def run_resampled(
    parameters: Parameters,
    betas: Array,
    key: np.uint64,
    share: float,
    first: int,
    last: int,
    chains: Chains,
    log_weight: Array,
    family: Array,
    island: Array,
) -> None:
    """Run annealing steps `first` to `last - 1` in place: reweight, resample, sweep.

    The step to the last rung only reweights. Chains with equal island (chains,) are contiguous. They are resampled if
    their ESS is below `share` of their number. family (chains,) int64, the initial ancestor, is copied with the state.
    """
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    choices = np.empty((2, log_weight.size), np.int64)
    for k in range(first, last):
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)
        if k == betas.size - 1:
            break
        resample_islands(key, k, share, chains, log_weight, family, island, choices)
        beta[:] = np.float32(betas[k])
        sweep_once(parameters, key, k, beta, chains, scratch)


@part
def resample_islands(
    key: np.uint64,
    sweep: int,
    share: float,
    chains: Chains,
    log_weight: Array,
    family: Array,
    island: Array,
    scratch: Array,
) -> None:
    """Resample the chains of every island whose ESS is below `share` of their number; scratch (2, chains) int64."""
    copies, donors = scratch
    begin = INTEGER_ZERO
    while begin < island.size:
        end = end_of_island(island, begin)
        mean, effective = mean_weight(log_weight[begin:end])
        if effective < share * (end - begin):
            offset = uniform(key, chains.number[begin], sweep, RUNG)
            choose(log_weight[begin:end], offset, copies[begin:end], donors[begin:end])
            for chain in range(begin, end):
                donor = begin + donors[chain]
                if donor != chain:
                    copy_chain(chains, donor, chain)
                    family[chain] = family[donor]
            log_weight[begin:end] = mean
        begin = end


@kernel
def follow_parameters(
    parameters: Parameters,
    key: np.uint64,
    sweep: int,
    share: float,
    chains: Chains,
    log_f: Array,
    log_weight: Array,
    family: Array,
    island: Array,
) -> None:
    """Reweight chains for new parameters, call `resample_islands`, and sweep once at these parameters.

    Chains, weights and families are changed in place. log_f (chains,) float64: log f(v) in nats, with the old
    parameters at entry and with the new parameters at return.
    """
    ones, now = np.ones(log_f.size, np.float32), np.empty(log_f.size)
    forget_hidden(parameters, chains)
    log_f_tempered(parameters, ones, chains, now)
    for chain in range(log_f.size):
        log_weight[chain] += now[chain] - log_f[chain]
    resample_islands(key, sweep, share, chains, log_weight, family, island, np.empty((2, log_f.size), np.int64))
    sweep_once(parameters, key, sweep, ones, chains, sweep_scratch(chains))
    log_f_tempered(parameters, ones, chains, log_f)


@kernel
def run_waste_free(
    parameters: Parameters,
    betas: Array,
    key: np.uint64,
    first: int,
    last: int,
    chains: Chains,
    log_weight: Array,
    island: Array,
) -> None:
    """Run waste-free steps `first` to `last - 1` in place. The step to the last rung only reweights.

    Other steps reweight all states, resample n of them, make sweeps from these n states, and keep all states. chains
    has the n resampled states first, in the order of log_weight (n,) and island (n,). The n states after each sweep
    follow. A step that keeps s states of each chain makes s - 1 sweeps. log_weight of each chain grows by the logarithm
    of the mean weight over its island's states.
    """
    count = log_weight.size
    states = chains.number.size // count
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(count, np.float32)
    steps, of_island = np.empty(chains.number.size), np.empty(chains.number.size)
    copies, donors = np.empty(chains.number.size, np.int64), np.empty(count, np.int64)
    for k in range(first, last):
        steps[:] = 0.0
        weigh(parameters, chains, betas[k - 1], betas[k], energies, steps)
        begin = INTEGER_ZERO
        while begin < count:
            end = end_of_island(island, begin)
            size = end - begin
            weights = of_island[: states * size]
            for state in range(states):
                of_state = steps[state * count + begin : state * count + end]
                copy_into(weights[state * size : (state + 1) * size], of_state)
            log_weight[begin:end] += mean_weight(weights)[0]
            if k < betas.size - 1:
                choose(weights, uniform(key, chains.number[begin], k, RUNG), copies[: states * size], donors[:size])
                for chain in range(size):
                    donor = donors[chain] // size * count + begin + donors[chain] % size
                    if donor != begin + chain:
                        copy_chain(chains, donor, begin + chain)
            begin = end
        if k == betas.size - 1:
            break
        beta[:] = np.float32(betas[k])
        for state in range(1, states):
            for chain in range(count):
                copy_chain(chains, (state - 1) * count + chain, state * count + chain)
            sweep_once(parameters, key, k, beta, chains_at(chains, slice(state * count, (state + 1) * count)), scratch)


@part
def end_of_island(island: Array, begin: int) -> int:
    """The first chain after the island of chain `begin`; chains with equal island (chains,) are contiguous."""
    end = begin + 1
    while end < island.size and island[end] == island[begin]:
        end += 1
    return end


@part
def mean_weight(log_weight: Array) -> tuple[float, float]:
    """Logarithm of the mean of weights (n,), and their ESS."""
    largest, total, squares = largest_of(log_weight), 0.0, 0.0
    for value in log_weight:
        weight = math.exp(value - largest)
        total += weight
        squares += weight * weight
    return largest + math.log(total / log_weight.size), total * total / squares


@part
def choose(log_weight: Array, offset: float, copies: Array, donors: Array) -> None:
    """Draw donors (m,), one for each of the first m of n states, in proportion to the weights (n,) of all states.

    A state that stays is its own donor. offset: as for `comb`. copies (n,): scratch.
    """
    comb(log_weight, donors.size, offset, copies)
    donor = 0
    for chain in range(donors.size):
        donors[chain] = chain
        if copies[chain] == 0:
            # A chosen state among the first m stays in place, and is the donor of its further copies only.
            while copies[donor] < (2 if donor < donors.size else 1):
                donor += 1
            copies[donor] -= 1
            donors[chain] = donor


@part
def comb(log_weight: Array, teeth: int, offset: float, copies: Array) -> None:
    """Fill copies (n,) by systematic resampling: the number of equally spaced points that lie in each weight (n,).

    teeth: number of points. offset: position of the point within each equal part of the sum of weights, from 0 to 1.
    """
    largest, total = largest_of(log_weight), 0.0
    for value in log_weight:
        total += math.exp(value - largest)
    below, reached = 0, 0.0
    for i in range(log_weight.size):
        reached += math.exp(log_weight[i] - largest)
        passed = min(max(int(math.ceil(reached / total * teeth - offset)), below), teeth)
        if i == log_weight.size - 1:
            passed = teeth
        copies[i] = passed - below
        below = passed
