"""RMSspectral: preconditioned spectral descent, negative phase by simulated tempering (Carlson et al. 2015, 2016)."""

from logzoo.trainers.simulated_tempering import train_simulated_tempering
from logzoo.trainers.steps import RMSspectral


def run(data, *, decay=0.99, epsilon=1e-3, rank=None, weight_decay=0.0, **settings):
    """Train by RMSspectral; settings as in `train_simulated_tempering`. Returns TrainingRun."""
    return train_simulated_tempering(data, RMSspectral(decay, epsilon, rank, weight_decay), **settings)
