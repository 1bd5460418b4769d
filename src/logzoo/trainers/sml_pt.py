"""SML-PT: persistent chains at many temperatures, neighbours exchanging theirs (Desjardins et al. 2010, 2011)."""

from logzoo.trainers.parallel_tempering import train_parallel_tempering


def run(data, **settings):
    """Train by SML-PT; settings as in `train_parallel_tempering`. Returns TrainingRun."""
    return train_parallel_tempering(data, **settings)
