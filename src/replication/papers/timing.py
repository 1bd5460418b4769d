"""CPU seconds of estimates, samplers and trainings.

The timed work runs in one thread. CPU seconds leave out the time that a job waits for a core.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.datasets.build import visible_matrix
from logzoo.estimators.estimator_registry import estimator, find
from logzoo.io.schema import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers import tempering_runs
from logzoo.samplers.tempering_chains import SimulatedTempering
from logzoo.streams import root_stream
from logzoo.training.trackers import tracker
from logzoo.training.trainers import TRACKERS, trainer
from replication.papers.configured import estimator_options, matched_base
from replication.papers.experiment import TIMINGS
from replication.papers.infinite_swapping.ins_runs import swapped_ladders
from replication.papers.rts.rungs import StoredDraws, estimates_of_samples, mbar_of_sample
from replication.types import Artifacts, Settings, Stream

# No call beyond `fewest` follows after this many seconds in total, because other load changes longer timings little.
_ENOUGH = 0.5
STEPS = {"sampling": "sampling the draws", "rts": "RTS, TS and TI, from the draws", "mbar": "MBAR, from the draws"}


def seconds_of(function: Callable, repeats: int, fewest: int = 1) -> float:
    """CPU seconds of the fastest call, because other load only lengthens a call.

    The function is called at least `fewest` times. Calls stop after `repeats` calls or half a second in total.
    """
    taken = []
    while len(taken) < fewest or (len(taken) < repeats and sum(taken) < _ENOUGH):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def estimators(
    artifacts: Artifacts,
    *,
    estimators: Mapping[str, Settings],
    budgets: Sequence[int],
    chains: int,
    repeats: int,
    stream: Stream,
) -> xr.Dataset:
    """CPU seconds of estimators {name: entry} on a model, as a Dataset over (estimator, budget).

    repeats: largest number of calls at a budget. The first budget is timed at least twice, because the first call
    compiles or loads machine code. Estimators without draws are timed at one budget only.
    """
    rbm = RBM.from_dataset(artifacts["model"])

    def estimate(name, budget):
        run = estimator(estimators[name]["method"])
        run(rbm, SweepLedger(budget, chains), stream.child(name, budget), options[name])

    seconds = np.empty((len(estimators), len(budgets)))
    options = estimator_options(estimators, artifacts["dataset"])
    for row, (name, entry) in enumerate(estimators.items()):
        timed = budgets if find(entry["method"]).drawn else budgets[:1]
        seconds[row] = [
            seconds_of(partial(estimate, name, budget), repeats, fewest=1 if number else 2)
            for number, budget in enumerate(timed)
        ]
    return xr.Dataset(
        {"seconds": labelled(("estimator", "budget"), seconds, "CPU time of an estimate", "s")},
        coords={
            "estimator": coordinate("estimator", estimators, "estimator of log Z"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
        },
        attrs={"chains": chains},
    )


def infinite_swapping(
    artifacts: Artifacts,
    *,
    samplers: Mapping[str, Settings],
    trainings: Mapping[str, Settings],
    ladders: int,
    steps: int,
    stream: Stream,
) -> xr.Dataset:
    """CPU seconds of a step of each sampler on a model, and of an update by each trainer on a data set."""
    rbm, data = RBM.from_dataset(artifacts["model"]), visible_matrix(artifacts["dataset"], "train")
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    ready = [swapped_ladders(stream.child(name).key, 1, ladders, settings) for name, settings in samplers.items()]
    for sampler in ready:
        sampler.load(parameters)
        sampler.move(1, 2)
    moves = [partial(sampler.move, 2, 2 + steps) for sampler in ready]
    of_step, of_update = _timed_in_turn(moves) / steps, _seconds_of_updates(data, trainings.values(), steps)
    return xr.Dataset(
        {
            "step_seconds": labelled(("sampler", "repeat"), of_step, "CPU time of a step of all chains", "s"),
            "update_seconds": labelled(("trainer", "repeat"), of_update, "CPU time of an update", "s"),
        },
        coords={
            "sampler": coordinate("sampler", samplers, "sampler"),
            "trainer": coordinate("trainer", trainings, "trainer"),
            "repeat": coordinate("repeat", range(TIMINGS), "timing"),
        },
        attrs={"steps": steps},
    )


def trackers(artifacts: Artifacts, *, train: Settings, updates: int, stream: Stream) -> xr.Dataset:
    """CPU seconds of an SML-PT update without a tracker and with each tracker, as a Dataset over (tracker, repeat)."""
    data = visible_matrix(artifacts["dataset"], "train")
    settings = {**train, "method": "sml-pt", "seed": str(stream)}
    kinds = {"none": settings, **{name: {**settings, "tracker": name} for name in TRACKERS}}
    seconds = _seconds_of_updates(data, kinds.values(), updates)
    return xr.Dataset(
        {"seconds": labelled(("tracker", "repeat"), seconds, "CPU time of an update", "s")},
        coords={
            "tracker": coordinate("tracker", kinds, "tracker of log Z"),
            "repeat": coordinate("repeat", range(TIMINGS), "timing"),
        },
        attrs={"updates": updates},
    )


def _seconds_of_updates(data, trainings, updates):
    """CPU seconds (training, repeat) of an update.

    Two trainings are timed for each of `trainings`, the second with three times the updates of the first. The
    difference in seconds is divided by the difference in updates, which cancels the fixed cost of a training.
    """
    for settings in trainings:
        _train(data, settings, 1)
    counts = updates, 3 * updates
    seconds = _timed_in_turn([partial(_train, data, settings, count) for settings in trainings for count in counts])
    return (seconds[1::2] - seconds[::2]) / (2 * updates)


def _timed_in_turn(functions):
    """CPU seconds (function, repeat) of calls that take turns, so that other load affects all functions alike."""
    return np.array([[seconds_of(function, 1) for function in functions] for _ in range(TIMINGS)]).T


def _train(data, settings, updates):
    """One training of `updates` updates, by settings of the configuration."""
    settings = {**settings, "updates": updates, "every": updates}
    method, seed = settings.pop("method"), settings.pop("seed", 0)
    if "tracker" in settings:
        settings["tracker"] = tracker(settings["tracker"])
    return trainer(method)(data, stream=root_stream(seed).child("train", method), progress=False, **settings)


def rungs(artifacts: Artifacts, *, ladders: Sequence[int], samples: int, chains: int, stream: Stream) -> xr.Dataset:
    """CPU seconds of sampling `samples` draws and of estimates from the draws, over (step, rungs, repeat)."""
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    sweeps = -(-samples // chains)
    seconds = np.empty((len(STEPS), len(ladders), TIMINGS))
    for column, rungs in enumerate(ladders):
        path = stream.child(rungs)
        pilot = tempering_runs.run(rbm, SweepLedger(20 * sweeps, chains), path, base=base, rungs=rungs)
        sampler = SimulatedTempering(
            kernel_parameters(rbm, base), pilot.betas, SweepLedger(None, chains), path, "marginal", 1
        )
        offset = np.log(pilot.prior) - pilot.log_z_hat
        sampler.advance(offset, sweeps, "start")
        for repeat in range(TIMINGS):
            stored = StoredDraws()
            stored.start(chains, rungs, sweeps)
            seconds[0, column, repeat] = seconds_of(partial(sampler.advance, offset, sweeps, "timed", (stored,)), 1)
            stored.finish()
            chosen = np.arange(stored.rungs.size)[None, :samples]
            seconds[1, column, repeat] = seconds_of(partial(estimates_of_samples, pilot, stored, chosen), 1)
            seconds[2, column, repeat] = seconds_of(partial(mbar_of_sample, pilot, stored, chosen[0]), 1)
    return xr.Dataset(
        {"seconds": labelled(("step", "rungs", "repeat"), seconds, "CPU time", "s")},
        coords={
            "step": coordinate("step", STEPS, "part of the work"),
            "title": coordinate("step", STEPS.values(), "part of the work, in words"),
            "rungs": coordinate("rungs", ladders, "inverse temperatures in the ladder"),
            "repeat": coordinate("repeat", range(TIMINGS), "timing, each of fresh draws"),
        },
        attrs={"samples": samples, "chains": chains},
    )
