"""What several figures of Hult et al. (2019) draw: colours, distances to the exact gradient, means over repeats."""

import numpy as np

from replication.reporting.statistics import mean_with_band
from replication.reporting.style import TRUTH, draw_band, label_panels, mark_stand_in, new_figure

_LOOKS = {
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
DISTANCE = "distance of the running gradient\nestimate to the exact one"
LABELS = {"log_likelihood": "mean log-likelihood [nat]", "accuracy": "prediction accuracy\n[nat an example]"}
_STATES = {"early": "first parameters", "late": "last parameters"}
# Share of a training whose rise is cut off, so that what follows can be seen.
_RISE = 0.02


def look_of(name):
    """Colour and line of a sampler or trainer."""
    colour, line = _LOOKS.get(name, ("#999999", "-."))
    return {"color": colour, "linestyle": line}


def draw_states(gradients, variable, label, title, names):
    """A figure of a variable of `gradients` against steps, early and late in training; names: {sampler: title}."""
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots(1, len(_STATES), sharey=True)
    for axis, (state, text) in zip(axes, _STATES.items(), strict=True):
        for sampler, name in names.items():
            draw_mean(axis, gradients["step"].values, gradients[variable], state, sampler, label=name)
        axis.set_xlabel("Gibbs sweeps of every chain")
        axis.set_title(f"{title}, {text}", loc="right", fontsize=9)
    axes[0].set_ylabel(label)
    axes[0].legend(fontsize=8)
    label_panels(axes)
    mark_stand_in(figure, gradients)
    return figure


def draw_mean(axis, x, variable, state, sampler, label):
    """The mean over repeats of a variable of `gradients` for one sampler, with its 95% band, against x (step,)."""
    values = variable.sel(state=state, sampler=sampler).transpose("step", "repeat").values
    draw_band(axis, x, mean_with_band(values), label=label, **look_of(sampler))
    axis.set_xscale("log")
    axis.set_yscale("log")


def values_of(run, variable):
    """Values (update, repeat) of a training (Dataset of `comparisons`): stored in single precision, here in double."""
    return run[variable].transpose("update", "repeat").values.astype(np.float64)


def limit_after_rise(axis, runs):
    """Limit the y axis to the bands of means over repeats after the rise, with room; runs: arrays (update, repeat)."""
    ends = [mean_with_band(values[int(np.ceil(_RISE * len(values))) :])[1] for values in runs]
    low, high = min(map(np.min, ends)), max(map(np.max, ends))
    room = 0.05 * (high - low)
    axis.set_ylim(low - room, high + room)
