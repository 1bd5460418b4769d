"""SML-PT: persistent chains at many temperatures, neighbours exchanging theirs (Desjardins et al. 2010, 2011)."""

from logzoo.checks import one_of, whole_number
from logzoo.paths import inverse_temperatures, log_odds
from logzoo.trainers.loop import train
from logzoo.trainers.tempered_particles import TemperedParticles

BASES = ("visible-bias", "data")


class _NegativePhase:
    def __init__(self, key, k, count, betas, keep_bias, tracker):
        self.particles = TemperedParticles(key, k, count, betas)
        self.keep_bias = keep_bias
        self.tracker = tracker

    def __call__(self, parameters, update, positive, rate):
        if self.keep_bias:
            parameters = parameters._replace(base=parameters.visible_bias)
        self.particles.load(parameters)
        if self.tracker is not None:
            self.tracker.parameters_changed(self.particles, rate)
        steps = self.particles.move(update)
        if self.tracker is not None:
            self.tracker.particles_moved(self.particles, *steps)
        return self.particles.at_rung(self.particles.betas.size - 1)


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
    tracker=None,
    **settings,
):
    """Train by SML-PT with `particles` chains (the mini-batch size by default) at each of `rungs` temperatures.

    An update makes k sweeps of all of them, each followed by exchanges of even and odd neighbours in turn; the chains
    at beta = 1 are the negative particles. ladder: as in `logzoo.paths.inverse_temperatures`. base: "visible-bias",
    where the path tempers weights and hidden bias only (Desjardins et al. 2011); or "data", the geometric path from
    independent units with the marginals of the data. tracker: an object as in `logzoo.trackers.kalman` that follows
    log Z; the trace then holds what it says. Returns TrainingRun. Raises ValueError for impossible options.
    """
    count = whole_number("particles", batch if particles is None else particles)
    betas = inverse_temperatures(ladder, whole_number("rungs", rungs, minimum=2))
    keep_bias = one_of("base", base, BASES) == "visible-bias"
    negative_phase = _NegativePhase(stream.child("sweeps").key, whole_number("k", k), count, betas, keep_bias, tracker)
    fixed = None if keep_bias else log_odds(data)
    return train(negative_phase, data, fixed, tracker, stream=stream, batch=batch, **settings)
