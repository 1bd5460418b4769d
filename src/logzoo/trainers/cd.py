"""CD-k: contrastive divergence, k sweeps from the mini-batch itself (Hinton 2002)."""

from logzoo.checks import whole_number
from logzoo.trainers.loop import train
from logzoo.trainers.particles import Particles


class _NegativePhase:
    def __init__(self, key, k, batch):
        self.particles = Particles(key, k, batch)

    def __call__(self, parameters, update, positive, rate):
        self.particles.place(parameters, positive)
        return self.particles.move(parameters, update)


def run(data, *, stream, batch, k=1, **settings):
    """Train by CD-k; settings as in `logzoo.trainers.loop.train`. Returns TrainingRun."""
    negative_phase = _NegativePhase(stream.child("sweeps").key, whole_number("k", k), batch)
    return train(negative_phase, data, stream=stream, batch=batch, **settings)
