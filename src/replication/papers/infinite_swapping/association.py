"""Infinite swapping: how evenly replicas use the temperatures.

How evenly each replica has used the temperatures so far: a diagnostic of convergence (Doll & Dupuis 2015).
"""

import numpy as np

from logzoo.checks import one_of
from replication.papers.infinite_swapping import f2
from replication.papers.infinite_swapping.drawing import draw_states
from replication.papers.infinite_swapping.experiments import gradients
from replication.reporting.style import TRUTH

_UNEVENNESS = "total variation distance of a replica's\ntemperatures so far from uniform"


def inputs(here):
    return {"gradients": gradients(here.of(here.entry["gradients"]))}


def settings(here):
    shown, where = f2.settings(here.of(here.entry["gradients"])), f"configuration: figures.{here.name}: samplers"
    names = {name: shown["names"][one_of(where, name, shown["names"])] for name in here.entry["samplers"]}
    return {**shown, "names": names}


def draw(artifacts, *, title, names):
    """How far the temperatures that a replica has held so far are from uniform, early and late in training."""
    gradients = artifacts["gradients"]
    steps = gradients["step"].values
    rungs = float(gradients["chains"].sel(sampler=next(iter(names)))) / float(gradients.attrs["ladders"])
    figure = draw_states(gradients, "unevenness", _UNEVENNESS, title, names)
    for axis in figure.axes:
        axis.plot(steps, _unevenness_of_draws(rungs, steps), color=TRUTH, linestyle=":", label="independent draws")
    figure.axes[0].legend(fontsize=8)
    return figure


def _unevenness_of_draws(rungs, steps):
    """The mean of the same distance for so many independent uniform draws: de Moivre's mean deviation of a binomial."""
    from scipy.stats import binom  # takes long to import

    share = 1.0 / rungs
    above = np.floor(steps * share) + 1
    return rungs * above * (1.0 - share) * binom.pmf(above, steps, share) / steps
