"""RMSprop with a negative phase of simulated tempering: what RMSspectral is compared with."""

from logzoo.trainers.simulated import train_simulated
from logzoo.trainers.steps import RMSprop


def run(data, *, decay=0.99, epsilon=1e-3, weight_decay=0.0, **settings):
    """Train by RMSprop; settings as in `logzoo.trainers.simulated.train_simulated`. Returns TrainingRun."""
    return train_simulated(data, RMSprop(decay, epsilon, weight_decay), **settings)
