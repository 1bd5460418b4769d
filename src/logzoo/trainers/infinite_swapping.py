"""A negative phase of swapped temperatures (Hult, Nyquist & Ringqvist 2019): what INS, PINS and PT share."""

from logzoo.checks import whole_number
from logzoo.samplers.infinite_swapping import TEMPERATURES, InfiniteSwapping
from logzoo.trainers.loop import train
from logzoo.trainers.negative import WeightedChains
from logzoo.trainers.steps import Ascent


class InfiniteSwappingPhase:
    """InfiniteSwapping that make k sweeps an update; every replica is a negative particle, weighted by eq 8."""

    def __init__(self, ladders, k):
        self.ladders = ladders
        self.k = k

    def __call__(self, parameters, update, positive, rate):
        self.ladders.load(parameters)
        chains = self.ladders.move(1 + update * self.k, 1 + (update + 1) * self.k)
        return WeightedChains(chains, self.ladders.weights)

    @property
    def spent(self):
        """Gibbs sweeps so far, summed over the chains."""
        return self.ladders.spent

    @property
    def state(self):
        """What a checkpoint holds."""
        return self.ladders.state

    def restore(self, state):
        """Go on from a `state`."""
        self.ladders.restore(state)


def train_infinite_swapping(
    data,
    group=None,
    *,
    stream,
    batch,
    k=1,
    particles=None,
    temperatures=TEMPERATURES,
    density="marginal",
    weight_decay=0.0,
    **settings,
):
    """Train with `particles` replicas (the mini-batch size by default) at each temperature, k sweeps an update.

    temperatures: rising from 1; the path tempers all parameters. density: what temperatures are handed out by, log f of
    (v, h), "joint" as published, or of v, "marginal", which varies less. group: as in `InfiniteSwapping`.
    Returns TrainingRun. Raises ValueError for impossible options.
    """
    count = whole_number("particles", batch if particles is None else particles)
    ladders = InfiniteSwapping(stream.child("sweeps").key, count, temperatures, group, density)
    negative_phase = InfiniteSwappingPhase(ladders, whole_number("k", k))
    return train(negative_phase, data, Ascent(weight_decay), stream=stream, batch=batch, **settings)
