"""Annealing from product laws of both layers to the RBM, every chain from a law of its own.

Legend: theta (V,) and phi (H,) log-odds of the law of a chain; a = b + v W. The path at inverse temperature beta:

    log f_beta(v, h) = beta [c.v + v W h + b.h] + (1 - beta) [theta.v + phi.h]

With theta = c + W q and phi = b + m W for means m, q it is an RBM with the weights beta W whose interaction acts on
(v - m, h - q) alone: chains stay near a mode while fluctuations are turned on.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.compaction import unpack
from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.draws import draw_layer
from logzoo.kernels.elementary import softplus
from logzoo.kernels.energies import sum_bits
from logzoo.kernels.gibbs import (
    forget_hidden,
    list_changes,
    sweep_scratch,
    update_hidden_inputs,
    update_visible_inputs,
)
from logzoo.kernels.random import HIDDEN, START, VISIBLE

_ONE, _ZERO = np.float32(1.0), np.float32(0.0)
# The sweep of the draws at the start.
_BEFORE = np.int64(0)


class Laws(NamedTuple):
    """Product laws of both layers in fixed point, as multiples of the unit of the parameters."""

    visible: np.ndarray  # (laws, V rounded up to blocks) int32: theta
    hidden: np.ndarray  # (laws, H rounded up to blocks) int32: phi


@part
def _draw(layer, rows, law, inputs, state, beta, parameters, key, sweep, chains, scratch):
    """Draw one layer of every chain at one inverse temperature; list the changes."""
    scale, cold = beta * parameters.unit, (_ONE - beta) * parameters.unit
    for chain in range(law.size):
        number = chains.number[chain]
        draw_layer(inputs[chain], rows[law[chain]], scale, cold, key, number, sweep, layer, scratch.drawn)
        list_changes(state[chain], scratch, chain, chains)


@part
def _weigh(parameters, laws, law, chains, before, after, log_weight):
    """Add log f_after(v) - log f_before(v), hidden units summed out, to the log_weight (chains,) of each chain."""
    units, unit = chains.h.shape[1], np.float64(parameters.unit)
    # The same rounded inverse temperatures as the sweeps.
    low, high = np.float64(np.float32(before)), np.float64(np.float32(after))
    for chain in range(law.size):
        v, phi = chains.v[chain], laws.hidden[law[chain]]
        linear = sum_bits(v, parameters.visible_bias) - sum_bits(v, laws.visible[law[chain]])
        step = (high - low) * np.float64(linear) * unit
        for j in range(units):
            cold, warm = unit * phi[j], unit * chains.hidden_input[chain, j]
            step += softplus(cold + high * (warm - cold)) - softplus(cold + low * (warm - cold))
        log_weight[chain] += step


@kernel(nogil=True)
def run_centred_annealing(parameters, laws, betas, key, first, last, law, chains, log_weight):
    """Annealing steps first, ..., last - 1 in place: weigh from beta_{k-1} to beta_k, then sweep at beta_k.

    law (chains,): the law of each chain. The step to the last rung only weighs: nothing reads the state after it.
    """
    hidden_scratch, visible_scratch = sweep_scratch(chains)
    for k in range(first, last):
        _weigh(parameters, laws, law, chains, betas[k - 1], betas[k], log_weight)
        if k < betas.size - 1:
            beta = np.float32(betas[k])
            common = beta, parameters, key, k, chains
            _draw(HIDDEN, laws.hidden, law, chains.hidden_input, chains.h, *common, hidden_scratch)
            update_visible_inputs(parameters, chains)
            _draw(VISIBLE, laws.visible, law, chains.visible_input, chains.v, *common, visible_scratch)
            update_hidden_inputs(parameters, chains)


@kernel
def start_from_laws(parameters, laws, law, key, chains):
    """Draw v of every chain from its law; h is drawn first by the next sweep."""
    scratch = sweep_scratch(chains)[1]
    for chain in range(law.size):
        log_odds, number = laws.visible[law[chain]], chains.number[chain]
        draw_layer(log_odds, log_odds, parameters.unit, _ZERO, key, number, _BEFORE, START, scratch.drawn)
        for word in range(scratch.drawn.size):
            unpack(scratch.drawn[word], word, chains.v[chain])
    forget_hidden(parameters, chains)
