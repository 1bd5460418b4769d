"""What an update of SML-PT costs beside its bare sweeps, and what the trackers add, as a Markdown table."""

import sys
import time

import numpy as np
from table import Row, run, seconds_of

from logzoo import train_rbm
from logzoo.kernels.gibbs import forget_hidden, run_sweeps
from logzoo.kernels.layout import fixed_point_parameters
from logzoo.paths import kernel_parameters
from logzoo.trainers.tempered_particles import TemperedParticles

LADDER = {"rungs": 10, "particles": 20}
BATCH = 20
UPDATES = 20
LONG = 10_000
# Many short pieces: whoever else is on the machine leaves some of them alone.
REPEATS = 40
# Of this process, which has one thread: others on the machine make it wait, which is none of an update's cost. Ratios
# are of minima over repeats, as the others slow each down by what they do to its caches.
CLOCK = time.process_time


def training(rbm, data, updates, tracker=None):
    """A training that goes on from the RBM for so many updates, hardly changing it."""
    settings = {"batch": BATCH, "learning_rate": 1e-4, "every": 1000, "start": rbm, **LADDER}
    return lambda: train_rbm(data, "sml-pt", hidden=rbm.hidden, updates=updates, tracker=tracker, **settings)


def warm_particles(rbm):
    """Chains that are where those of the training are."""
    particles = TemperedParticles(np.uint64(1), 1, LADDER["particles"], np.linspace(0.0, 1.0, LADDER["rungs"]))
    particles.load(kernel_parameters(rbm, rbm.visible_bias))
    for update in range(200):
        particles.move(update)
    return particles, particles.betas[particles.replicas.rung]


def bare_sweeps(rbm):
    """The sweeps of as many updates under parameters that stay: each follows the units that flip."""
    particles, beta = warm_particles(rbm)
    return lambda: run_sweeps(particles.parameters, particles.key, 1000, 1000 + UPDATES, beta, particles.chains)


def sweeps_under_new_parameters(rbm):
    """The same sweeps, each under parameters that have changed: rounded, laid out, and all inputs computed afresh."""
    particles, beta = warm_particles(rbm)
    # In float32, as those of a training, and far enough apart that rounding tells them apart.
    models = [
        [np.float32(scale) * np.float32(array) for array in (rbm.weights, rbm.visible_bias, rbm.hidden_bias)]
        for scale in (1.0, 1.0001)
    ]

    def sweeps():
        parameters = None
        for update in range(UPDATES):
            weights, visible_bias, hidden_bias = models[update % 2]
            parameters = fixed_point_parameters(weights, visible_bias, hidden_bias, visible_bias, into=parameters)
            forget_hidden(parameters, particles.chains)
            run_sweeps(parameters, particles.key, 1000 + update, 1001 + update, beta, particles.chains)

    return sweeps


def rows_of(rbm):
    generator = np.random.default_rng(0)
    data = (generator.random((1000, rbm.visible)) < 0.13).astype(np.uint8)
    lengths, trackers = (UPDATES, 3 * UPDATES), (None, "kalman", "rts")
    trainings = [training(rbm, data, updates, tracker) for tracker in trackers for updates in lengths]
    bare = sweeps_under_new_parameters(rbm), bare_sweeps(rbm)
    least = seconds_of(*trainings, *bare, repeats=REPEATS, clock=CLOCK).min(axis=1)
    # What comes before the first update, and the chains' first steps, are taken off.
    update, kalman, rts = 0.5 * np.diff(least[:6].reshape(3, 2))[:, 0]
    what = "SML-PT update, 784x500, 10 x 20 chains / its bare sweeps"
    yield Row(f"{what}, parameters new for each", update / least[6], "<=", 1.3)
    yield Row(f"{what}, parameters that stay", update / least[7], "<=", 1.3)
    yield Row("the same with the Kalman tracker / without", kalman / update, "<=", 1.15)
    yield Row("the same with the RTS tracker / without", rts / update, "<=", 1.1)
    first, all_updates = (training(rbm, data, updates) for updates in (LONG // 10, LONG))
    times = seconds_of(first, all_updates, repeats=1, clock=CLOCK)[:, 0]
    yield Row("10,000 updates / ten times 1,000", times[1] / (10 * times[0]), "<=", 1.1)


if __name__ == "__main__":
    sys.exit(run(rows_of))
