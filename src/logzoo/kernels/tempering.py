"""Simulated tempering: Gibbs sweeps in turn with draws of the inverse temperature.

Legend: K rungs at inverse temperatures beta_k; offset_k = log r_k - log Zhat_k; q(k | x) proportional to
exp(offset_k) f_k(x) (Carlson et al. 2016, eq 8). x is v with the hidden units summed out, or (v, h).
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from logzoo.kernels.elementary import exp_wide
from logzoo.kernels.energies import energy_scratch, load_magnitudes, smooth_parts, sum_bits
from logzoo.kernels.gibbs import layer_scratch, sweep_once
from logzoo.kernels.random import RUNG, uniform

# Each end of the ladder, for counting round trips, is this share of the rungs (at least one): an end of one rung in
# many is missed by chance, not for want of travelling.
_RUNGS_PER_END = 20
# Rungs summed together.
_BLOCK = 16
# Chains whose values are carried to the rungs together, and how many rungs at a time: eight 256-bit registers.
CHAINS_TOGETHER = 4
_RUNGS_TOGETHER = 8
_DOUBLES = ir.VectorType(ir.DoubleType(), 4)
_BYTES = 8


class Ladder(NamedTuple):
    """Inverse temperatures, and how log f at all of them is read off a few numbers of a state.

    Those numbers, its `values` (M,), are the smooth part at the N nodes, then what beta and 1 - beta multiply:
    M = N + 2. Joint form: N = 0.
    """

    betas: np.ndarray  # (K,) float64
    nodes: np.ndarray  # (N,) float32 inverse temperatures at which the smooth part is evaluated
    readout: np.ndarray  # (M, K) float64: log f at the rungs from the values


class Record(NamedTuple):
    """Single draws of a stretch of sweeps."""

    values: np.ndarray  # (chains, sweeps, M) float64 as in `Ladder`; no sweeps when they are not wanted
    rungs: np.ndarray  # (chains, sweeps + 1) int64: x of sweep i is drawn at rungs[i], then rungs[i + 1] given x


class RungSums(NamedTuple):
    """Running sums over sweeps."""

    occupancy: np.ndarray  # (chains, K) float64: sums of q(k | x)
    visits: np.ndarray  # (chains, K) int64: how often each rung was drawn
    round_trips: np.ndarray  # (chains,) int64


@intrinsic
def _carry(typing_context, table, table_step, count, values, log_f, log_f_step):
    """Eight rungs of `carry_to_rungs`; arguments but `count` are addresses and bytes from one row to the next."""

    def generate(context, builder, signature, arguments):
        table, table_step, count, values, log_f, log_f_step = arguments

        def after(address, size):
            return builder.add(address, ir.Constant(address.type, size))

        def load(address, kind):
            return builder.load(builder.inttoptr(address, kind.as_pointer()), align=_BYTES)

        def everywhere(value):
            first = builder.insert_element(ir.Constant(_DOUBLES, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4))

        places, totals = [], []
        for chain in range(CHAINS_TOGETHER):
            row = builder.add(log_f, builder.mul(log_f_step, ir.Constant(log_f_step.type, chain)))
            places.append([after(row, rung * _BYTES) for rung in range(0, _RUNGS_TOGETHER, 4)])
            totals.append([cgutils.alloca_once_value(builder, load(place, _DOUBLES)) for place in places[-1]])
        with cgutils.for_range(builder, count) as loop:
            row = builder.add(table, builder.mul(loop.index, table_step))
            weights = [load(after(row, rung * _BYTES), _DOUBLES) for rung in range(0, _RUNGS_TOGETHER, 4)]
            place = builder.add(values, builder.mul(loop.index, ir.Constant(values.type, CHAINS_TOGETHER * _BYTES)))
            for chain in range(CHAINS_TOGETHER):
                value = everywhere(load(after(place, chain * _BYTES), ir.DoubleType()))
                for weight, total in zip(weights, totals[chain], strict=True):
                    builder.store(builder.fadd(builder.load(total), builder.fmul(value, weight)), total)
        for chain in range(CHAINS_TOGETHER):
            for place, total in zip(places[chain], totals[chain], strict=True):
                builder.store(builder.load(total), builder.inttoptr(place, _DOUBLES.as_pointer()), align=_BYTES)
        return context.get_dummy_value()

    return types.void(*[types.intp] * 6), generate


@njit(cache=True)
def carry_to_rungs(table, values, log_f):
    """log_f (CHAINS_TOGETHER, K) = values' table: values (M, CHAINS_TOGETHER), table (M, K)."""
    count, rungs = table.shape
    step = rungs * _BYTES
    first, second, target = table.ctypes.data, values.ctypes.data, log_f.ctypes.data
    log_f[:] = 0.0
    whole = rungs - rungs % _RUNGS_TOGETHER
    for k in range(0, whole, _RUNGS_TOGETHER):
        _carry(first + k * _BYTES, step, count, second, target + k * _BYTES, step)
    for chain in range(CHAINS_TOGETHER):
        for k in range(whole, rungs):
            for m in range(count):
                log_f[chain, k] += values[m, chain] * table[m, k]


@njit(cache=True)
def carry(values, table, out):
    """out (K,) = values table: values (M,) of one state, table (M, K)."""
    out[:] = 0.0
    for m in range(values.size):
        for k in range(out.size):
            out[k] += values[m] * table[m, k]


@njit(cache=True)
def read_marginal(parameters, nodes, chains, chain, scratch, values):
    """The values (M,) of one chain's v, hidden units summed out."""
    units = chains.h.shape[1]
    v = chains.v[chain]
    unit = np.float64(parameters.unit)
    warm = float(sum_bits(v, parameters.visible_bias)) * unit
    warm += load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
    smooth_parts(units, nodes, scratch, values[: nodes.size])
    values[nodes.size] = warm
    values[nodes.size + 1] = float(sum_bits(v, parameters.base)) * unit


@njit(cache=True)
def read_joint(parameters, chains, chain, values):
    """The values (M,) of one chain's (v, h), relative to the base: log f_k(v, h) - log p_1(v, h) = beta_k Delta."""
    v = chains.v[chain]
    integers = sum_bits(v, parameters.visible_bias) - sum_bits(v, parameters.base)
    integers += sum_bits(chains.h[chain], chains.hidden_input[chain])
    values[0] = float(integers) * np.float64(parameters.unit)
    values[1] = 0.0


@njit(cache=True, fastmath={"nnan", "nsz"})
def _add(log_f, offset, q):
    """q = log_f + offset; returns the largest. Told that no entry is NaN, LLVM compares whole vectors."""
    largest = log_f[0] + offset[0]
    for k in range(q.size):
        q[k] = log_f[k] + offset[k]
        largest = max(largest, q[k])
    return largest


@njit(cache=True)
def draw_rung(log_f, offset, draw, q, block_sums):
    """Normalise q(k | x) into `q` (K,) and return the rung that the uniform `draw` selects.

    Sums go block by block of 16 rungs (`block_sums` is their scratch): blocks do not wait for one another, and the
    search for the rung skips whole ones.
    """
    rungs = q.size
    largest = _add(log_f, offset, q)
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
    values = np.zeros((ladder.readout.shape[0], CHAINS_TOGETHER))
    log_f = np.zeros((CHAINS_TOGETHER, rungs))
    q = np.empty(rungs)
    block_sums = np.empty(-(-rungs // _BLOCK))
    beta = np.empty(count, np.float32)
    keep = record.values.shape[1] > 0
    record.rungs[:, 0] = rung
    for sweep in range(first, last):
        for chain in range(count):
            beta[chain] = np.float32(ladder.betas[rung[chain]])
        sweep_once(parameters, key, sweep, beta, chains, hidden_scratch, visible_scratch)
        for first_together in range(0, count, CHAINS_TOGETHER):
            together = range(first_together, min(first_together + CHAINS_TOGETHER, count))
            for chain in together:
                column = values[:, chain - first_together]
                if marginal:
                    read_marginal(parameters, ladder.nodes, chains, chain, energies, column)
                else:
                    read_joint(parameters, chains, chain, column)
                if keep:
                    record.values[chain, sweep - first] = column
            carry_to_rungs(ladder.readout, values, log_f)
            for chain in together:
                draw = uniform(key, chains.number[chain], sweep, RUNG)
                drawn = draw_rung(log_f[chain - first_together], offsets[group[chain]], draw, q, block_sums)
                rung[chain] = drawn
                record.rungs[chain, sweep - first + 1] = drawn
                for k in range(rungs):
                    sums.occupancy[chain, k] += q[k]
                sums.visits[chain, drawn] += 1
                heading[chain], completed = count_crossing(drawn, end - 1, rungs - end, heading[chain])
                sums.round_trips[chain] += completed
