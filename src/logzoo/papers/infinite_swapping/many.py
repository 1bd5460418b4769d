"""Many temperatures: infinite swapping against partial.

Infinite swapping of 5, 8 and 12 temperatures at once, against swapping within groups, over sweeps and seconds.
"""

from logzoo.papers.infinite_swapping import f2
from logzoo.papers.infinite_swapping.drawing import DISTANCE, draw_mean
from logzoo.papers.infinite_swapping.experiments import gradients, timings
from logzoo.reporting.style import label_panels, mark_stand_in, new_figure

settings = f2.settings


def inputs(here):
    return {"gradients": gradients(here), "timings": timings(here)}


def draw(artifacts, *, title, names):
    """Distance to the exact gradient late in training by INS, PINS and PT, over sweeps and over seconds."""
    gradients, timings = artifacts["gradients"], artifacts["timings"]
    figure = new_figure(9.0, 4.0)
    axes = figure.subplots(1, 2, sharey=True)
    steps = gradients["step"].values
    for sampler, name in names.items():
        seconds = steps * float(timings["step_seconds"].sel(sampler=sampler))
        for axis, x in zip(axes, (steps, seconds), strict=True):
            draw_mean(axis, x, gradients["distance"], "late", sampler, label=name)
    axes[0].set_ylabel(DISTANCE)
    axes[0].set_xlabel("Gibbs sweeps of every chain")
    axes[1].set_xlabel("seconds, one core")
    axes[0].legend(fontsize=8)
    axes[1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure
