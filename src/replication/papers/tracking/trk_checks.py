"""Checks of log Z that was tracked during training: experiments, statistics of claims, and drawing.

A check holds log Z by enumeration or AIS at some updates of a training, beside the tracked log Z. A trace has rows at
equal intervals of updates, and at the last update. A tracker is compared with AIS only at updates where the standard
error of AIS is at most KNOWN nats. Without such updates the statistics are NaN (not tested).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from logzoo.types import Array
from replication.papers.declaration import Here
from replication.papers.experiment import Experiment
from replication.reporting.style import draw_band, finished, label_counts, new_figure, title_of
from replication.types import Axes, DataArray, Dataset, Figure

SIGMAS = 3.0
# Largest standard error of AIS, in nats, at which a tracker is compared with AIS.
KNOWN = 0.5
# Share of a training that counts as burn-in.
BURN_IN = 0.1


def after_burn_in(dataset: Dataset) -> Array:
    """Whether each row of a Dataset lies after the first tenth of the updates, bool (update,)."""
    return in_last(dataset, 1.0 - BURN_IN)


def in_last(dataset: Dataset, share: float) -> Array:
    """Whether each row of a Dataset lies in the last `share` of the updates, bool (update,)."""
    update = dataset["update"].values
    return update >= (1.0 - share) * update.max(initial=0)


def mean_of_groups(*groups: Array) -> Array:
    """Mean, with equal weights, of groups (..., training), each averaged over its trainings."""
    return np.mean([group.mean(axis=-1) for group in groups], axis=0)


def ratio_of_groups(*groups: Array) -> Array:
    """Ratio of the two numbers in groups (..., 2, training), each averaged by `mean_of_groups`."""
    above, below = np.moveaxis(mean_of_groups(*groups), -1, 0)
    return above / below


def mean_of_known(values: Array) -> float:
    """Mean of the finite values; NaN if there are none."""
    known = values[np.isfinite(values)]
    return known.mean() if known.size else np.nan


def is_known(check: Dataset) -> Array:
    """Whether the standard error of AIS is at most KNOWN nats, bool (update,)."""
    return check["std_error"].values <= KNOWN


def likelihood(check: Dataset, split: str, log_z: str) -> Array:
    """Mean log-likelihood (update,) of a split; log_z: name of the log Z in the check."""
    column = list(check["split"].values).index(split)
    return check["mean_log_f"].values[:, column] - check[log_z].values


def apart(check: Dataset) -> Array:
    """|tracked - AIS| of log Z (update,), NaN where the standard error of AIS is above KNOWN nats."""
    return np.where(is_known(check), np.abs(check["tracked_log_z"].values - check["log_z"].values), np.nan)


def mean_distance(check: Dataset, last: float = 1.0 - BURN_IN) -> float:
    """Mean of the finite values of `apart` over the last updates; last: their share of all updates."""
    return mean_of_known(apart(check)[in_last(check, last)])


def trainings_of(here: Here, key: str) -> list[str]:
    """The trainings of all models that the setting `key` names."""
    here.expect(key, here.entry[key], "at least one model")
    return [name for model in here.entry[key] for name in here.trainings(model)]


def all_checked(here: Here, names: Iterable[str], check: str = "ais") -> dict[str, Experiment]:
    """The checks {training: Experiment} of these trainings."""
    return {name: checked(here, name, check) for name in names}


def checked(here: Here, model: str, check: str) -> Experiment:
    """The experiment that computes log Z at the snapshots of a training; check: "exact" or "ais"."""
    snapshots = here.train(model)["options"]["snapshots"]
    settings = {}
    if check == "exact":
        visible, hidden = here.shape(model)
        # The factor 1.0 refuses a text, which a whole number would only repeat; options have no types.
        work = {"enumeration": 1.0 * snapshots * 2 ** min(visible, hidden) * max(visible, hidden)}
    else:
        settings = here.config["checks"]["ais"]
        work = {"sampling": here.visits(model, snapshots * settings["sweeps"] * settings["chains"])}
    return here.experiment(
        "replication.papers.tracking.trk_runs:checks",
        {
            "snapshots": here.snapshots(model),
            "trace": here.trace(model),
            "dataset": here.dataset(here.config["models"][model]["dataset"]),
        },
        {**settings, "check": check},
        f"checks/{model}.{check}",
        stream=("checks", model, check),
        kind="check",
        work=work,
        methods=() if check == "exact" else ("ais",),
    )


# Colours of observations between updates, of observations between temperatures, and of the bias.
BY_UPDATE, BY_TEMPERATURE, BIAS = "#D55E00", "#0072B2", "#009E73"
# Half-width of the band around a tracked value, in its standard deviations.
DEVIATIONS = 3.0
# Half-width, in nats, up to which an interval is always drawn.
_ALWAYS_DRAWN = 1.0
# Largest margin for intervals outside the values, as a share of the range of values.
_ROOM = 0.25


def draw_tracked(axis: Axes, values: DataArray, std_dev: DataArray, **look: Any) -> Array:
    """Draw a line of tracked values over `update`, with a band. Returns values, lower and upper ends (3, update)."""
    low, high = values - DEVIATIONS * std_dev, values + DEVIATIONS * std_dev
    draw_band(axis, values["update"], (values, (low, high)), **look)
    return np.stack([values, low, high])


def draw_checked(axis: Axes, check: Dataset, split: str | None, **look: Any) -> Array:
    """Draw points with 95% intervals, of log Z or of the log-likelihood of a split.

    If an interval reaches farther than both 1 nat and the range of all values, only a cross is drawn. Returns values,
    lower ends and upper ends (3, update).
    """
    values, low, high = (check[name].values for name in ("log_z", "log_z_low", "log_z_high"))
    if split is not None:
        log_f = check["mean_log_f"].sel(split=split).values
        values, low, high = log_f - values, log_f - high, log_f - low
    reach = np.maximum([values - low, high - values], 0.0)
    look = {"fmt": "s", "markersize": 4.5, "elinewidth": 1.0, "capsize": 2, **look}
    largest = max(np.nanmax(values) - np.nanmin(values), _ALWAYS_DRAWN)
    update, known = check["update"].values, ~(reach.max(axis=0) > largest)
    axis.errorbar(update[known], values[known], reach[:, known], **look)
    if not known.all():
        # Bars of this length would hide the other points.
        label = f"{look['label']}\ntoo wide to draw" if "label" in look else None
        axis.plot(update[~known], values[~known], "x", color=look["color"], markersize=4.5, label=label)
    return np.stack([values, low, high])


def label_updates(axis: Axes) -> None:
    """Label the x axis for updates."""
    axis.set_xlabel("updates")
    label_counts(axis.xaxis)


def limit(axis: Axes, drawn: Sequence[Array]) -> None:
    """Set limits that show all values of arrays (3, update), and their intervals up to a margin."""
    values, lows, highs = np.concatenate(drawn, axis=1)
    low, high = np.nanmin(values), np.nanmax(values)
    room = max(high - low, 1e-3)
    bottom = np.clip(np.nanmin(np.fmin(values, lows)), low - _ROOM * room, low)
    top = np.clip(np.nanmax(np.fmax(values, highs)), high, high + _ROOM * room)
    axis.set_ylim(bottom - 0.05 * room, top + 0.05 * room)


_COLOURS = {"train": "#E69F00", "validation": "#0072B2"}


def draw_likelihoods(trace: Dataset, check: Dataset, title: str, tracker_name: str) -> Figure:
    """A panel of the training and validation log-likelihood, by the tracker `tracker_name` and by the check."""
    figure = new_figure(8.0, 3.8)
    axis = figure.subplots()
    drawn = []
    for split, colour in _COLOURS.items():
        label = f"{split}, {tracker_name}, ±{DEVIATIONS:g} s.d."
        values = trace[f"log_likelihood_{split}"], trace["log_z_std_dev"]
        drawn.append(draw_tracked(axis, *values, color=colour, label=label))
    for split in _COLOURS:
        label = f"{split}, AIS, 95% interval"
        drawn.append(draw_checked(axis, check, split, color=_COLOURS[split], markerfacecolor="white", label=label))
    if "best_update" in trace.attrs:
        best = int(trace.attrs["best_update"])
        label = f"best tracked validation\nlog-likelihood, update {best:,}"
        axis.axvline(best, color="black", linestyle=":", linewidth=1.0, label=label)
    limit(axis, drawn)
    label_updates(axis)
    axis.set_ylabel("mean log-likelihood [nat]")
    axis.set_title(title_of(title, trace), loc="right")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return finished(figure, trace, check)
