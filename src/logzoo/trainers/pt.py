"""PT: chains at several temperatures, neighbours exchanging theirs in turn, as Hult et al. (2019) have it."""

from logzoo.samplers.infinite_swapping import IN_TURN
from logzoo.trainers.infinite_swapping import train_infinite_swapping


def run(data, **settings):
    """Train by PT; settings as in `train_infinite_swapping`. Returns TrainingRun."""
    return train_infinite_swapping(data, IN_TURN, **settings)
