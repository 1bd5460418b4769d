"""Annealing: weigh each step along the path, sweep, go on (Neal 2001; Salakhutdinov & Murray 2008); and its reverse.

Legend: log w = sum_k [log f_k(v_{k-1}) - log f_{k-1}(v_{k-1})], hidden units summed out; K rungs. The sweep from v to h
to v is reversible for f_k(v), so the reversed transitions are the same sweeps (Burda, Grosse & Salakhutdinov 2015).
"""

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.energies import energy_scratch, load_magnitudes, smooth_part, sum_bits
from logzoo.kernels.gibbs import sweep_once, sweep_scratch


@part
def weigh(parameters, chains, before, after, scratch, log_weight):
    """Add log f_after(v) - log f_before(v), at two inverse temperatures, to the log_weight (chains,) of each chain."""
    units = chains.h.shape[1]
    # The linear part uses the same rounded inverse temperatures as the smooth part.
    low, high = np.float32(before), np.float32(after)
    for chain in range(log_weight.size):
        v = chains.v[chain]
        linear = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
        slope = float(linear) * np.float64(parameters.unit)
        slope += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
        step = smooth_part(units, high, scratch) - smooth_part(units, low, scratch)
        log_weight[chain] += step + (np.float64(high) - np.float64(low)) * slope


@kernel(nogil=True)
def run_annealing(parameters, betas, key, first, last, chains, log_weight):
    """Annealing steps first, ..., last - 1 in place: weigh from beta_{k-1} to beta_k, then sweep at beta_k.

    The step to the last rung only weighs: nothing reads the state after it.
    """
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    for k in range(first, last):
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)
        if k < betas.size - 1:
            beta[:] = np.float32(betas[k])
            sweep_once(parameters, key, k, beta, chains, scratch)


@kernel(nogil=True)
def run_reverse_annealing(parameters, betas, key, first, last, chains, log_weight):
    """Reverse steps first, ..., last - 1 in place; step n starts at the n-th rung from the top, K - n + 1.

    A step sweeps at the rung and weighs the new state from the rung below to it: the sweep at beta_k, reversed, leads
    to the state x_{k-1} that a forward path weighs from beta_{k-1} to beta_k before it sweeps. K - 1 steps reach the
    base.
    """
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    for step in range(first, last):
        k = betas.size - step
        beta[:] = np.float32(betas[k])
        sweep_once(parameters, key, step, beta, chains, scratch)
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)
