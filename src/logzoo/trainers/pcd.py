"""PCD-k: contrastive divergence with chains that persist between updates (Younes 1999; Tieleman 2008)."""

import numpy as np

from logzoo.checks import whole_number
from logzoo.trainers.loop import train
from logzoo.trainers.mean_field import MeanFieldParticles
from logzoo.trainers.negative import WeightedChains
from logzoo.trainers.particles import Particles
from logzoo.trainers.steps import Ascent


class _NegativePhase(Particles):
    def __call__(self, parameters, update, positive, rate):
        if update == 0:
            self.start(parameters)
        return WeightedChains(self.move(parameters, update))


class _GreyNegativePhase(MeanFieldParticles):
    def __call__(self, parameters, update, positive, rate):
        if update == 0:
            # From the first mini-batch, over and over.
            self.place(parameters, np.resize(positive, (self.count, positive.shape[1])))
        return self.move(parameters, update)


_PHASES = {"binary": _NegativePhase, "grey": _GreyNegativePhase}


def run(data, *, stream, batch, k=1, particles=None, values="binary", weight_decay=0.0, **settings):
    """Train by PCD-k with `particles` chains (the mini-batch size by default). Returns TrainingRun.

    values: binary; or grey, for data of grey levels, with means in the place of draws of the visible units.
    """
    count = whole_number("particles", batch if particles is None else particles)
    negative_phase = _PHASES[values](stream.child("sweeps").key, whole_number("k", k), count)
    return train(negative_phase, data, Ascent(weight_decay), stream=stream, batch=batch, **settings)
