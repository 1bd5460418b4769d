"""INS: chains at several temperatures, all handed out anew after each sweep (Hult, Nyquist & Ringqvist 2019)."""

from logzoo.trainers.infinite_swapping import train_infinite_swapping


def run(data, **settings):
    """Train by INS; settings as in `train_infinite_swapping`. Returns TrainingRun."""
    return train_infinite_swapping(data, **settings)
