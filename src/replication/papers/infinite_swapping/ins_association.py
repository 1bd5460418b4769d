"""Infinite swapping: use of the temperatures by replicas.

Total variation distance between the uniform distribution and the temperatures that a replica has held so far, early and
late in training. Dotted: independent draws of a temperature. The distance is a diagnostic of convergence (Doll & Dupuis
2015).
"""

import numpy as np

from logzoo.checks import one_of
from replication.claim import Claim, Size
from replication.papers.declaration import Here
from replication.papers.infinite_swapping.ins_distances import add_legend, draw_states, over_steps
from replication.papers.infinite_swapping.ins_distances import settings as settings_of_gradients
from replication.papers.infinite_swapping.ins_experiments import gradients, size_of_gradients
from replication.reporting.statistics import over_repeats, ratio_of_means
from replication.reporting.style import TRUTH
from replication.types import Artifacts, Figure, Inputs, Names, Settings, Statistics

CLAIMS = {
    "mixing": Claim(
        "INS mixes better than PT on complex energy landscapes",
        "abstract; associations of particles and temperatures: section 3",
        "better mixing properties, no number",
        "total variation distance from uniform of the temperatures that a replica has held so far, at the last "
        "parameters of trainings by exact gradients, a mean over replicas, runs, all steps (area under the curve) and "
        "trainings, INS / PT",
    )
}


def statistics(artifacts: Artifacts) -> Statistics:
    uneven = artifacts["gradients"]["unevenness"].sel(state="late").mean("repeat")
    parts = [uneven.sel(sampler=name).transpose("step", "training").values for name in ("ins", "pt")]
    values = [over_steps(part, uneven["step"].values) for part in parts]
    return {"mixing": over_repeats(ratio_of_means, *values, scale="log")}


def sizes(here: Here) -> Size:
    return size_of_gradients(here.of(here.entry["gradients"]))


_UNEVENNESS = "total variation distance of a replica's\ntemperatures so far from uniform [1]"


def inputs(here: Here) -> Inputs:
    return {"gradients": gradients(here.of(here.entry["gradients"]))}


def settings(here: Here) -> Settings:
    known = settings_of_gradients(here.of(here.entry["gradients"]))
    where = f"configuration: figures.{here.name}: samplers"
    names = {name: known["names"][one_of(where, name, known["names"])] for name in here.entry["samplers"]}
    return {**known, "names": names}


def draw(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    gradients = artifacts["gradients"]
    steps = gradients["step"].values
    rungs = float(gradients["chains"].sel(sampler=next(iter(names)))) / float(gradients.attrs["ladders"])
    figure = draw_states(gradients, "unevenness", _UNEVENNESS, title, names)
    for axis in figure.axes:
        axis.plot(steps, _unevenness_of_draws(rungs, steps), color=TRUTH, linestyle=":", label="independent draws")
    figure.legends.clear()
    add_legend(figure, figure.axes[0])
    return figure


def _unevenness_of_draws(rungs, steps):
    """Mean total variation distance of `steps` uniform draws from the uniform distribution, by de Moivre's formula."""
    from scipy.stats import binom  # takes long to import

    share = 1.0 / rungs
    above = np.floor(steps * share) + 1
    return rungs * above * (1.0 - share) * binom.pmf(above, steps, share) / steps
