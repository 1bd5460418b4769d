"""PT: chains at several temperatures, neighbours exchanging theirs in turn, as Hult et al. (2019) have it."""

from logzoo.samplers.swapping import IN_TURN
from logzoo.trainers.swapped_phase import train_swapped


def run(data, **settings):
    """Train by PT; settings as in `logzoo.trainers.swapped_phase.train_swapped`. Returns TrainingRun."""
    return train_swapped(data, IN_TURN, **settings)
