"""Annealed importance sampling (Neal 2001) along a path of distributions, and its reverse.

Legend: rungs 0 to K - 1; f_k(v) unnormalised density at rung k; v_k state after step k. log w is the sum over k of
log f_k(v_{k-1}) - log f_{k-1}(v_{k-1}). Forward step k adds its term to log w, then sweeps at rung k. A reverse step
sweeps first. Paths lead to an RBM from its base (Salakhutdinov & Murray 2008), from product laws (independent units),
or from another RBM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import INTEGER_ZERO, ONE, softplus
from logzoo.kernels.energies import energy_scratch, load_magnitudes, smooth_parts, sum_bits
from logzoo.kernels.gibbs import (
    redraw,
    sweep_once,
    sweep_scratch,
    update_hidden_inputs,
    update_visible_inputs,
)
from logzoo.kernels.random import HIDDEN, VISIBLE

if TYPE_CHECKING:
    from logzoo.kernels.energies import EnergyScratch
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


@part
def weigh(
    parameters: Parameters, chains: Chains, before: float, after: float, scratch: EnergyScratch, log_weight: Array
) -> None:
    """Add log f_after(v) - log f_before(v) to log_weight (chains,); `before`, `after`: inverse temperatures."""
    units = chains.h.shape[1]
    # The linear part uses the same rounded inverse temperatures as the smooth part.
    low, high = np.float32(before), np.float32(after)
    scratch.betas[0], scratch.betas[1] = low, high
    for chain in range(log_weight.size):
        v = chains.v[chain]
        linear = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
        slope = float(linear) * np.float64(parameters.unit)
        slope += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
        smooth_parts(units, scratch.betas, scratch, scratch.smooth)
        log_weight[chain] += scratch.smooth[1] - scratch.smooth[0] + (np.float64(high) - np.float64(low)) * slope


@kernel
def run_annealing(
    parameters: Parameters, betas: Array, key: np.uint64, first: int, last: int, chains: Chains, log_weight: Array
) -> None:
    """Run annealing steps `first` to `last - 1` in place.

    The step to the last rung makes no sweep, because its state would not be read.
    """
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    for k in range(first, last):
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)
        if k < betas.size - 1:
            beta[:] = np.float32(betas[k])
            sweep_once(parameters, key, k, beta, chains, scratch)


@kernel
def run_reverse_annealing(
    parameters: Parameters, betas: Array, key: np.uint64, first: int, last: int, chains: Chains, log_weight: Array
) -> None:
    """Run reverse steps `first` to `last - 1` in place. Step n sweeps at rung K - n; step K - 1 reaches the base."""
    scratch, energies = sweep_scratch(chains), energy_scratch(chains.h.shape[1])
    beta = np.empty(log_weight.size, np.float32)
    for step in range(first, last):
        k = betas.size - step
        beta[:] = np.float32(betas[k])
        sweep_once(parameters, key, step, beta, chains, scratch)
        weigh(parameters, chains, betas[k - 1], betas[k], energies, log_weight)


class Laws(NamedTuple):
    """Product laws of both layers in fixed point, as multiples of `Parameters.unit`."""

    visible: np.ndarray  # (laws, V rounded up to blocks) int32: log-odds
    hidden: np.ndarray  # (laws, H rounded up to blocks) int32: log-odds


@part
def _draw(
    layer: np.uint64,
    inputs: Array,
    bases: Array,
    row: Array,
    first: int,
    states: Array,
    scale: np.float32,
    cold: np.float32,
    key: np.uint64,
    sweep: int,
    chains: Chains,
    scratch: Array,
) -> None:
    """Draw one layer of every chain at logits scale * inputs + cold * bases[row of the chain, first:]; list changes."""
    for chain in range(row.size):
        x, base, number = inputs[chain], bases[row[chain]][first:], chains.number[chain]
        redraw(x, base, scale, cold, key, number, sweep, layer, states[chain], scratch, chain, chains)


@part
def _weigh(
    parameters: Parameters, laws: Laws, law: Array, chains: Chains, before: float, after: float, log_weight: Array
) -> None:
    """Do as `weigh`, for paths from product laws."""
    units, unit = chains.h.shape[1], np.float64(parameters.unit)
    # The sweeps use the same rounded inverse temperatures.
    low, high = np.float64(np.float32(before)), np.float64(np.float32(after))
    for chain in range(law.size):
        v, phi = chains.v[chain], laws.hidden[law[chain]]
        linear = sum_bits(v, parameters.visible_bias) - sum_bits(v, laws.visible[law[chain]])
        step = (high - low) * np.float64(linear) * unit
        for j in range(units):
            cold, warm = unit * phi[j], unit * chains.hidden_input[chain, j]
            step += softplus(cold + high * (warm - cold)) - softplus(cold + low * (warm - cold))
        log_weight[chain] += step


@kernel
def run_centred_annealing(
    parameters: Parameters,
    laws: Laws,
    betas: Array,
    key: np.uint64,
    first: int,
    last: int,
    law: Array,
    chains: Chains,
    log_weight: Array,
) -> None:
    """Run annealing steps `first` to `last - 1` in place, as in `run_annealing`, from product laws.

    law (chains,): the row of `laws` that a chain starts from.
    """
    hidden_scratch, visible_scratch = sweep_scratch(chains)
    for k in range(first, last):
        _weigh(parameters, laws, law, chains, betas[k - 1], betas[k], log_weight)
        if k < betas.size - 1:
            beta = np.float32(betas[k])
            scale, cold = beta * parameters.unit, (ONE - beta) * parameters.unit
            x, h = chains.hidden_input, chains.h
            _draw(HIDDEN, x, laws.hidden, law, INTEGER_ZERO, h, scale, cold, key, k, chains, hidden_scratch)
            update_visible_inputs(parameters, chains)
            x, v = chains.visible_input, chains.v
            _draw(VISIBLE, x, laws.visible, law, INTEGER_ZERO, v, scale, cold, key, k, chains, visible_scratch)
            update_hidden_inputs(parameters, chains)


@part
def log_f_between(
    parameters: Parameters, chains: Chains, chain: int, share: np.float32, scratch: EnergyScratch
) -> float:
    """log f(v) of one chain in nats, hidden units summed out, with parameters (1 - share) * near + share * far."""
    units, v, bias, inputs = chains.h.shape[1], chains.v[chain], parameters.visible_bias, chains.hidden_input[chain]
    unit = np.float64(parameters.unit)
    far = np.float64(share) * unit
    near = unit - far
    total = near * float(sum_bits(v, bias)) + far * float(sum_bits(v, bias[bias.size // 2 :]))
    upper, positive = inputs[inputs.size // 2 :], 0.0
    for j in range(units):
        x = near * float(inputs[j]) + far * float(upper[j])
        positive += max(x, 0.0)
        scratch.magnitudes[j] = np.float32(abs(x))
    scratch.betas[0] = ONE
    smooth_parts(units, scratch.betas[:1], scratch, scratch.smooth[:1])
    return total + positive + scratch.smooth[0]


@kernel
def run_between(
    parameters: Parameters, shares: Array, key: np.uint64, sweep: int, chains: Chains, log_weight: Array
) -> None:
    """Anneal all chains along `shares` (n,) in place, and add the change of log f in each step to log_weight.

    After each step but the last, every chain makes a sweep at the new share. The sweeps are numbered from `sweep` on.
    `parameters` and `chains` come from `fixed_point.paired_parameters` and `fixed_point.paired_chains`; inputs must be
    up to date.
    """
    hidden_scratch, visible_scratch = sweep_scratch(chains)
    energies = energy_scratch(chains.h.shape[1])
    chain_numbers = np.arange(log_weight.size)
    for k in range(1, shares.size):
        before, after = np.float32(shares[k - 1]), np.float32(shares[k])
        for chain in range(log_weight.size):
            log_weight[chain] += log_f_between(parameters, chains, chain, after, energies)
            log_weight[chain] -= log_f_between(parameters, chains, chain, before, energies)
        if k < shares.size - 1:
            now, near, far = sweep + k - 1, (ONE - after) * parameters.unit, after * parameters.unit
            x, h, half = chains.hidden_input, chains.h, chains.hidden_input.shape[1] // 2
            _draw(HIDDEN, x, x, chain_numbers, half, h, near, far, key, now, chains, hidden_scratch)
            update_visible_inputs(parameters, chains)
            x, v, half = chains.visible_input, chains.v, chains.visible_input.shape[1] // 2
            _draw(VISIBLE, x, x, chain_numbers, half, v, near, far, key, now, chains, visible_scratch)
            update_hidden_inputs(parameters, chains)
