"""What an update of SML-PT costs beside its bare sweeps, and what the trackers add, as a Markdown table."""

import sys

import numpy as np
from table import Row, ratio, run, seconds_of

from logzoo import train_rbm
from logzoo.kernels.gibbs import run_sweeps
from logzoo.paths import kernel_parameters
from logzoo.trainers.tempered_particles import TemperedParticles

LADDER = {"rungs": 10, "particles": 20}
BATCH = 20
UPDATES = 60
LONG = 10_000


def training(rbm, data, updates, tracker=None):
    """A training that goes on from the RBM for so many updates, hardly changing it."""
    settings = {"batch": BATCH, "learning_rate": 1e-4, "every": 1000, "start": rbm, **LADDER}
    return lambda: train_rbm(data, "sml-pt", hidden=rbm.hidden, updates=updates, tracker=tracker, **settings)


def bare_sweeps(rbm):
    """The sweeps of as many updates, of chains that are where those of the training are."""
    parameters = kernel_parameters(rbm, rbm.visible_bias)
    particles = TemperedParticles(np.uint64(1), 1, LADDER["particles"], np.linspace(0.0, 1.0, LADDER["rungs"]))
    particles.load(parameters)
    for update in range(200):
        particles.move(update)
    beta = particles.betas[particles.replicas.rung]
    return lambda: run_sweeps(parameters, particles.key, 1000, 1000 + UPDATES, beta, particles.chains)


def rows_of(rbm):
    generator = np.random.default_rng(0)
    data = (generator.random((1000, rbm.visible)) < 0.13).astype(np.uint8)
    # What comes before the first update, and the chains' first steps, are taken off.
    short, long = (training(rbm, data, updates) for updates in (UPDATES, 2 * UPDATES))
    bare, kalman, rts = bare_sweeps(rbm), *(training(rbm, data, 2 * UPDATES, name) for name in ("kalman", "rts"))
    times = seconds_of(short, long, bare, kalman, rts)
    update = times[1] - times[0]
    yield Row("SML-PT update, 784x500, 10 x 20 chains / its bare sweeps", ratio(update, times[2]), "<=", 1.3)
    for name, seconds in (("Kalman", times[3]), ("RTS", times[4])):
        bound = 1.15 if name == "Kalman" else 1.1
        yield Row(f"the same with the {name} tracker / without", ratio(seconds, times[1]), "<=", bound)
    first, all_updates = (training(rbm, data, updates) for updates in (LONG // 10, LONG))
    times = seconds_of(first, all_updates, repeats=1)
    yield Row("10,000 updates / ten times 1,000", ratio(times[1], 10 * times[0]), "<=", 1.1)


if __name__ == "__main__":
    sys.exit(run(rows_of))
