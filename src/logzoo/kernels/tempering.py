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
# Values carried to the rungs in one pass.
VALUES_TOGETHER = 4


class Ladder(NamedTuple):
    """Inverse temperatures, and how log f at all of them is read off a few numbers of a state.

    Those numbers, its `values` (M,), are the smooth part at the N nodes, then what beta and 1 - beta multiply, then
    zeros that make up whole groups. Joint form: N = 0.
    """

    betas: np.ndarray  # (K,) float64
    nodes: np.ndarray  # (N,) float32 inverse temperatures at which the smooth part is evaluated
    readout: np.ndarray  # (M, K) float64: log f at the rungs from the values; M a multiple of 4


class Record(NamedTuple):
    """Single draws of a stretch of sweeps."""

    values: np.ndarray  # (chains, sweeps, M) float64 as in `Ladder`; no sweeps when they are not wanted
    rungs: np.ndarray  # (chains, sweeps + 1) int64: x of sweep i is drawn at rungs[i], then rungs[i + 1] given x


class RungSums(NamedTuple):
    """Running sums over sweeps."""

    occupancy: np.ndarray  # (chains, K) float64: sums of q(k | x)
    visits: np.ndarray  # (chains, K) int64: how often each rung was drawn
    round_trips: np.ndarray  # (chains,) int64


@njit(cache=True)
def read_marginal(parameters, nodes, chains, chain, scratch, values):
    """The values (M,) of one chain's v, hidden units summed out."""
    units = chains.h.shape[1]
    v = chains.v[chain]
    unit = np.float64(parameters.unit)
    warm = float(sum_bits(v, parameters.visible_bias)) * unit
    warm += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    for n in range(nodes.size):
        values[n] = smooth_part(units, nodes[n], scratch)
    values[nodes.size] = warm
    values[nodes.size + 1] = float(sum_bits(v, parameters.base)) * unit


@njit(cache=True)
def read_joint(parameters, chains, chain, values):
    """The values (M,) of one chain's (v, h), relative to the base: log f_k(v, h) - log p_1(v, h) = beta_k Delta."""
    v = chains.v[chain]
    integers = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
    integers += sum_bits(chains.h[chain], chains.hidden_input[chain])
    values[0] = float(integers) * np.float64(parameters.unit)


@njit(cache=True)
def carry(values, table, out):
    """out_k = sum_m values_m table_mk: log f at the rungs, or its derivatives, from the values of one state."""
    out[:] = 0.0
    for m in range(0, values.size, VALUES_TOGETHER):
        s0, s1, s2, s3 = values[m], values[m + 1], values[m + 2], values[m + 3]
        t0, t1, t2, t3 = table[m], table[m + 1], table[m + 2], table[m + 3]
        for k in range(out.size):
            out[k] += (s0 * t0[k] + s1 * t1[k]) + (s2 * t2[k] + s3 * t3[k])


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
def run_tempering(parameters, ladder, offsets, marginal, key, first, last, chains, rung, heading, group, sums, record):
    """Sweeps first, ..., last - 1 of simulated tempering in place; what the rungs did is added to `sums`.

    Each sweep draws x at the rung (chains,) and then the rung given x, with the offset (K,) of the chain's group.
    """
    count, rungs = sums.occupancy.shape
    end = max(1, rungs // _RUNGS_PER_END)
    hidden_scratch = layer_scratch(chains.h.shape[1])
    visible_scratch = layer_scratch(chains.v.shape[1])
    energies = energy_scratch(chains.h.shape[1])
    values = np.zeros(ladder.readout.shape[0])
    log_f = np.empty(rungs)
    q = np.empty(rungs)
    block_sums = np.empty(-(-rungs // _BLOCK))
    beta = np.empty(count, np.float32)
    keep = record.values.shape[1] > 0
    record.rungs[:, 0] = rung
    for sweep in range(first, last):
        for chain in range(count):
            beta[chain] = np.float32(ladder.betas[rung[chain]])
        sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch)
        for chain in range(count):
            if marginal:
                read_marginal(parameters, ladder.nodes, chains, chain, energies, values)
            else:
                read_joint(parameters, chains, chain, values)
            carry(values, ladder.readout, log_f)
            draw = uniform(key, chains.number[chain], sweep, RUNG)
            drawn = draw_rung(log_f, offsets[group[chain]], draw, q, block_sums)
            rung[chain] = drawn
            record.rungs[chain, sweep - first + 1] = drawn
            if keep:
                record.values[chain, sweep - first] = values
            for k in range(rungs):
                sums.occupancy[chain, k] += q[k]
            sums.visits[chain, drawn] += 1
            heading[chain], completed = count_crossing(drawn, end - 1, rungs - end, heading[chain])
            sums.round_trips[chain] += completed
