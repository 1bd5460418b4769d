"""CD-k: contrastive divergence, k sweeps from the mini-batch itself (Hinton 2002)."""

from logzoo.checks import whole_number
from logzoo.trainers.loop import train
from logzoo.trainers.mean_field import MeanFieldParticles
from logzoo.trainers.negative import WeightedChains
from logzoo.trainers.particles import Particles
from logzoo.trainers.steps import Ascent


class _NegativePhase(Particles):
    def __call__(self, parameters, update, positive, rate):
        self.place(parameters, positive)
        return WeightedChains(self.move(parameters, update))


class _GreyNegativePhase(MeanFieldParticles):
    def __call__(self, parameters, update, positive, rate):
        self.place(parameters, positive)
        return self.move(parameters, update)


PHASES = {"binary": _NegativePhase, "grey": _GreyNegativePhase}


def run(data, *, stream, batch, k=1, values="binary", weight_decay=0.0, **settings):
    """Train by CD-k; settings as in `logzoo.trainers.loop.train`. Returns TrainingRun.

    values: binary; or grey, for data of grey levels, with means in the place of draws of the visible units.
    """
    negative_phase = PHASES[values](stream.child("sweeps").key, whole_number("k", k), batch)
    return train(negative_phase, data, Ascent(weight_decay), stream=stream, batch=batch, **settings)
