"""Log Z and log-likelihood followed while training: figures 3 and 4 of Desjardins et al. (2011), 5 of Carlson et al.

A trace is the Dataset of a training; a check is one over some of its updates, whose log Z is exact or from AIS.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from logzoo.figures.style import LOOKS, TRUTH, label_panels, mark_stand_in, new_figure, title_of

_RUN_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_KALMAN, _BRIDGE, _CHANGE, _RATE = "#0072B2", "#56B4E9", "#E69F00", "#009E73"
_SPLITS = {"train": "#E69F00", "validation": "#0072B2"}
# Standard deviations of a tracker on either side of what it says.
_DEVIATIONS = 3.0
# How far limits give way to intervals, as a share of the range of values.
_ROOM = 0.25
# Sizes that differ by more than this factor need a logarithmic scale.
_WIDE = 30.0
# Share of a training that counts as its start, and as its end.
_TENTH = 0.1
# Share of a training whose rise is cut off where only what follows matters.
_RISE = 0.05


class Run(NamedTuple):
    """A training that a Kalman filter followed, with a label, and checks of it: Datasets over `update`."""

    label: str
    trace: xr.Dataset
    exact: xr.Dataset
    ais: xr.Dataset


def figure_3(panels, names):
    """Test log-likelihood while training: exact, by AIS, and by the Kalman filter where exact values are.

    panels: {title: [Run]}; runs of one label share a colour. names: of "exact", "ais" and "kalman".
    """
    figure = new_figure(3.5 * len(panels) + 1.6, 3.8)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    labels = list(dict.fromkeys(run.label for runs in panels.values() for run in runs))
    colours = {label: _RUN_COLOURS[position % len(_RUN_COLOURS)] for position, label in enumerate(labels)}
    for axis, (title, runs) in zip(axes, panels.items(), strict=True):
        _limit(axis, [part for run in runs for part in _draw_run(axis, run, colours[run.label])])
        _label_updates(axis)
        axis.set_title(title, loc="right")
    axes[0].set_ylabel("mean test log-likelihood [nat]")
    methods = (
        Line2D([], [], color="black", marker="o", markersize=3, label=names["exact"]),
        Line2D([], [], color="black", marker="s", linestyle="", markerfacecolor="white", label=f"{names['ais']}, 95%"),
        Line2D([], [], color="black", linestyle="--", label=f"{names['kalman']}, ±{_DEVIATIONS:g} s.d."),
    )
    handles = [Line2D([], [], color=colour, linewidth=4, label=label) for label, colour in colours.items()]
    figure.legend(handles=[*handles, *methods], loc="outside right upper", fontsize=8)
    label_panels(axes)
    mark_stand_in(figure, *(dataset for runs in panels.values() for run in runs for dataset in run[1:]))
    return figure


def figure_4a(trace, check, title):
    """The filter at work: log Z, the two kinds of observations, the bias, and the ladder if there is one.

    trace: that of a Kalman tracker; check: exact or AIS; title: of the model. The ladder is drawn while it moves, and
    the exchange rates of its gaps in the first and the last tenth of the training.
    """
    tempered = "inverse_temperature" in trace
    figure = new_figure(7.2, 10.2 if tempered else 7.8)
    rows = [[name] * 2 for name in ("log_z", "change", "bias", "error")] + [["exchange", "ladder"]] * tempered
    axes = figure.subplot_mosaic(rows, height_ratios=[1.8, 1.0, 1.0, 1.0] + [1.3] * tempered)
    _draw_log_z(axes["log_z"], trace, check, title_of(title, trace))
    _draw_change(axes["change"], trace)
    _draw_bias(axes["bias"], trace)
    _draw_errors(axes["error"], trace)
    for name in ("log_z", "change", "bias"):
        axes[name].sharex(axes["error"])
        axes[name].tick_params(labelbottom=False)
    _label_updates(axes["error"])
    if tempered:
        _draw_exchanges(axes["exchange"], trace)
        _draw_ladder(axes["ladder"], trace)
    label_panels(axes.values())
    mark_stand_in(figure, trace, check)
    return figure


def figure_4b(trace, check, title):
    """Early stopping: train and validation log-likelihood by the Kalman filter, validation by a check as well."""
    return _log_likelihoods(trace, check, title, "Kalman", ["validation"])


def figure_5(trace, check, title):
    """Train and validation log-likelihood while training, by RTS and by a check (Carlson et al. 2016)."""
    return _log_likelihoods(trace, check, title, "RTS", ["train", "validation"])


def exchange_rates(trace, last):
    """Share (pair,) of exchanges made in the first or the `last` tenth of a training, and betas (rung,) at that end.

    The counts of a trace begin anew when its ladder gains a rung; so only rows of one number of pairs are compared.
    """
    tried, made = (trace[name].values for name in ("exchanges_tried", "exchanges_made"))
    betas, update = trace["inverse_temperature"].values, trace["update"].values
    pairs = np.isfinite(tried).sum(axis=1)
    count, through = pairs[-1 if last else 0], (update - update[0]) / max(update[-1] - update[0], 1)
    if last:
        before = np.flatnonzero((through <= 1.0 - _TENTH) & (pairs == count))
        counts = [array[-1] - (array[before[-1]] if before.size else 0.0) for array in (made, tried)]
    else:
        row = np.flatnonzero((through <= _TENTH) & (pairs == count))[-1]
        counts = [made[row], tried[row]]
    with np.errstate(invalid="ignore"):
        rates = counts[0][:count] / counts[1][:count]
    return rates, betas[-1 if last else 0, : count + 1]


def _log_likelihoods(trace, check, title, tracker, checked):
    """A panel of the train and validation log-likelihood by a tracker of that name; the `checked` splits as points."""
    figure = new_figure(8.0, 3.8)
    axis = figure.subplots()
    settled = _RISE * trace["update"].values[-1]
    drawn = []
    for split, colour in _SPLITS.items():
        label = f"{split}, {tracker}, ±{_DEVIATIONS:g} s.d."
        values = trace[f"log_likelihood_{split}"], trace["log_z_std_dev"]
        drawn.append(_draw_tracked(axis, *values, color=colour, label=label)[:, trace["update"] >= settled])
    for split in checked:
        label = f"{split}, {_name_of(check)}"
        values = _draw_checked(axis, check, split, color=_SPLITS[split], markerfacecolor="white", label=label)
        drawn.append(values[:, check["update"] >= settled])
    if "best_update" in trace.attrs:
        best = int(trace.attrs["best_update"])
        label = f"best tracked validation,\nupdate {best:,}"
        axis.axvline(best, color="black", linestyle=":", linewidth=1.0, label=label)
    _limit(axis, drawn)
    _label_updates(axis)
    axis.set_ylabel("mean log-likelihood [nat]")
    axis.set_title(title_of(title, trace), loc="left")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    mark_stand_in(figure, trace, check)
    return figure


def _draw_run(axis, run, colour):
    """A line for each way to the test log-likelihood of a run; returns arrays (3, update) as below."""
    log_f = run.exact["mean_log_f"].sel(split="test")
    exact = log_f - run.exact["log_z"]
    axis.plot(exact["update"], exact, color=colour, marker="o", markersize=3)
    there = run.trace.sel(update=run.exact["update"])
    return [
        np.stack([exact] * 3),
        _draw_checked(axis, run.ais, "test", color=colour, markerfacecolor="white", zorder=3),
        _draw_tracked(axis, log_f - there["log_z"], there["log_z_std_dev"], color=colour, linestyle="--"),
    ]


def _draw_tracked(axis, values, std_dev, **look):
    """A line of what a tracker says, over `update`, and a band; returns values, lows, highs: (3, update)."""
    low, high = values - _DEVIATIONS * std_dev, values + _DEVIATIONS * std_dev
    axis.plot(values["update"], values, **look)
    axis.fill_between(values["update"], low, high, color=look["color"], alpha=0.2, linewidth=0)
    return np.stack([values, low, high])


def _draw_checked(axis, check, split, **look):
    """Points with 95% intervals, of log Z or of the log-likelihood of a split; returns values, lows, highs."""
    values, low, high = (check[name].values for name in ("log_z", "log_z_low", "log_z_high"))
    if split is not None:
        log_f = check["mean_log_f"].sel(split=split).values
        values, low, high = log_f - values, log_f - high, log_f - low
    reach = np.maximum([values - low, high - values], 0.0)
    look |= {"fmt": "s", "markersize": 4.5, "elinewidth": 1.0, "capsize": 2}
    axis.errorbar(check["update"].values, values, reach, **look)
    return np.stack([values, low, high])


def _draw_log_z(axis, trace, check, title):
    bridged = trace["bridged_log_z"]
    axis.plot(trace["update"], bridged, ".", color=_BRIDGE, label="bridge sampling at one update")
    label = f"Kalman, ±{_DEVIATIONS:g} s.d."
    tracked = _draw_tracked(axis, trace["log_z"], trace["log_z_std_dev"], color=_KALMAN, label=label)
    colour = TRUTH if check.attrs["check_method"] == "enumeration" else LOOKS["ais"][0]
    label = _name_of(check)
    checked = _draw_checked(axis, check, None, color=colour, markerfacecolor="none", zorder=3, label=label)
    _limit(axis, [np.stack([bridged] * 3), tracked, checked])
    axis.set_ylabel(r"$\log Z$ [nat]")
    _legend(axis, title=title)


def _draw_change(axis, trace):
    """Observed changes; the first row has none yet."""
    seen = trace["observed_change_std_dev"].values > 0
    change, std_dev = (trace[name].values[seen] for name in ("observed_change", "observed_change_std_dev"))
    look = {"fmt": ".", "color": _CHANGE, "elinewidth": 0.8, "label": "importance sampling, ±1 s.d."}
    axis.errorbar(trace["update"].values[seen], change, std_dev, **look)
    axis.axhline(0.0, color="grey", linewidth=0.8)
    _fit_scale(axis, change)
    axis.set_ylabel(r"change of $\log Z$" + "\nin one update [nat]")
    _legend(axis)


def _draw_bias(axis, trace):
    bias, rate = trace["bias"].values, trace["learning_rate"].values
    axis.plot(trace["update"], bias, color=_KALMAN, label="bias (left)")
    axis.axhline(0.0, color="grey", linewidth=0.8)
    _fit_scale(axis, bias)
    axis.set_ylabel("bias [nat]")
    twin = axis.twinx()
    twin.spines["right"].set_visible(True)
    twin.plot(trace["update"], rate, color=_RATE, linestyle="--", label="learning rate (right)")
    if rate.max() > _WIDE * rate.min():
        twin.set_yscale("log")
    else:
        twin.set_ylim(0.0, 1.1 * rate.max())
    twin.set_ylabel("learning rate")
    _legend(axis, twin)


def _draw_errors(axis, trace):
    for name, colour, label in (
        ("bridged_log_z_std_dev", _BRIDGE, r"$\log Z$ by bridge sampling"),
        ("observed_change_std_dev", _CHANGE, "change by importance sampling"),
        ("log_z_std_dev", _KALMAN, r"$\log Z$ by Kalman"),
    ):
        values = trace[name].values
        # Zero before anything was observed.
        axis.plot(trace["update"], np.where(values > 0, values, np.nan), color=colour, label=label)
    axis.set_yscale("log")
    axis.set_ylabel("standard deviation\n[nat]")
    _legend(axis)


def _draw_exchanges(axis, trace):
    for last, colour, label in ((False, "grey", "first tenth"), (True, _KALMAN, "last tenth")):
        rates, betas = exchange_rates(trace, last)
        axis.stairs(rates, betas, baseline=None, color=colour, linewidth=1.5, label=label)
        axis.plot(betas, np.full(betas.size, 0.06 if last else 0.02), "|", color=colour, markersize=5)
    axis.set_ylim(0.0, 1.05)
    axis.set_xlabel(r"inverse temperature $\beta$ (ticks: rungs)")
    axis.set_ylabel("exchange rate of\nneighbouring rungs")
    _legend(axis)


def _draw_ladder(axis, trace):
    """A line for each rung; all begin anew when one is gained, which moves the numbers of the others."""
    betas = trace["inverse_temperature"].values
    rungs = np.isfinite(betas).sum(axis=1)
    for count in np.unique(rungs):
        rows = rungs == count
        axis.plot(trace["update"].values[rows], betas[rows, :count], color=_KALMAN, linewidth=0.9)
    axis.set_ylabel(r"inverse temperature $\beta$")
    _label_updates(axis)


def _name_of(check):
    return "exact" if check.attrs["check_method"] == "enumeration" else "AIS, 95% interval"


def _legend(axis, *others, title=None):
    """A legend in one line above a panel, clear of what it shows, and above it a title."""
    handles, labels = axis.get_legend_handles_labels()
    for other in others:
        more = other.get_legend_handles_labels()
        handles, labels = handles + more[0], labels + more[1]
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.0, "alignment": "right"}
    axis.legend(handles, labels, ncols=3, fontsize=7.5, columnspacing=1.2, title=title, title_fontsize=10, **place)


def _label_updates(axis):
    axis.set_xlabel("updates")
    axis.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _limit(axis, drawn):
    """Limits that show all values of arrays (3, update), and their intervals unless those are far wider."""
    values, lows, highs = np.concatenate(drawn, axis=1)
    low, high = np.nanmin(values), np.nanmax(values)
    room = max(high - low, 1e-3)
    bottom = np.clip(np.fmin(values, lows).min(), low - _ROOM * room, low)
    top = np.clip(np.fmax(values, highs).max(), high, high + _ROOM * room)
    axis.set_ylim(bottom - 0.05 * room, top + 0.05 * room)


def _fit_scale(axis, values):
    """Linear, or symmetric about zero and logarithmic where sizes differ much."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if sizes.size and sizes.max() > _WIDE * np.median(sizes):
        axis.set_yscale("symlog", linthresh=10.0 ** np.ceil(np.log10(np.median(sizes))))
