"""Simulated tempering: Gibbs sweeps in turn with draws of the inverse temperature.

Legend: K rungs at inverse temperatures beta_k; offset_k = log r_k - log Zhat_k; q(k | x) proportional to
exp(offset_k) f_k(x) (Carlson et al. 2016, eq 8). x is v with the hidden units summed out, or (v, h).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from logzoo.kernels.elementary import exp_wide
from logzoo.kernels.energies import energy_scratch, load_magnitudes, smooth_part, sum_bits
from logzoo.kernels.gibbs import layer_scratch, sweep_once
from logzoo.kernels.random import RUNG, uniform

# Each end of the ladder, for counting round trips, is this share of the rungs (at least one): an end of one rung in
# many is missed by chance, not for want of travelling.
_RUNGS_PER_END = 20
# Rungs summed together.
_BLOCK = 16
# Nodes carried to the rungs in one pass.
NODES_TOGETHER = 4


class Ladder(NamedTuple):
    """Inverse temperatures and how the smooth part of log f is carried from nodes to rungs."""

    betas: np.ndarray  # (K,) float64
    nodes: np.ndarray  # (N,) float32 inverse temperatures at which the smooth part is evaluated; N a multiple of 4
    interpolation: np.ndarray  # (N, K) float64: values at the rungs from values at the nodes


class RungSums(NamedTuple):
    """Running sums over sweeps."""

    occupancy: np.ndarray  # (chains, K) float64: sums of q(k | x)
    visits: np.ndarray  # (chains, K) int64: how often each rung was drawn
    round_trips: np.ndarray  # (chains,) int64


@njit(cache=True)
def log_f_marginal_at_rungs(parameters, ladder, chains, chain, scratch, log_f):
    """log f_k(v) of one chain at every rung, hidden units summed out."""
    units = chains.h.shape[1]
    v = chains.v[chain]
    unit = np.float64(parameters.unit)
    warm = float(sum_bits(v, parameters.visible_bias)) * unit
    warm += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    cold = float(sum_bits(v, parameters.base)) * unit
    for k in range(log_f.size):
        log_f[k] = ladder.betas[k] * warm + (1.0 - ladder.betas[k]) * cold
    for n in range(0, ladder.nodes.size, NODES_TOGETHER):
        s0 = smooth_part(units, ladder.nodes[n], scratch)
        s1 = smooth_part(units, ladder.nodes[n + 1], scratch)
        s2 = smooth_part(units, ladder.nodes[n + 2], scratch)
        s3 = smooth_part(units, ladder.nodes[n + 3], scratch)
        i0, i1 = ladder.interpolation[n], ladder.interpolation[n + 1]
        i2, i3 = ladder.interpolation[n + 2], ladder.interpolation[n + 3]
        for k in range(log_f.size):
            log_f[k] += (s0 * i0[k] + s1 * i1[k]) + (s2 * i2[k] + s3 * i3[k])


@njit(cache=True)
def log_f_joint_at_rungs(parameters, ladder, chains, chain, log_f):
    """log f_k(v, h) - log p_1(v, h) of one chain at every rung: beta_k Delta(v, h)."""
    v = chains.v[chain]
    integers = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
    integers += sum_bits(chains.h[chain], chains.hidden_input[chain])
    delta = float(integers) * np.float64(parameters.unit)
    for k in range(log_f.size):
        log_f[k] = ladder.betas[k] * delta


@njit(cache=True)
def draw_rung(log_f, offset, draw, q, block_sums):
    """Normalise q(k | x) into `q` (K,) and return the rung that the uniform `draw` selects.

    Sums go block by block of 16 rungs (`block_sums` is their scratch): blocks do not wait for one another, and the
    search for the rung skips whole ones.
    """
    rungs = q.size
    for k in range(rungs):
        q[k] = log_f[k] + offset[k]
    m0, m1, m2, m3 = q[0], q[0], q[0], q[0]
    for k in range(0, rungs - 3, 4):
        m0, m1, m2, m3 = max(m0, q[k]), max(m1, q[k + 1]), max(m2, q[k + 2]), max(m3, q[k + 3])
    for k in range(rungs - rungs % 4, rungs):
        m0 = max(m0, q[k])
    largest = max(max(m0, m1), max(m2, m3))
    for k in range(rungs):
        q[k] = exp_wide(q[k] - largest)
    total = 0.0
    for block in range(block_sums.size):
        part = 0.0
        for k in range(block * _BLOCK, min((block + 1) * _BLOCK, rungs)):
            part += q[k]
        block_sums[block] = part
        total += part
    left = draw * total
    block = 0
    while block < block_sums.size - 1 and left >= block_sums[block]:
        left -= block_sums[block]
        block += 1
    rung = block * _BLOCK
    end = min(rung + _BLOCK, rungs) - 1
    while rung < end and left >= q[rung]:
        left -= q[rung]
        rung += 1
    share = 1.0 / total
    for k in range(rungs):
        q[k] *= share
    return rung


@njit(cache=True)
def count_crossing(rung, base_end, model_end, heading):
    """Follow one chain between the ends of the ladder: (new heading, round trip completed).

    The base end is the rungs up to `base_end`, the model's end those from `model_end` on. heading: 0 none yet, 1 left
    the base end last, 2 left the model's end last. A round trip ends at the base.
    """
    if rung >= model_end:
        return 2 if heading != 0 else 0, 0
    if rung <= base_end:
        return 1, 1 if heading == 2 else 0
    return heading, 0


@njit(cache=True, nogil=True)
def run_tempering(parameters, ladder, offset, marginal, key, first, last, chains, rung, heading, sums):
    """Sweeps first, ..., last - 1 of simulated tempering in place; what the rungs did is added to `sums`.

    Each sweep draws x at the rung (chains,) and then the rung given x.
    """
    count, rungs = sums.occupancy.shape
    end = max(1, rungs // _RUNGS_PER_END)
    hidden_scratch = layer_scratch(chains.h.shape[1])
    visible_scratch = layer_scratch(chains.v.shape[1])
    energies = energy_scratch(chains.h.shape[1])
    log_f = np.empty(rungs)
    q = np.empty(rungs)
    block_sums = np.empty(-(-rungs // _BLOCK))
    beta = np.empty(count, np.float32)
    for sweep in range(first, last):
        for chain in range(count):
            beta[chain] = np.float32(ladder.betas[rung[chain]])
        sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch)
        for chain in range(count):
            if marginal:
                log_f_marginal_at_rungs(parameters, ladder, chains, chain, energies, log_f)
            else:
                log_f_joint_at_rungs(parameters, ladder, chains, chain, log_f)
            drawn = draw_rung(log_f, offset, uniform(key, chains.number[chain], sweep, RUNG), q, block_sums)
            rung[chain] = drawn
            for k in range(rungs):
                sums.occupancy[chain, k] += q[k]
            sums.visits[chain, drawn] += 1
            heading[chain], completed = count_crossing(drawn, end - 1, rungs - end, heading[chain])
            sums.round_trips[chain] += completed
