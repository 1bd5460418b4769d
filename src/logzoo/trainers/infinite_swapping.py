"""INS, PINS and PT: chains at several temperatures, reassigned after each sweep (Hult et al. 2019)."""

from logzoo.checks import whole_number
from logzoo.samplers.replicas import IN_TURN, TEMPERATURES, InfiniteSwapping
from logzoo.trainers.loop import train
from logzoo.trainers.negative import WeightedChains


class InfiniteSwappingPhase(InfiniteSwapping):
    """InfiniteSwapping that makes k sweeps an update; every replica is a negative particle, weighted by eq 8."""

    def __init__(self, k, *settings):
        super().__init__(*settings)
        self.k = k

    def __call__(self, parameters, update, positive, rate):
        self.load(parameters)
        chains = self.move(1 + update * self.k, 1 + (update + 1) * self.k)
        return WeightedChains(chains, self.weights)  # pyright: ignore[reportArgumentType]


def train_infinite_swapping(
    data, group=None, *, stream, batch, k=1, particles=None, temperatures=TEMPERATURES, density="marginal", **settings
):
    """Train with `particles` replicas (the mini-batch size by default) at each temperature, k sweeps an update.

    temperatures: rising from 1; the path tempers all parameters. density: what temperatures are reassigned by, log f of
    (v, h), "joint" as published, or of v, "marginal", which varies less. group: as in `InfiniteSwapping`.
    Returns TrainingRun. Raises ValueError for impossible options. This is INS: all temperatures in one group.
    """
    count = whole_number("particles", batch if particles is None else particles)
    ladders = stream.child("sweeps").key, count, temperatures, group, density
    negative_phase = InfiniteSwappingPhase(whole_number("k", k), *ladders)
    return train(negative_phase, data, stream=stream, batch=batch, **settings)


def pins(data, *, group=3, **settings):
    """Train by PINS, `group` neighbouring temperatures to a group; settings as in `train_infinite_swapping`.

    In every second sweep the groups are shifted by half of one. Returns TrainingRun.
    """
    return train_infinite_swapping(data, whole_number("group", group, minimum=2), **settings)


def pt(data, **settings):
    """Train by PT, neighbours exchanging in turn (Hult et al. 2019); settings as in `train_infinite_swapping`."""
    return train_infinite_swapping(data, IN_TURN, **settings)
