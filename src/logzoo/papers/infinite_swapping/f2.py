"""How far estimates of the gradient are from the exact one: figures 2 and 4 of Hult et al. (2019), and others.

Gradients are Datasets of `experiments.gradients`; names: of their samplers.
"""

import numpy as np

from logzoo.figures.statistics import mean_with_band
from logzoo.figures.style import TRUTH, label_panels, mark_stand_in, new_figure

LOOKS = {
    "exact": (TRUTH, "-"),
    "pcd": ("#D55E00", "-"),
    "pcd-50": ("#E69F00", "--"),
    "pt": ("#009E73", "-"),
    "ins": ("#0072B2", "-"),
    "ins-marginal": ("#56B4E9", "--"),
    "ins-5": ("#0072B2", "-"),
    "ins-8": ("#56B4E9", "-"),
    "pins-8": ("#56B4E9", ":"),
    "ins-12": ("#CC79A7", "-"),
    "pins-12": ("#CC79A7", ":"),
    "pt-12": ("#009E73", "-."),
}
_STATES = {"early": "first parameters", "late": "last parameters"}


def look_of(name):
    """Colour and line of a sampler or trainer."""
    colour, line = LOOKS.get(name, ("#999999", "-."))
    return {"color": colour, "linestyle": line}


def figure_gradients(gradients, title, names):
    """Distance to the exact gradient against steps, early and late in training (figures 2 and 4)."""
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots(1, len(_STATES), sharey=True)
    for axis, (state, text) in zip(axes, _STATES.items(), strict=True):
        for sampler, name in names.items():
            draw_distance(axis, gradients, state, sampler, gradients["step"].values, name)
        axis.set_xlabel("Gibbs sweeps of every chain")
        axis.set_title(f"{title}, {text}", loc="right", fontsize=9)
    axes[0].set_ylabel("distance of the running gradient\nestimate to the exact one")
    axes[0].legend(fontsize=8)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure


def figure_many(gradients, timings, title, names):
    """INS with many temperatures against PINS and PT: distance late in training over sweeps and over seconds."""
    figure = new_figure(9.0, 4.0)
    axes = figure.subplots(1, 2, sharey=True)
    steps = gradients["step"].values
    for sampler, name in names.items():
        draw_distance(axes[0], gradients, "late", sampler, steps, name)
        seconds = steps * float(timings["step_seconds"].sel(sampler=sampler))
        draw_distance(axes[1], gradients, "late", sampler, seconds, name)
    axes[0].set_ylabel("distance of the running gradient\nestimate to the exact one")
    axes[0].set_xlabel("Gibbs sweeps of every chain")
    axes[1].set_xlabel("seconds, one core")
    axes[0].legend(fontsize=8)
    axes[1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure


def figure_association(gradients, title, names):
    """How far the temperatures that a replica has held so far are from uniform, early and late in training."""
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots(1, len(_STATES), sharey=True)
    steps = gradients["step"].values
    for axis, (state, text) in zip(axes, _STATES.items(), strict=True):
        for sampler, name in names.items():
            values = gradients["unevenness"].sel(state=state, sampler=sampler).transpose("step", "repeat").values
            draw_mean(axis, steps, values, label=name, **look_of(sampler))
        rungs = float(gradients["chains"].sel(sampler=next(iter(names)))) / float(gradients.attrs["ladders"])
        axis.plot(steps, _unevenness_of_draws(rungs, steps), color=TRUTH, linestyle=":", label="independent draws")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("Gibbs sweeps of every chain")
        axis.set_title(f"{title}, {text}", loc="right", fontsize=9)
    axes[0].set_ylabel("total variation distance of a replica's\ntemperatures so far from uniform")
    axes[0].legend(fontsize=8)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure


def draw_distance(axis, gradients, state, sampler, x, label):
    """The mean distance over repeats of one sampler, with its 95% band, against x (step,)."""
    values = gradients["distance"].sel(state=state, sampler=sampler).transpose("step", "repeat").values
    draw_mean(axis, x, values, label=label, **look_of(sampler))
    axis.set_xscale("log")
    axis.set_yscale("log")


def draw_mean(axis, x, values, **look):
    """The mean of values (x, repeat) over repeats, with its 95% band."""
    mean, band = mean_with_band(values)
    axis.plot(x, mean, **look)
    axis.fill_between(x, *band, color=look["color"], alpha=0.2, linewidth=0)


def _unevenness_of_draws(rungs, steps):
    """The mean of the same distance for so many independent uniform draws: de Moivre's mean deviation of a binomial."""
    from scipy.stats import binom  # takes long to import

    share = 1.0 / rungs
    above = np.floor(steps * share) + 1
    return rungs * above * (1.0 - share) * binom.pmf(above, steps, share) / steps
