"""Recursions that update log Zhat after each sweep of simulated tempering, and sums for estimators.

Legend: a draw has values (M,), see `tempering.Ladder`. Their product with readout (M, K) is log f at the K rungs.
Their products with slopes and curvatures are the first and second derivatives of log f in beta. x of sweep i is drawn
at rungs[i]; rungs[i + 1] is drawn given x. r prior; t number of a sweep, from 1; F modification factor of Wang-Landau;
n number of chains of a group; c_k mean of q(beta_k | x) over these chains.

Each of the G groups of chains has a log Zhat (K,). Groups are numbered from 0 in every call;
`first_chains` (G + 1,) has the first chain of each group, then the number of chains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into, exp_wide
from logzoo.kernels.tempering import RungSums, carry, temper_once, tempering_scratch

if TYPE_CHECKING:
    from logzoo.kernels.gibbs import Chains, Parameters
    from logzoo.kernels.tempering import Ladder, Record
    from logzoo.types import Array


class Recursion(NamedTuple):
    """State of the recursion of self-adjusted mixture sampling (SAMS) or of Wang-Landau in every group."""

    prior: np.ndarray  # (G, K) r
    chains: np.ndarray  # (G,) n
    flatness: np.ndarray  # (G,) SAMS: bound of |mean c_k / r_k - 1|; Wang-Landau: least visits / expected visits
    exponent: np.ndarray  # (G,) the gain of the first stage of SAMS is t^-exponent; 0 for Wang-Landau
    latest: np.ndarray  # (G,) sweeps after which the first stage of SAMS ends in any case
    settled: np.ndarray  # (G,) whether the gain falls as 1 / t: second stage of SAMS; Wang-Landau: log F = K / (n t)
    gain: np.ndarray  # (G,) SAMS: 1 / gain - t in the second stage; Wang-Landau: log F
    filled: np.ndarray  # (G, K) SAMS: sum of c_k / r_k since t was last a power of 2; Wang-Landau: visits at this F
    largest: np.ndarray  # (G,) SAMS: the largest c_k / r_k of all sweeps so far


@part
def step_two_stages(state: Recursion, group: int, t: int, occupancy: Array, log_z_hat: Array) -> None:
    """SAMS: add gain * c_k / r_k to log Zhat (K,) of a group after sweep t; occupancy (K,) is n c."""
    filled, prior, chains = state.filled[group], state.prior[group], state.chains[group]
    # The bound of the gain uses earlier sweeps only: a gain that depends on this `occupancy` would bias the update.
    inverse_gain = t + state.gain[group] if state.settled[group] else t ** state.exponent[group]
    gain = 1.0 / max(inverse_gain, state.largest[group])
    power = 1
    while 2 * power <= t:
        power *= 2
    peak, uneven = 0.0, 0.0
    for k in range(log_z_hat.size):
        ratio = occupancy[k] * (1.0 / (chains * prior[k]))
        log_z_hat[k] += gain * ratio
        peak = max(peak, ratio)
        filled[k] = ratio if t == power else filled[k] + ratio
        uneven = max(uneven, abs(filled[k] / (t - power + 1) - 1.0))
    state.largest[group] = peak if t == 1 else max(state.largest[group], peak)
    if not state.settled[group] and (uneven < state.flatness[group] or t >= state.latest[group]):
        state.settled[group] = True
        state.gain[group] = t ** state.exponent[group] - t


# The ladder is divided into this many parts of neighbouring rungs, or into single rungs if it has fewer rungs.
_PARTS = 10


@part
def _is_flat(prior: Array, flatness: float, visits: Array) -> bool:
    """Whether every part of the ladder had at least `flatness` times its expected share of the visits (K,)."""
    rungs, total = visits.size, 0.0
    for k in range(rungs):
        total += visits[k]
    parts = min(_PARTS, rungs)
    for number in range(parts):
        share, visited = 0.0, 0.0
        for k in range(number * rungs // parts, (number + 1) * rungs // parts):
            share += prior[k]
            visited += visits[k]
        if visited < flatness * total * share:
            return False
    return True


@part
def step_halved_factor(state: Recursion, group: int, t: int, visits: Array, log_z_hat: Array) -> None:
    """Wang-Landau: add log F * visits_k / (K r_k) to log Zhat (K,) of a group after sweep t."""
    prior, seen = state.prior[group], state.filled[group]
    rungs = log_z_hat.size
    target = rungs / state.chains[group] / t
    if state.settled[group]:
        state.gain[group] = target
    for k in range(rungs):
        log_z_hat[k] += state.gain[group] / (rungs * prior[k]) * visits[k]
        seen[k] += visits[k]
    if not state.settled[group] and _is_flat(prior, state.flatness[group], seen):
        state.gain[group] *= 0.5
        for k in range(rungs):
            seen[k] = 0.0
        state.settled[group] = state.gain[group] <= target


@kernel
def run_adjusted(
    parameters: Parameters,
    ladder: Ladder,
    marginal: bool,
    key: np.uint64,
    first: int,
    t: int,
    log_prior: Array,
    first_chains: Array,
    chains: Chains,
    rung: Array,
    heading: Array,
    sums: RungSums,
    record: Record,
    log_z_hats: Array,
    recursion: Recursion,
) -> None:
    """Run sweeps of simulated tempering, from number `first` on, until the record is full.

    The recursion updates log Zhat (G, K) after each sweep. t: number of earlier updates.
    """
    count, (groups, rungs) = rung.size, log_z_hats.shape
    scratch = tempering_scratch(ladder, chains)
    copy_into(record.rungs[:, 0], rung)
    # Sums over one sweep, for each chain and for each group of chains.
    single = RungSums(np.zeros((count, rungs)), np.zeros((count, rungs), np.int64), np.zeros(count, np.int64))
    occupancy, visits = np.empty((groups, rungs)), np.empty((groups, rungs), np.int64)
    offsets, group_of = np.empty((groups, rungs)), np.empty(count, np.int64)
    for group in range(groups):
        group_of[first_chains[group] : first_chains[group + 1]] = group
    for row in range(record.rungs.shape[1] - 1):
        for group in range(groups):
            for k in range(rungs):
                offsets[group, k] = log_prior[k] - log_z_hats[group, k]
                occupancy[group, k], visits[group, k] = 0.0, 0
        settings = parameters, ladder, offsets, marginal, key, first + row, row
        temper_once(*settings, chains, rung, heading, group_of, single, record, scratch)
        for chain in range(count):
            group = group_of[chain]
            sums.round_trips[chain] += single.round_trips[chain]
            single.round_trips[chain] = 0
            for k in range(rungs):
                share, visit = single.occupancy[chain, k], single.visits[chain, k]
                occupancy[group, k] += share
                visits[group, k] += visit
                sums.occupancy[chain, k] += share
                sums.visits[chain, k] += visit
                single.occupancy[chain, k], single.visits[chain, k] = 0.0, 0
        for group in range(groups):
            log_z_hat = log_z_hats[group]
            if recursion.exponent[group] > 0.0:
                step_two_stages(recursion, group, t + row + 1, occupancy[group], log_z_hat)
            else:
                step_halved_factor(recursion, group, t + row + 1, visits[group], log_z_hat)
            base = log_z_hat[0]
            for k in range(rungs):
                log_z_hat[k] -= base


@kernel
def add_rung_sums(slopes: Array, curvatures: Array, values: Array, rungs: Array, sums: Array) -> None:
    """Add 1, D = d log f / d beta, D^2 and dD / d beta to `sums` (chains, 4, K), at the rung drawn given x."""
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            k = rungs[chain, sweep + 1]
            first, second = 0.0, 0.0
            for m in range(values.shape[2]):
                first += values[chain, sweep, m] * slopes[m, k]
                second += values[chain, sweep, m] * curvatures[m, k]
            sums[chain, 0, k] += 1.0
            sums[chain, 1, k] += first
            sums[chain, 2, k] += first * first
            sums[chain, 3, k] += second


@kernel
def add_weighted_slopes(readout: Array, slopes: Array, offset: Array, values: Array, sums: Array) -> None:
    """Add q(beta_k | x) and q(beta_k | x) D_k to `sums` (chains, 2, K); D_k is d log f / d beta at rung k."""
    rungs = offset.size
    q, derivative = np.empty(rungs), np.empty(rungs)
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            _normalise(readout, offset, values[chain, sweep], q)
            derivative[:] = 0.0
            carry(values[chain, sweep], slopes, derivative)
            for k in range(rungs):
                sums[chain, 0, k] += q[k]
                sums[chain, 1, k] += q[k] * derivative[k]


@kernel
def add_moves(readout: Array, offset: Array, values: Array, rungs: Array, group: Array, sums: Array) -> None:
    """Add q(beta_k | x) of each draw i to row rungs[i] of the chain's group in `sums` (groups, K, K)."""
    q = np.empty(offset.size)
    for chain in range(len(values)):
        for sweep in range(values.shape[1]):
            _normalise(readout, offset, values[chain, sweep], q)
            row = sums[group[chain], rungs[chain, sweep]]
            for k in range(q.size):
                row[k] += q[k]


@part
def _normalise(readout: Array, offset: Array, values: Array, q: Array) -> None:
    """Write q(beta_k | x) of one draw into `q` (K,)."""
    q[:] = 0.0
    carry(values, readout, q)
    largest = -np.inf
    for k in range(q.size):
        q[k] += offset[k]
        largest = max(largest, q[k])
    total = 0.0
    for k in range(q.size):
        q[k] = exp_wide(q[k] - largest)
        total += q[k]
    share = 1.0 / total
    for k in range(q.size):
        q[k] *= share
