"""Annealing with resampling: chains of an island are drawn again by their weights when these have grown unequal.

Del Moral, Doucet & Jasra (2006). Legend: w_i weights of the n chains of an island, ESS = (sum w)^2 / sum w^2. After a
resampling every chain of the island has the mean weight, so at any time mean w is the island's estimate of
Z_k / Z_1, without bias as what decides on a resampling is the past alone.
"""

import math

import numpy as np
from numba import njit

from logzoo.kernels.annealing import weigh
from logzoo.kernels.energies import energy_scratch
from logzoo.kernels.gibbs import sweep_once, sweep_scratch
from logzoo.kernels.random import RUNG, uniform


@njit(cache=True, nogil=True)
def run_resampled(parameters, betas, key, share, first, last, chains, log_weight, family, island):
    """Annealing steps first, ..., last - 1 in place: weigh, resample, sweep; the step to the last rung only weighs.

    Chains of one island (chains,) lie together; one is resampled when its ESS is below `share` of its chains. family
    (chains,) int64 goes with the states.
    """
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    copies = np.empty(log_weight.size, np.int64)
    for k in range(first, last):
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)
        if k == betas.size - 1:
            break
        begin = 0
        while begin < island.size:
            end = begin + 1
            while end < island.size and island[end] == island[begin]:
                end += 1
            _resample(key, k, share, begin, end, chains, log_weight, family, copies)
            begin = end
        beta[:] = np.float32(betas[k])
        sweep_once(parameters, key, k, beta, chains, scratch)


@njit(cache=True)
def _resample(key, k, share, begin, end, chains, log_weight, family, copies):
    """Resample chains begin, ..., end - 1 systematically, by one uniform draw, if their ESS is low."""
    count = end - begin
    largest = log_weight[begin:end].max()
    total, squares = 0.0, 0.0
    for chain in range(begin, end):
        weight = math.exp(log_weight[chain] - largest)
        total += weight
        squares += weight * weight
    if total * total >= share * count * squares:
        return
    # Chain i is copied as often as a comb of n equal teeth, at a random offset, falls into its part of the sum.
    offset = uniform(key, chains.number[begin], k, RUNG)
    below, reached = 0, 0.0
    for chain in range(begin, end):
        reached += math.exp(log_weight[chain] - largest)
        teeth = min(int(math.ceil(reached / total * count - offset)), count) if chain < end - 1 else count
        copies[chain] = teeth - below
        below = teeth
    donor = begin
    for chain in range(begin, end):
        if copies[chain] > 0:
            continue
        while copies[donor] < 2:
            donor += 1
        copies[donor] -= 1
        chains.v[chain] = chains.v[donor]
        chains.h[chain] = chains.h[donor]
        chains.hidden_input[chain] = chains.hidden_input[donor]
        chains.visible_input[chain] = chains.visible_input[donor]
        family[chain] = family[donor]
    log_weight[begin:end] = largest + math.log(total / count)
