"""RMSprop with a negative phase of simulated tempering: what RMSspectral is compared with."""

from logzoo.trainers.simulated_tempering import train_simulated_tempering
from logzoo.trainers.steps import RMSprop


def run(data, *, decay=0.99, epsilon=1e-3, weight_decay=0.0, **settings):
    """Train by RMSprop; settings as in `train_simulated_tempering`. Returns TrainingRun."""
    return train_simulated_tempering(data, RMSprop(decay, epsilon, weight_decay), **settings)
