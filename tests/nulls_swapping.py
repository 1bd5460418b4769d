"""Artifacts of infinite swapping whose truth lies on the bounds of the claims, for simulations of false verdicts."""

import numpy as np
import xarray as xr

from replication.papers.infinite_swapping import ins_distances, ins_f6, ins_trainings

# As at the paper scale.
TRAININGS, RUNS = 10, 15
REPEATS = {"ins-f3": 240, "ins-f5": 240, "mnist": 225, "toy-large": 150}
STEPS = np.array([1, 5_000, 10_000])
UPDATES = np.array([0, 300, 1000])


def gradients_on_bounds(generator):
    """Distances of the same law for all samplers and states: a part of each training, and noise of its runs."""
    states, samplers = ["early", "late"], ["pcd", "pt", "ins"]
    trainings = 0.1 * generator.standard_normal((2, 3, TRAININGS, 1, 1))
    values = np.exp(trainings + 0.3 * generator.standard_normal((2, 3, TRAININGS, RUNS, STEPS.size)))
    dimensions = ("state", "sampler", "training", "repeat", "step")
    return xr.Dataset({"distance": (dimensions, values)}, {"state": states, "sampler": samplers, "step": STEPS})


def run_of(generator, repeats, levels, spreads):
    """A run whose repeats are normal, with these means and standard deviations at the updates."""
    values = np.array(levels) + np.array(spreads) * generator.standard_normal((repeats, UPDATES.size))
    variables = {name: (("repeat", "update"), values) for name in ("log_likelihood", "accuracy")}
    return xr.Dataset(variables, {"update": UPDATES})


def null_statistics(generator):
    """{claim: Statistic} of claims on infinite swapping; the truth of each that has bounds lies on one of them."""
    statistics = {}

    def add(name, figure, artifacts):
        statistics.update({f"{name}-{key}": one for key, one in figure.statistics(artifacts).items()})

    for name in ("ins-f2", "ins-f4"):
        add(name, ins_distances.FIGURES[name], {"gradients": gradients_on_bounds(generator)})
    # PCD-1 is worse and varies more, so INS and PT decide.
    levels = {"exact": (0.5, 1.0), "pcd": (-1.0, 2.0), "pt": (0.0, 1.0), "ins": (0.0, 1.0)}
    for name, spread in (("ins-f3", 0.04), ("ins-f5", 0.1)):
        runs = {
            trainer: run_of(generator, REPEATS[name], [level] * 3, [times * spread] * 3)
            for trainer, (level, times) in levels.items()
        }
        add(name, ins_trainings.FIGURES[name], {"runs": {"toy": runs}})
    # Initially PCD-1 is as good and as steady as INS; later PT is as good.
    levels = {"pcd": ([0.0, 0.0, -1.0], 0.1), "pt": ([-1.0, -1.0, 0.0], 0.2), "ins": ([0.0, 0.0, 0.0], 0.1)}
    runs = {
        data: {
            trainer: run_of(generator, REPEATS[data], means, [size] * 3) for trainer, (means, size) in levels.items()
        }
        for data in ("mnist", "toy-large")
    }
    add("ins-f6", ins_f6, {"runs": runs, "small": runs["mnist"]})
    return statistics
