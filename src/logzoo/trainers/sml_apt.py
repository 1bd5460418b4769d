"""SML-APT: SML-PT whose inverse temperatures move until replicas flow evenly (Desjardins et al. 2010b)."""

from functools import partial

from logzoo.trainers.flow import FlowLadder
from logzoo.trainers.parallel_tempering import train_parallel_tempering


def run(data, *, ladder_rate=1e-3, spawn_below=None, as_published=False, **settings):
    """Train by SML-APT; settings as in `train_parallel_tempering`, the ladder to start from.

    ladder_rate, spawn_below: rate of the ladder, and the mean exchange rate below which it gains a rung (None: never);
    as_published: feed back the flow as it is. All as in `logzoo.trainers.flow.FlowLadder`. Returns TrainingRun. Raises
    ValueError for impossible options.
    """
    flow_of = partial(FlowLadder, rate=ladder_rate, spawn_below=spawn_below, as_published=as_published)
    return train_parallel_tempering(data, flow_of, **settings)
