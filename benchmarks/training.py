"""Cost of an update of SML-PT relative to its sweeps, and of the trackers, as a Markdown table."""

import sys
import time

import numpy as np
from table import Row, run

from logzoo import train_rbm
from logzoo.kernels.fixed_point import fixed_point_parameters
from logzoo.kernels.gibbs import forget_hidden, run_sweeps
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import ParallelTempering
from logzoo.training.trackers import KalmanTracker, RtsTracker

LADDER = {"rungs": 10, "particles": 20}
BATCH = 20
# Timed updates of a piece, and untimed updates before them, in which the chains leave the base.
UPDATES, BEFORE = 40, 20
PIECES = 20
LONG = 10_000
# Percentile of the seconds of updates. Other processes delay most updates of a few milliseconds, but not all.
PERCENTILE = 5
# CPU seconds of this process, which has one thread.
CLOCK = time.process_time


class Untracked(KalmanTracker):
    """A tracker that does nothing. A training takes only trackers of the library and their subclasses."""

    all_pairs = all_rungs = False
    columns = reading = {}

    def parameters_changed(self, particles, learning_rate):
        """Nothing to do."""

    def particles_moved(self, particles, exchanges):
        """Nothing to do."""


def updates_of(rbm, data, kind):
    """A function that trains the RBM at a tiny learning rate, and returns the seconds of single updates."""
    stamps = []

    class Stamped(kind):
        def parameters_changed(self, particles, learning_rate):
            stamps.append(CLOCK())
            super().parameters_changed(particles, learning_rate)

    def seconds():
        stamps.clear()
        train(rbm, data, BEFORE + UPDATES + 1, Stamped())
        return np.diff(stamps)[BEFORE:]

    return seconds


def train(rbm, data, updates, tracker=None):
    """Train from the RBM, with `updates` updates at a tiny learning rate."""
    settings = {"batch": BATCH, "learning_rate": 1e-4, "every": 1000, "start": rbm, **LADDER}
    train_rbm(data, "sml-pt", hidden=rbm.hidden, updates=updates, tracker=tracker, **settings)


def sweeps_of(rbm, changing):
    """A function that makes the sweeps of updates, and returns the seconds of each.

    changing: each sweep has new parameters, which are rounded and laid out, and all inputs are computed again.
    Otherwise a sweep only updates the inputs for units that flip.
    """
    particles = ParallelTempering(np.uint64(1), LADDER["particles"], np.linspace(0.0, 1.0, LADDER["rungs"]))
    particles.load(kernel_parameters(rbm, rbm.visible_bias))
    for update in range(200):
        particles.move(1 + update, 2 + update)
    beta = particles.betas[particles.replicas.rung]
    # In float32, as in a training, and different enough that rounding does not make them equal.
    arrays = rbm.weights, rbm.visible_bias, rbm.hidden_bias
    models = [[np.float32(scale) * np.float32(array) for array in arrays] for scale in (1.0, 1.0001)]

    def seconds():
        parameters, taken = particles.parameters, np.empty(UPDATES)
        for update in range(UPDATES):
            start = CLOCK()
            if changing:
                weights, visible_bias, hidden_bias = models[update % 2]
                parameters = fixed_point_parameters(weights, visible_bias, hidden_bias, visible_bias, into=parameters)
                forget_hidden(parameters, particles.chains)
            run_sweeps(parameters, particles.key, 1000 + update, 1001 + update, beta, particles.chains)
            taken[update] = CLOCK() - start
        return taken

    return seconds


def rows_of(rbm):
    generator = np.random.default_rng(0)
    data = (generator.random((1000, rbm.visible)) < 0.13).astype(np.uint8)
    trained = [updates_of(rbm, data, kind) for kind in (Untracked, KalmanTracker, RtsTracker)]
    functions = *trained, sweeps_of(rbm, changing=True), sweeps_of(rbm, changing=False)
    # The functions are timed in turn, after a warm-up.
    pieces = [[function() for function in functions] for _ in range(1 + PIECES)][1:]
    update, kalman, rts, new, fixed = np.percentile(pieces, PERCENTILE, axis=(0, 2))
    what = "SML-PT update, 784x500, 10 x 20 chains / its bare sweeps"
    yield Row(f"{what}, parameters new for each", update / new, "<=", 1.3)
    yield Row(f"{what}, parameters that stay", update / fixed, "<=", 1.3)
    yield Row("the same with the Kalman tracker / without", kalman / update, "<=", 1.15)
    yield Row("the same with the RTS tracker / without", rts / update, "<=", 1.1)
    short, long = (seconds_of_training(rbm, data, updates) for updates in (LONG // 10, LONG))
    yield Row("10,000 updates / ten times 1,000", long / (10 * short), "<=", 1.1)


def seconds_of_training(rbm, data, updates):
    start = CLOCK()
    train(rbm, data, updates)
    return CLOCK() - start


if __name__ == "__main__":
    sys.exit(run(rows_of))
