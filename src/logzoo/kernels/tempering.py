"""Simulated tempering: Gibbs sweeps that alternate with draws of the inverse temperature.

Legend: K rungs at inverse temperatures beta_k; prior r; offset_k = log r_k - log Zhat_k; q(k | x) proportional to
exp(offset_k) f_k(x) (Carlson et al. 2016, eq 7). x is v with the hidden units summed out, or (v, h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into, exp_wide
from logzoo.kernels.energies import energy_scratch, load_magnitudes, smooth_parts, sum_bits
from logzoo.kernels.gibbs import sweep_once, sweep_scratch
from logzoo.kernels.random import RUNG, uniform

if TYPE_CHECKING:
    from logzoo.kernels.energies import EnergyScratch
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.types import Array


# Round trips are counted between the ends of the ladder. An end has one rung for every 20 rungs of the ladder, and at
# least one rung. On a ladder of many rungs, chains would often miss an end of a single rung.
RUNGS_PER_END = 20
# Number of rungs in one block of a sum.
_BLOCK = 16


class Ladder(NamedTuple):
    """Inverse temperatures, and a matrix that maps a few numbers of a state to log f at all rungs.

    These `values` (M,) of a state are the smooth part (see `energies`) at N nodes, then the factors of beta and of
    1 - beta. So M = N + 2. For (v, h), N = 0, and log f is taken relative to c0.v: see `read_joint`.
    """

    betas: np.ndarray  # (K,) float64
    nodes: np.ndarray  # (N,) float32 inverse temperatures at which the smooth part is evaluated
    readout: np.ndarray  # (M, K) float64: values @ readout is log f at the rungs


class Record(NamedTuple):
    """Record of each draw in the sweeps of one call."""

    values: np.ndarray  # (chains, sweeps, M) float64 as in `Ladder`; 0 sweeps if they are not recorded
    rungs: np.ndarray  # (chains, sweeps + 1) int64: sweep i draws x at rungs[:, i], then rungs[:, i + 1] given x


class RungSums(NamedTuple):
    """Running sums over sweeps."""

    occupancy: np.ndarray  # (chains, K) float64: sums of q(k | x)
    visits: np.ndarray  # (chains, K) int64: how often each rung was drawn
    round_trips: np.ndarray  # (chains,) int64


@njit(inline="always")
def carry(values: Array, table: Array, out: Array) -> None:
    """out (K,) += values @ table, with the values (M,) of one state and table (M, K)."""
    for m in range(values.size):
        value, row = values[m], table[m]
        for k in range(out.size):
            out[k] += value * row[k]


@njit(inline="always")
def carry_two(values: Array, table: Array, out: Array) -> None:
    """`carry` for two states at once, with an even number of values (2, M): out (2, K) += values @ table.

    A row of the table is then read half as often. Every sum has the order of `carry`.
    """
    x, y, whole = out[0], out[1], values.shape[1] // 4 * 4
    for m in range(0, whole, 4):
        a0, a1, a2, a3 = values[0, m], values[0, m + 1], values[0, m + 2], values[0, m + 3]
        b0, b1, b2, b3 = values[1, m], values[1, m + 1], values[1, m + 2], values[1, m + 3]
        r0, r1, r2, r3 = table[m], table[m + 1], table[m + 2], table[m + 3]
        for k in range(x.size):
            x[k] = (((x[k] + a0 * r0[k]) + a1 * r1[k]) + a2 * r2[k]) + a3 * r3[k]
            y[k] = (((y[k] + b0 * r0[k]) + b1 * r1[k]) + b2 * r2[k]) + b3 * r3[k]
    for m in range(whole, values.shape[1], 2):
        a0, a1, b0, b1, r0, r1 = values[0, m], values[0, m + 1], values[1, m], values[1, m + 1], table[m], table[m + 1]
        for k in range(x.size):
            x[k] = (x[k] + a0 * r0[k]) + a1 * r1[k]
            y[k] = (y[k] + b0 * r0[k]) + b1 * r1[k]


@njit(inline="always")
def read_marginal(
    parameters: Parameters, nodes: Array, chains: Chains, chain: int, scratch: EnergyScratch, values: Array
) -> None:
    """Write the values (M,) of one chain's v, with the hidden units summed out."""
    units = chains.h.shape[1]
    v = chains.v[chain]
    unit = np.float64(parameters.unit)
    warm = float(sum_bits(v, parameters.visible_bias)) * unit
    warm += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    smooth_parts(units, nodes, scratch, values[: nodes.size])
    values[nodes.size] = warm
    values[nodes.size + 1] = float(sum_bits(v, parameters.base)) * unit


@njit(inline="always")
def read_joint(parameters: Parameters, chains: Chains, chain: int, values: Array) -> None:
    """Write the values (Delta, 0) of one chain's (v, h): Delta = log f(v, h) - c0.v, with base log-odds c0.

    At rung k they give log f_k(v, h) - c0.v = beta_k Delta.
    """
    v = chains.v[chain]
    integers = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
    integers += sum_bits(chains.h[chain], chains.hidden_input[chain])
    values[0] = float(integers) * np.float64(parameters.unit)
    values[1] = 0.0


@part(fastmath={"nnan", "nsz"})
def _largest(x: Array) -> float:
    """The largest entry, by four comparisons at a time. The code assumes that there is no NaN."""
    a = b = c = d = x[0]
    whole = x.size // 4 * 4
    for k in range(0, whole, 4):
        a = x[k] if x[k] > a else a
        b = x[k + 1] if x[k + 1] > b else b
        c = x[k + 2] if x[k + 2] > c else c
        d = x[k + 3] if x[k + 3] > d else d
    for k in range(whole, x.size):
        a = x[k] if x[k] > a else a
    return max(max(a, b), max(c, d))


@njit(inline="always")
def _sum_of_block(q: Array, start: int) -> float:
    """The sum of up to 16 entries. Sixteen entries are added four at a time, so that additions run in parallel."""
    if start + _BLOCK > q.size:
        total = 0.0
        for k in range(start, q.size):
            total += q[k]
        return total
    a, b, c, d = q[start], q[start + 1], q[start + 2], q[start + 3]
    for k in range(start + 4, start + _BLOCK, 4):
        a, b, c, d = a + q[k], b + q[k + 1], c + q[k + 2], d + q[k + 3]
    return (a + b) + (c + d)


@njit(inline="always")
def draw_rung(q: Array, draw: float, block_sums: Array) -> tuple[int, float]:
    """Return the rung that the uniform `draw` selects, and the factor s with s q = q(k | x).

    q (K,) is log f_k + offset_k at entry and q(k | x) / s at return. It is summed in blocks of 16 rungs, with
    `block_sums` as scratch, so that the search for the rung skips whole blocks.
    """
    rungs = q.size
    largest = _largest(q)
    for k in range(rungs):
        q[k] = exp_wide(q[k] - largest)
    total = 0.0
    for block in range(block_sums.size):
        part = _sum_of_block(q, block * _BLOCK)
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
    return rung, 1.0 / total


@part
def count_crossing(rung: int, base_end: int, model_end: int, heading: int) -> tuple[int, int]:
    """Follow one chain between the ends of the ladder; returns (new heading, 1 if a round trip is completed, else 0).

    The base end has the rungs up to `base_end`; the model's end has the rungs from `model_end` on. heading: 0 before
    the first visit of the base end; then the end visited last, 1 for the base and 2 for the model. A round trip ends at
    the base.
    """
    if rung >= model_end:
        return 2 if heading != 0 else 0, 0
    if rung <= base_end:
        return 1, 1 if heading == 2 else 0
    return heading, 0


@njit(inline="always")
def tempering_scratch(ladder: Ladder, chains: Chains) -> tuple[Any, ...]:
    """Scratch for sweeps of these chains on a ladder, in the order that `temper_once` unpacks."""
    return (
        sweep_scratch(chains),
        energy_scratch(chains.h.shape[1]),
        np.empty((2, ladder.readout.shape[0])),
        np.empty((2, ladder.betas.size)),
        np.empty(-(-ladder.betas.size // _BLOCK)),
        np.empty(chains.v.shape[0], np.float32),
    )


@part
def temper_once(
    parameters: Parameters,
    ladder: Ladder,
    offsets: Array,
    marginal: bool,
    key: np.uint64,
    sweep: int,
    row: int,
    chains: Chains,
    rung: Array,
    heading: Array,
    group: Array,
    sums: RungSums,
    record: Record,
    scratch: tuple[Any, ...],
) -> None:
    """Make sweep `sweep` of simulated tempering, and write row `row` of the record."""
    count, rungs = sums.occupancy.shape
    end = max(1, rungs // RUNGS_PER_END)
    layers, energies, values, q, block_sums, beta = scratch
    for chain in range(count):
        beta[chain] = np.float32(ladder.betas[rung[chain]])
    sweep_once(parameters, key, sweep, beta, chains, layers)
    for first in range(0, count, 2):
        pair = min(2, count - first)
        for number in range(pair):
            chain = first + number
            if marginal:
                read_marginal(parameters, ladder.nodes, chains, chain, energies, values[number])
            else:
                read_joint(parameters, chains, chain, values[number])
            if record.values.shape[1] > 0:
                copy_into(record.values[chain, row], values[number])
            copy_into(q[number], offsets[group[chain]])
        carry_two(values, ladder.readout, q)
        for number in range(pair):
            chain = first + number
            drawn, share = draw_rung(q[number], uniform(key, chains.number[chain], sweep, RUNG), block_sums)
            rung[chain] = drawn
            record.rungs[chain, row + 1] = drawn
            occupancy = sums.occupancy[chain]
            for k in range(rungs):
                occupancy[k] += share * q[number, k]
            sums.visits[chain, drawn] += 1
            heading[chain], completed = count_crossing(drawn, end - 1, rungs - end, heading[chain])
            sums.round_trips[chain] += completed


@kernel
def run_simulated_tempering(
    parameters: Parameters,
    ladder: Ladder,
    offsets: Array,
    marginal: bool,
    key: np.uint64,
    first: int,
    last: int,
    chains: Chains,
    rung: Array,
    heading: Array,
    group: Array,
    sums: RungSums,
    record: Record,
) -> None:
    """Run sweeps `first` to `last - 1` of simulated tempering in place; add counts and occupancies to `sums`.

    Each sweep draws x at the rung (chains,) and then the rung given x, with the offset (K,) of the chain's group.
    """
    scratch = tempering_scratch(ladder, chains)
    copy_into(record.rungs[:, 0], rung)
    for sweep in range(first, last):
        settings = parameters, ladder, offsets, marginal, key, sweep, sweep - first
        temper_once(*settings, chains, rung, heading, group, sums, record, scratch)
