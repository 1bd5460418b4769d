"""Likelihood and prediction accuracy while training, over repeats: figures 3, 5 and 6 of Hult et al. (2019).

Runs are {trainer: Dataset of `experiments.comparisons`}; names: of the trainers.
"""

from typing import NamedTuple

import numpy as np

from logzoo.figures.style import label_panels, mark_stand_in, new_figure
from logzoo.figures.swapping_gradients import draw_distance, draw_mean, look_of

_LABELS = {"log_likelihood": "mean log-likelihood [nat]", "accuracy": "prediction accuracy\n[nat an example]"}
# Share of a training whose rise is cut off, so that what follows can be seen.
_RISE = 0.1


class Rows(NamedTuple):
    """A row of panels: a title, a variable, and its runs."""

    title: str
    variable: str
    runs: dict


def figure_trainings(rows, names):
    """A row of panels for each of the `Rows`: mean over repeats with a 95% band, and variance over repeats."""
    figure = new_figure(8.4, 2.8 * len(rows) + 0.6)
    axes = figure.subplots(len(rows), 2, squeeze=False)
    for (left, right), row in zip(axes, rows, strict=True):
        for trainer, name in names.items():
            one = row.runs[trainer]
            update, values = one["update"].values, one[row.variable].transpose("update", "repeat").values
            draw_mean(left, update, values, label=name, **look_of(trainer))
            right.plot(update[1:], values[1:].var(axis=-1, ddof=1), label=name, **look_of(trainer))
        _limit(left, [row.runs[trainer][row.variable] for trainer in names])
        right.set_yscale("log")
        left.set_ylabel(_LABELS[row.variable])
        right.set_ylabel("variance over repeats [nat²]")
        repeats = one.sizes["repeat"]
        right.set_title(f"{row.title}, {repeats} repeats", loc="right", fontsize=9)
    for axis in axes[-1]:
        axis.set_xlabel("parameter updates")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8)
    label_panels(axes.ravel())
    mark_stand_in(figure, *(one for row in rows for one in row.runs.values()))
    return figure


def figure_equal(gradients, runs, timings, title, names):
    """Distance to the exact gradient late in training, and likelihood, at equal chain-sweeps and at equal seconds."""
    figure = new_figure(9.0, 6.6)
    axes = figure.subplots(2, 2, sharey="row")
    steps = gradients["step"].values
    for name, label in names.items():
        chains = float(gradients["chains"].sel(sampler=name))
        seconds = float(timings["step_seconds"].sel(sampler=name))
        for axis, scale in zip(axes[0], (chains, seconds), strict=True):
            draw_distance(axis, gradients, "late", name, steps * scale, label)
        one = runs[name]
        values = one["log_likelihood"].transpose("update", "repeat").values
        seconds = float(timings["update_seconds"].sel(trainer=name))
        for axis, x in zip(axes[1], (one["chain_sweeps"].values, one["update"].values * seconds), strict=True):
            draw_mean(axis, x, values, label=label, **look_of(name))
    for axis, label in zip(axes[:, 0], ("distance to the\nexact gradient", _LABELS["log_likelihood"]), strict=True):
        axis.set_ylabel(label)
    for row, what in ((axes[0], "estimating"), (axes[1], "training")):
        row[0].set_xlabel(f"chain-sweeps spent on {what}")
        row[1].set_xlabel(f"seconds of {what}, one core")
    _limit(axes[1, 0], [runs[name]["log_likelihood"] for name in names])
    axes[0, 1].set_title(f"{title}, last parameters", loc="right", fontsize=9)
    axes[1, 1].set_title(title, loc="right", fontsize=9)
    axes[0, 0].legend(fontsize=8)
    label_panels(axes.ravel())
    mark_stand_in(figure, gradients, *runs.values())
    return figure


def _limit(axis, arrays):
    """Limits of the means after the rise, with some room."""
    means = [one.mean("repeat").values[int(np.ceil(_RISE * one.sizes["update"])) :] for one in arrays]
    low, high = min(map(np.min, means)), max(map(np.max, means))
    room = 0.1 * (high - low)
    axis.set_ylim(low - room, high + room)
