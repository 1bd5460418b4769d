"""PINS: infinite swapping within groups of neighbouring temperatures, those of every second sweep shifted by half."""

from logzoo.checks import whole_number
from logzoo.trainers.infinite_swapping import train_infinite_swapping


def run(data, *, group=3, **settings):
    """Train by PINS, `group` temperatures to a group; settings as in `train_infinite_swapping`.

    Returns TrainingRun.
    """
    return train_infinite_swapping(data, whole_number("group", group, minimum=2), **settings)
