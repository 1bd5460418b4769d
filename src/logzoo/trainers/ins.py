"""INS: chains at several temperatures that infinite swapping hands out anew after each sweep (Hult et al. 2019).

Every replica is a negative particle, weighted with the probability that it holds the temperature 1 (eq 8). PINS: within
small groups of temperatures, two partitions into groups in turn.
"""

import numpy as np

from logzoo.checks import finite_array, whole_number
from logzoo.kernels.assignments import LARGEST
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.infinite_swapping import run_infinite_swapping
from logzoo.kernels.layout import new_chains
from logzoo.trainers.loop import train
from logzoo.trainers.steps import Ascent

TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 5.0)


class _NegativePhase:
    def __init__(self, key, k, count, betas, partitions):
        self.key = key
        self.k = k
        self.count = count
        self.betas = betas.astype(np.float32)
        self.partitions = partitions
        self.rung = np.tile(np.arange(betas.size), count)
        self.shares = np.zeros(self.rung.size)
        self.chains = None
        self.spent = 0  # Gibbs sweeps so far, summed over the chains

    def __call__(self, parameters, update, positive, rate):
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.rung.size, visible, hidden)
            start_chains(parameters, self.key, parameters.visible_bias, self.chains)
        forget_hidden(parameters, self.chains)
        ends = 1 + update * self.k, 1 + (update + 1) * self.k
        state = self.partitions, self.chains, self.rung, self.shares
        run_infinite_swapping(parameters, self.betas, self.key, *ends, *state)
        self.spent += self.k * self.rung.size
        return self.chains, self.shares / self.count

    @property
    def state(self):
        """What a checkpoint holds."""
        return {"v": self.chains.v, "h": self.chains.h, "rung": self.rung, "spent": np.array(self.spent)}

    def restore(self, state):
        """Go on from a `state`."""
        self.rung, self.spent = state["rung"], int(state["spent"])
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]


def run(
    data, *, stream, batch, k=1, particles=None, temperatures=TEMPERATURES, group=None, weight_decay=0.0, **settings
):
    """Train by INS with `particles` replicas (the mini-batch size by default) at each temperature, k sweeps an update.

    temperatures: increasing from 1; the path tempers all parameters. group: temperatures that swap among themselves
    (PINS), the groups of every second sweep shifted by half of one; None for all. Returns TrainingRun. Raises
    ValueError for impossible options.
    """
    temperatures = finite_array("temperatures", temperatures, dimensions=1)
    if temperatures[0] != 1.0 or np.any(np.diff(temperatures) <= 0.0):
        raise ValueError(f"temperatures: expected numbers that increase from 1, found {temperatures.tolist()}")
    size = temperatures.size if group is None else whole_number("group", group, minimum=2)
    if min(size, temperatures.size) > LARGEST:
        raise ValueError(f"group: expected at most {LARGEST} temperatures that swap together, found {size}")
    count = whole_number("particles", batch if particles is None else particles)
    betas = np.sort(1.0 / temperatures)
    key = stream.child("sweeps").key
    negative_phase = _NegativePhase(key, whole_number("k", k), count, betas, partitions_of(betas.size, size))
    return train(negative_phase, data, Ascent(weight_decay), stream=stream, batch=batch, **settings)


def partitions_of(rungs, size):
    """Groups (partition, rung) of `size` neighbouring rungs; a second partition, shifted by half, unless one is all."""
    if size >= rungs:
        return np.zeros((1, rungs), np.int64)
    rung = np.arange(rungs)
    return np.stack([rung // size, (rung + size // 2) // size])
