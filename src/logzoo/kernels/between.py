"""Annealing between two RBMs whose parameters are interpolated: sweeps and weights at any share of the way.

Legend: at share s the parameters are (1 - s) times those of the near RBM plus s times those of the far one, and so are
the inputs of both layers. Chains keep the inputs of both RBMs, near ones in the first half of the columns and far ones
in the second, so that s may change at every sweep and nothing else has to: sums follow the units that flip.
"""

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.draws import draw_layer
from logzoo.kernels.energies import energy_scratch, smooth_part, sum_bits
from logzoo.kernels.gibbs import list_changes, sweep_scratch, update_hidden_inputs, update_visible_inputs
from logzoo.kernels.random import HIDDEN, VISIBLE

_ONE = np.float32(1.0)


@part
def log_f_between(parameters, chains, chain, share, scratch):
    """log f_s(v) of one chain, hidden units summed out, in nats."""
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
    return total + positive + smooth_part(units, _ONE, scratch)


@part
def draw_between(parameters, inputs, states, key, sweep, layer, share, chains, scratch):
    """Draw one layer, `states` (chains, units), of every chain at one share from its inputs; list the changes."""
    near, far = (_ONE - share) * parameters.unit, share * parameters.unit
    half = inputs.shape[1] // 2
    for chain in range(states.shape[0]):
        own, number = inputs[chain], chains.number[chain]
        draw_layer(own, own[half:], near, far, key, number, sweep, layer, scratch.drawn)
        list_changes(states[chain], scratch, chain, chains)


@part
def sweep_between(parameters, key, sweep, share, chains, scratch):
    """One sweep of every chain at one share; all inputs brought up to date."""
    draw_between(parameters, chains.hidden_input, chains.h, key, sweep, HIDDEN, share, chains, scratch[0])
    update_visible_inputs(parameters, chains)
    draw_between(parameters, chains.visible_input, chains.v, key, sweep, VISIBLE, share, chains, scratch[1])
    update_hidden_inputs(parameters, chains)


@kernel(nogil=True)
def run_between(parameters, shares, key, sweep, chains, log_weight):
    """Anneal along `shares` (n,) in place: weigh each step, then sweep where it ends; the last step only weighs.

    The sweeps are numbered from `sweep` on. `parameters` and chains are those of `layout.paired_parameters` and
    `layout.paired_chains`; inputs must be up to date. Weights sum the hidden units out.
    """
    scratch = sweep_scratch(chains)
    energies = energy_scratch(chains.h.shape[1])
    for k in range(1, shares.size):
        before, after = np.float32(shares[k - 1]), np.float32(shares[k])
        for chain in range(log_weight.size):
            log_weight[chain] += log_f_between(parameters, chains, chain, after, energies)
            log_weight[chain] -= log_f_between(parameters, chains, chain, before, energies)
        if k < shares.size - 1:
            sweep_between(parameters, key, sweep + k - 1, after, chains, scratch)
