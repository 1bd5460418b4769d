"""INS: chains at several temperatures, all handed out anew after each sweep (Hult, Nyquist & Ringqvist 2019)."""

from logzoo.trainers.swapped_phase import train_swapped


def run(data, **settings):
    """Train by INS; settings as in `logzoo.trainers.swapped_phase.train_swapped`. Returns TrainingRun."""
    return train_swapped(data, **settings)
