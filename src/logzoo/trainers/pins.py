"""PINS: infinite swapping within groups of neighbouring temperatures, those of every second sweep shifted by half."""

from logzoo.checks import whole_number
from logzoo.trainers.swapped_phase import train_swapped


def run(data, *, group=3, **settings):
    """Train by PINS, `group` temperatures to a group; settings as in `logzoo.trainers.swapped_phase.train_swapped`.

    Returns TrainingRun.
    """
    return train_swapped(data, whole_number("group", group, minimum=2), **settings)
