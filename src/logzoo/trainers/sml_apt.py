"""SML-APT: SML-PT whose inverse temperatures move until replicas flow evenly (Desjardins et al. 2010b)."""

from logzoo.checks import whole_number
from logzoo.paths import inverse_temperatures
from logzoo.trainers.flow import FlowLadder
from logzoo.trainers.loop import train
from logzoo.trainers.sml_pt import TemperedPhase, tempered_chains
from logzoo.trainers.steps import Ascent


def run(
    data,
    *,
    stream,
    batch,
    k=1,
    particles=None,
    rungs=10,
    ladder="linear",
    base="visible-bias",
    ladder_rate=1e-3,
    spawn_below=None,
    tracker=None,
    weight_decay=0.0,
    **settings,
):
    """Train by SML-APT; options as in `logzoo.trainers.sml_pt.run`, the ladder being the one to start from.

    ladder_rate, spawn_below: rate of the ladder, and the mean exchange rate below which it gains a rung (None: never),
    as in `logzoo.trainers.flow.FlowLadder`. Returns TrainingRun. Raises ValueError for impossible options.
    """
    betas = inverse_temperatures(ladder, whole_number("rungs", rungs, minimum=2))
    chains, keep_bias, fixed = tempered_chains(data, stream, batch, k, particles, betas, base)
    flow = FlowLadder(betas, ladder_rate, k=k, spawn_below=spawn_below)
    negative_phase = TemperedPhase(chains, keep_bias, tracker, flow)
    return train(negative_phase, data, Ascent(weight_decay), fixed, tracker, stream=stream, batch=batch, **settings)
