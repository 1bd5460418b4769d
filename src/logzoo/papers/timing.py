"""What estimates cost in seconds. Times differ from run to run: nothing but pictures of time may depend on them."""

import time
from functools import partial

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import coordinate, labelled
from logzoo.budgets import SweepLedger
from logzoo.datasets.build import visible_matrix
from logzoo.estimators.registry import estimator
from logzoo.models.rbm import RBM
from logzoo.papers.configured import estimator_options, matched_base
from logzoo.papers.infinite_swapping.gradients import swapped_ladders
from logzoo.papers.rts.rungs import KeptDraws, estimates_of_samples, mbar_of_sample
from logzoo.paths import kernel_parameters
from logzoo.samplers import simulated_tempering
from logzoo.samplers.simulated_tempering import SimulatedTempering
from logzoo.streams import root_stream
from logzoo.trainers.registry import trainer

_REPEATS = 3
# Timings of the parts of figure 4, each of draws of its own.
_TIMINGS = 5
# Seconds after which a call is not repeated: what disturbs a long one is small beside it.
_ENOUGH = 2.0
STEPS = {"sampling": "sampling the draws", "rts": "RTS, TS and TI, from the draws", "mbar": "MBAR, from the draws"}


def seconds_of(function, repeats=_REPEATS):
    """The least wall-clock seconds that a call took: what else the machine did only adds."""
    taken = []
    while len(taken) < repeats and sum(taken) < _ENOUGH:
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


def estimators(artifacts, *, estimators, budgets, chains, stream):
    """Seconds of configured estimators {name: entry} on a model, at two or more budgets: Dataset (estimator, budget).

    Each is run once before it is timed, so that nothing is compiled meanwhile.
    """
    rbm = RBM.from_dataset(artifacts["model"])

    def estimate(entry, options, budget, path):
        estimator(entry["method"])(rbm, SweepLedger(budget, chains), path.child(budget), options)

    seconds = np.empty((len(estimators), len(budgets)))
    for row, (name, entry) in enumerate(estimators.items()):
        options = estimator_options(entry, artifacts["dataset"])
        estimate(entry, options, min(budgets), stream)
        for column, budget in enumerate(budgets):
            seconds[row, column] = seconds_of(partial(estimate, entry, options, budget, stream.child(name)))
    return xr.Dataset(
        {"seconds": labelled(("estimator", "budget"), seconds, "wall-clock time of an estimate", "s")},
        coords={
            "estimator": coordinate("estimator", estimators, "estimator of log Z"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
        },
        attrs={"chains": chains},
    )


def infinite_swapping(artifacts, *, samplers, trainings, ladders, steps, stream):
    """Seconds that a step of every sampler takes on a model, and an update of every training on its data, as a Dataset.

    samplers: as in `infinite_swapping.gradients`; trainings: {name: settings}. An update is timed as the difference
    between a training and one three times as long: without what comes before the first.
    """
    rbm, data = RBM.from_dataset(artifacts["model"]), visible_matrix(artifacts["dataset"], "train")
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    of_step, of_update = np.empty(len(samplers)), np.empty(len(trainings))
    for position, (name, settings) in enumerate(samplers.items()):
        sampler = swapped_ladders(stream.child(name).key, 1, ladders, settings)
        sampler.load(parameters)
        sampler.move(1, 2)
        of_step[position] = seconds_of(partial(sampler.move, 2, 2 + steps)) / steps
    for position, settings in enumerate(trainings.values()):
        _train(data, settings, 1)
        short, long = (seconds_of(partial(_train, data, settings, updates)) for updates in (steps, 3 * steps))
        of_update[position] = (long - short) / (2 * steps)
    return xr.Dataset(
        {
            "step_seconds": labelled("sampler", of_step, "wall-clock time of a step of all chains", "s"),
            "update_seconds": labelled("trainer", of_update, "wall-clock time of an update", "s"),
        },
        coords={
            "sampler": coordinate("sampler", samplers, "sampler"),
            "trainer": coordinate("trainer", trainings, "trainer"),
        },
        attrs={"steps": steps},
    )


def _train(data, settings, updates):
    """One training of so many updates, by settings of the configuration."""
    settings = {**settings, "updates": updates, "every": updates}
    method, seed = settings.pop("method"), settings.pop("seed", 0)
    return trainer(method)(data, stream=root_stream(seed).child("train", method), progress=False, **settings)


def rungs(artifacts, *, ladders, samples, chains, stream):
    """Seconds of sampling `samples` draws and of the estimates from them: Dataset over (step, rungs, repeat)."""
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    sweeps = -(-samples // chains)
    seconds = np.empty((len(STEPS), len(ladders), _TIMINGS))
    for column, rungs in enumerate(ladders):
        path = stream.child(rungs)
        pilot = simulated_tempering.run(rbm, SweepLedger(20 * sweeps, chains), path, base=base, rungs=rungs)
        sampler = SimulatedTempering(
            kernel_parameters(rbm, base), pilot.betas, SweepLedger(None, chains), path, "marginal", 1
        )
        offset = np.log(pilot.prior) - pilot.log_z_hat
        sampler.advance(offset, sweeps, "start")
        for repeat in range(_TIMINGS):
            kept = KeptDraws()
            kept.start(chains, rungs, sweeps)
            seconds[0, column, repeat] = seconds_of(partial(sampler.advance, offset, sweeps, "timed", (kept,)), 1)
            kept.finish()
            chosen = np.arange(kept.rungs.size)[None, :samples]
            seconds[1, column, repeat] = seconds_of(partial(estimates_of_samples, pilot, kept, chosen), 1)
            seconds[2, column, repeat] = seconds_of(partial(mbar_of_sample, pilot, kept, chosen[0]), 1)
    return xr.Dataset(
        {"seconds": labelled(("step", "rungs", "repeat"), seconds, "wall-clock time", "s")},
        coords={
            "step": coordinate("step", STEPS, "part of the work"),
            "title": coordinate("step", STEPS.values(), "part of the work, in words"),
            "rungs": coordinate("rungs", ladders, "inverse temperatures in the ladder"),
            "repeat": coordinate("repeat", range(_TIMINGS), "timing, each of fresh draws"),
        },
        attrs={"samples": samples, "chains": chains},
    )
