"""What estimates cost in seconds. Times differ from run to run: nothing but pictures of time may depend on them."""

import time
from functools import partial

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
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
# Seconds after which a call is not repeated: what disturbs a long one is small beside it.
_ENOUGH = 2.0
STEPS = {"sampling": "sampling the draws", "rts": "RTS, TS and TI, from the draws", "mbar": "MBAR, from the draws"}


def estimators(artifacts, *, estimators, **settings):
    """The experiment that takes the seconds of configured estimators {name: entry} on a model."""
    runs = {
        name: (estimator(entry["method"]), estimator_options(entry, artifacts["dataset"]))
        for name, entry in estimators.items()
    }
    return cost_of_sweeps(RBM.from_dataset(artifacts["model"]), runs, **settings)


def rungs(artifacts, **settings):
    """The experiment that takes the seconds of estimates from the same draws, by the number of rungs."""
    return cost_of_rungs(RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"]), **settings)


def infinite_swapping(artifacts, *, trainings, **settings):
    """The experiment that takes the seconds of samplers on a model, and of trainings {name: settings} on its data."""
    data = visible_matrix(artifacts["dataset"], "train")
    trained = {name: partial(_train, data, entry) for name, entry in trainings.items()}
    return cost_of_swapping(RBM.from_dataset(artifacts["model"]), trainings=trained, **settings)


def _train(data, settings, updates):
    """One training of so many updates, by settings of the configuration."""
    settings = {**settings, "updates": updates, "every": updates}
    method, seed = settings.pop("method"), settings.pop("seed", 0)
    return trainer(method)(data, stream=root_stream(seed).child("train", method), progress=False, **settings)


def seconds_of(function, repeats=_REPEATS):
    """The least wall-clock seconds that a call took: what else the machine did only adds."""
    taken = []
    while len(taken) < repeats and sum(taken) < _ENOUGH:
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


def cost_of_sweeps(rbm, runs, *, budgets, chains, stream):
    """Seconds of estimators at two or more budgets: Dataset over (estimator, budget).

    runs: {name: (function, options)}. Each is run once before it is timed, so that nothing is compiled meanwhile.
    """
    seconds = np.empty((len(runs), len(budgets)))
    for row, (name, (run, options)) in enumerate(runs.items()):
        _estimate(rbm, run, min(budgets), chains, stream, options)
        for column, budget in enumerate(budgets):
            seconds[row, column] = seconds_of(partial(_estimate, rbm, run, budget, chains, stream.child(name), options))
    return xr.Dataset(
        {"seconds": labelled(("estimator", "budget"), seconds, "wall-clock time of an estimate", "s")},
        coords={
            "estimator": labelled("estimator", np.array(list(runs), dtype=object), "estimator of log Z", "1"),
            "budget": labelled("budget", np.array(budgets), "budget in Gibbs sweeps per chain", "sweep"),
        },
        attrs={"chains": chains},
    )


def _estimate(rbm, run, budget, chains, stream, options):
    run(rbm, SweepLedger(budget, chains), stream.child(budget), options)


def cost_of_swapping(rbm, samplers, trainings, *, ladders, steps, stream):
    """Seconds that a step of every sampler takes, and an update of every training, as a Dataset.

    samplers: as in `infinite_swapping.gradients`; trainings: {name: function of the number of updates}. An update is
    timed as the difference between a training and one three times as long: without what comes before the first.
    """
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    of_step, of_update = np.empty(len(samplers)), np.empty(len(trainings))
    for position, (name, settings) in enumerate(samplers.items()):
        sampler = swapped_ladders(stream.child(name).key, 1, ladders, settings)
        sampler.load(parameters)
        sampler.move(1, 2)
        of_step[position] = seconds_of(partial(sampler.move, 2, 2 + steps)) / steps
    for position, train in enumerate(trainings.values()):
        train(1)
        short, long = (seconds_of(partial(train, updates)) for updates in (steps, 3 * steps))
        of_update[position] = (long - short) / (2 * steps)
    return xr.Dataset(
        {
            "step_seconds": labelled("sampler", of_step, "wall-clock time of a step of all chains", "s"),
            "update_seconds": labelled("trainer", of_update, "wall-clock time of an update", "s"),
        },
        coords={
            "sampler": labelled("sampler", np.array(list(samplers), dtype=object), "sampler", "1"),
            "trainer": labelled("trainer", np.array(list(trainings), dtype=object), "trainer", "1"),
        },
        attrs={"steps": steps},
    )


def cost_of_rungs(rbm, base, *, ladders, samples, chains, stream):
    """Seconds of sampling `samples` draws and of the estimates from them: Dataset over (step, rungs)."""
    sweeps = -(-samples // chains)
    seconds = np.empty((len(STEPS), len(ladders)))
    for column, rungs in enumerate(ladders):
        path = stream.child(rungs)
        pilot = simulated_tempering.run(rbm, SweepLedger(20 * sweeps, chains), path, base=base, rungs=rungs)
        sampler = SimulatedTempering(kernel_parameters(rbm, base), pilot.betas, path, chains, "marginal", 1)
        offset = np.log(pilot.prior) - pilot.log_z_hat
        sampler.advance(offset, sweeps)
        kept = KeptDraws()
        kept.start(chains, rungs, sweeps)
        start = time.perf_counter()
        sampler.advance(offset, sweeps, observers=(kept,))
        seconds[0, column] = time.perf_counter() - start
        kept.finish()
        chosen = np.arange(kept.rungs.size)[None, :samples]
        seconds[1, column] = seconds_of(partial(estimates_of_samples, pilot, kept, chosen))
        seconds[2, column] = seconds_of(partial(mbar_of_sample, pilot, kept, chosen[0]), repeats=1)
    return xr.Dataset(
        {"seconds": labelled(("step", "rungs"), seconds, "wall-clock time", "s")},
        coords={
            "step": labelled("step", np.array(list(STEPS), dtype=object), "part of the work", "1"),
            "title": labelled("step", np.array(list(STEPS.values()), dtype=object), "part of the work, in words", "1"),
            "rungs": labelled("rungs", np.array(ladders), "inverse temperatures in the ladder", "1"),
        },
        attrs={"samples": samples, "chains": chains},
    )
