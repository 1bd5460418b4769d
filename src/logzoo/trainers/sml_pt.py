"""SML-PT: persistent chains at many temperatures, neighbours exchanging theirs (Desjardins et al. 2010, 2011)."""

from logzoo.trainers.tempered_phase import train_tempered


def run(data, **settings):
    """Train by SML-PT; settings as in `logzoo.trainers.tempered_phase.train_tempered`. Returns TrainingRun."""
    return train_tempered(data, **settings)
