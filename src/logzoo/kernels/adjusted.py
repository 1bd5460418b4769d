"""Simulated tempering of groups of chains, each with a log Zhat that moves after every sweep.

Groups are numbered from 0 in every call; `first_chains` (G + 1,) has the first chain of each, and their number at the
end.
"""

from typing import NamedTuple

import numpy as np

from logzoo.kernels.compiled import kernel, part
from logzoo.kernels.elementary import copy_into
from logzoo.kernels.sams import step_two_stages
from logzoo.kernels.simulated_tempering import RungSums, temper_once, tempering_scratch
from logzoo.kernels.wang_landau import step_halved_factor


class GroupScratch(NamedTuple):
    """What sweeps of groups work with."""

    tempering: tuple  # of `tempering_scratch`
    offsets: np.ndarray  # (G, K)
    group: np.ndarray  # (chains,) int64
    sums: tuple  # RungSums of the chains in one sweep
    occupancy: np.ndarray  # (G, K) float64: sums over the chains of a group in one sweep
    visits: np.ndarray  # (G, K) int64


@part
def group_scratch(ladder, first_chains, chains):
    """Scratch for sweeps of these groups."""
    groups, rungs, count = first_chains.size - 1, ladder.betas.size, chains.v.shape[0]
    group = np.empty(count, np.int64)
    for number in range(groups):
        for chain in range(first_chains[number], first_chains[number + 1]):
            group[chain] = number
    return GroupScratch(
        tempering_scratch(ladder, chains),
        np.empty((groups, rungs)),
        group,
        RungSums(np.zeros((count, rungs)), np.zeros((count, rungs), np.int64), np.zeros(count, np.int64)),
        np.empty((groups, rungs)),
        np.empty((groups, rungs), np.int64),
    )


@kernel(nogil=True)
def run_adjusted(
    parameters,
    ladder,
    marginal,
    key,
    first,
    t,
    log_prior,
    first_chains,
    chains,
    rung,
    heading,
    sums,
    record,
    log_z_hats,
    sams,
    wang_landau,
):
    """Sweeps of simulated tempering, as many as the record holds, from number `first`, each at log Zhat (G, K).

    After each, a step of the recursion moves log Zhat: that of SAMS, or of Wang-Landau where the state of SAMS has no
    groups. t: the steps that were made before.
    """
    scratch = group_scratch(ladder, first_chains, chains)
    copy_into(record.rungs[:, 0], rung)
    offsets, single, occupancy, visits = scratch.offsets, scratch.sums, scratch.occupancy, scratch.visits
    groups, rungs = offsets.shape
    for place in range(record.rungs.shape[1] - 1):
        for group in range(groups):
            for k in range(rungs):
                offsets[group, k] = log_prior[k] - log_z_hats[group, k]
                occupancy[group, k], visits[group, k] = 0.0, 0
        settings = parameters, ladder, offsets, marginal, key, first + place, place
        temper_once(*settings, chains, rung, heading, scratch.group, single, record, scratch.tempering)
        for chain in range(rung.size):
            group = scratch.group[chain]
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
            if len(sams.second):
                step_two_stages(sams, group, t + place + 1, occupancy[group], log_z_hat)
            else:
                step_halved_factor(wang_landau, group, t + place + 1, visits[group], log_z_hat)
            base = log_z_hat[0]
            for k in range(rungs):
                log_z_hat[k] -= base
