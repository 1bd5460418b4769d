"""Tracking figure 4, left: the filter at work.

The Kalman filter at work on an RBM of 500 hidden units trained by SML-APT: tracked and bridged log Z beside AIS, the
observed change of each update, the bias, the standard deviations of both observations, and the exchange rates along
the ladder. Desjardins et al. (2011), figure 4.
"""

from typing import Any

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.tracking.trk_checks import (
    after_burn_in,
    all_checked,
    checked,
    distance,
    mean_of_totals,
    over_parts,
    ratio,
    thirds,
    times_apart,
)
from replication.papers.tracking.trk_drawing import (
    DEVIATIONS,
    draw_checked,
    draw_tracked,
    label_updates,
    limit,
    name_of,
)
from replication.reporting.style import LOOKS, TRUTH, finished, new_figure, title_of

CLAIMS = {
    "bias": Claim(
        "The bias of the observed change decays as the learning rate does",
        "decays with the learning rate",
        at_most=0.5,
        why="The filter follows its bias slowly: the observed changes themselves fall further. At the decisive scale a "
        "quarter of the published updates lets the rate fall to a fifth.",
    ),
    "variance": Claim("The variance of the observations between temperatures grows in training", "grows", at_least=1.0),
    "change": Claim("The variance of the observed changes falls in training", "falls", at_most=1.0),
    # The published difference at the end of the best model's training, and the three sigma of AIS published with it.
    "agree": Claim(
        "Late in training tracked log Z stays with that by AIS",
        "apart by 4.38 nats (± 3.08) for the best model",
        at_most=4.38 + 3.08,
        why="The model keeps mass in modes that its particles do not find, though they travel the ladder; AIS does.",
    ),
    "adaptive": Claim("Linear temperatures that do not adapt harm the tracked log Z", "adverse effects", at_least=1.0),
}
_LADDERS = ("fixed", "adaptive")
_KALMAN, _BRIDGE, _CHANGE, _RATE = "#0072B2", "#56B4E9", "#E69F00", "#009E73"
# Sizes that differ by more than this factor need a logarithmic scale.
_WIDE = 30.0
# Share of a training that counts as its start, and as its end.
_TENTH = 0.1


def inputs(here: Here) -> dict:
    model = here.entry["model"]
    return {
        "trace": here.trace(model),
        "check": checked(here, model, "ais"),
        **{kind: all_checked(here, kind) for kind in _LADDERS},
        "traces": {trained: here.trace(trained) for trained in here.entry["adaptive"]},
    }


def statistics(artifacts: dict) -> dict:
    """Of the trace, last third of the rows over another; of checks by AIS, errors of the tracker.

    Rungs that a ladder gains lie closer, so that observations between them vary less: their variance is judged on
    ladders of a number that stays.
    """
    trace, check = artifacts["trace"], artifacts["check"]
    late = check.isel(update=slice(-(check.sizes["update"] // 3), None))
    bias = thirds(np.abs(trace["bias"].values))
    # The bias starts from 0, so it need not be largest in the first third; the largest of all rows would be noise.
    largest = max(bias, key=lambda totals: mean_of_totals(totals) if totals.size else -np.inf)

    def growth(traces, name, of):
        parts = [thirds(after_burn_in(rows)[name].values) for rows in traces]
        first, _, last = (np.concatenate(third, axis=-1) for third in zip(*parts, strict=True))
        of = f"mean standard deviation of the {of}, last / first third of the rows, by block"
        return over_parts(ratio, last, first, of=of, scale="log")

    return {
        "bias": over_parts(
            ratio, bias[-1], largest, of="mean |bias|, last / largest third of the rows, by block", scale="log"
        ),
        "variance": growth(artifacts["traces"].values(), "bridged_log_z_std_dev", "bridged log Z"),
        "change": growth([trace], "observed_change_std_dev", "observed change"),
        "agree": distance(late, "in the last third of the training"),
        "adaptive": times_apart(
            *(artifacts[kind].values() for kind in _LADDERS), of="fixed / adaptive ladder of as many rungs"
        ),
    }


def draw(artifacts: dict, *, title):
    """The filter at work: log Z, the two kinds of observations, the bias, and the ladder if there is one."""
    trace, check = artifacts["trace"], artifacts["check"]
    tempered = "inverse_temperature" in trace
    figure = new_figure(7.2, 10.2 if tempered else 7.8)
    # Any: the type of matplotlib has no place for lists of lists of names.
    rows: Any = [[name] * 2 for name in ("log_z", "change", "bias", "error")] + [["exchange", "ladder"]] * tempered
    axes = figure.subplot_mosaic(rows, height_ratios=[1.8, 1.0, 1.0, 1.0] + [1.3] * tempered)
    _draw_log_z(axes["log_z"], trace, check, title_of(title, trace))
    _draw_change(axes["change"], trace)
    _draw_bias(axes["bias"], trace)
    _draw_errors(axes["error"], trace)
    for name in ("log_z", "change", "bias"):
        axes[name].sharex(axes["error"])
        axes[name].tick_params(labelbottom=False)
    label_updates(axes["error"])
    if tempered:
        _draw_exchanges(axes["exchange"], trace)
        _draw_ladder(axes["ladder"], trace)
    return finished(figure, trace, check, panels=axes.values())


def _draw_log_z(axis, trace, check, title):
    bridged = trace["bridged_log_z"]
    axis.plot(trace["update"], bridged, ".", color=_BRIDGE, label="bridge sampling at one update")
    label = f"Kalman, ±{DEVIATIONS:g} s.d."
    tracked = draw_tracked(axis, trace["log_z"], trace["log_z_std_dev"], color=_KALMAN, label=label)
    look = {"color": TRUTH if check.attrs["check_method"] == "enumeration" else LOOKS["ais"][0], "zorder": 3}
    points = draw_checked(axis, check, None, markerfacecolor="none", label=name_of(check), **look)
    limit(axis, [np.stack([bridged] * 3), tracked, points])
    axis.set_ylabel(r"$\log Z$ [nat]")
    _legend(axis, title=title)


def _draw_change(axis, trace):
    """Observed changes; the first row has none yet."""
    seen = trace["observed_change_std_dev"].values > 0
    update, change, std_dev = (
        trace[name].values[seen] for name in ("update", "observed_change", "observed_change_std_dev")
    )
    label = "importance sampling, ±1 s.d."
    axis.errorbar(update, change, std_dev, fmt=".", color=_CHANGE, elinewidth=0.8, label=label)
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
    axis.set(yscale="log", ylabel="standard deviation\n[nat]")
    _legend(axis)


def _draw_exchanges(axis, trace):
    for last, colour, label in ((False, "grey", "first tenth"), (True, _KALMAN, "last tenth")):
        rates, betas = exchange_rates(trace, last)
        axis.stairs(rates, betas, baseline=None, color=colour, linewidth=1.5, label=label)
        axis.plot(betas, np.full(betas.size, 0.06 if last else 0.02), "|", color=colour, markersize=5)
    axis.set(ylim=(0.0, 1.05), ylabel="exchange rate of\nneighbouring rungs")
    axis.set_xlabel(r"inverse temperature $\beta$ (ticks: rungs)")
    _legend(axis)


def exchange_rates(trace, last):
    """Share (pair,) of exchanges made in the first or the `last` tenth of a training, and betas (rung,) at that end.

    The counts of a trace begin again when its ladder gains a rung; so only rows of one number of pairs are compared.
    """
    tried, exchanged = (trace[name].values for name in ("exchanges_tried", "exchanges_made"))
    betas, update = trace["inverse_temperature"].values, trace["update"].values
    pairs = np.isfinite(tried).sum(axis=1)
    count, through = pairs[-1 if last else 0], (update - update[0]) / max(update[-1] - update[0], 1)
    if last:
        before = np.flatnonzero((through <= 1.0 - _TENTH) & (pairs == count))
        counts = [array[-1] - (array[before[-1]] if before.size else 0.0) for array in (exchanged, tried)]
    else:
        row = np.flatnonzero((through <= _TENTH) & (pairs == count))[-1]
        counts = [exchanged[row], tried[row]]
    with np.errstate(invalid="ignore"):
        rates = counts[0][:count] / counts[1][:count]
    return rates, betas[-1 if last else 0, : count + 1]


def _draw_ladder(axis, trace):
    """A line for each rung; all lines start again when the ladder gains a rung, which renumbers the others."""
    betas = trace["inverse_temperature"].values
    rungs = np.isfinite(betas).sum(axis=1)
    for count in np.unique(rungs):
        rows = rungs == count
        axis.plot(trace["update"].values[rows], betas[rows, :count], color=_KALMAN, linewidth=0.9)
    axis.set_ylabel(r"inverse temperature $\beta$")
    label_updates(axis)


def _legend(axis, *others, title=None):
    """A legend in one line above a panel, clear of what it shows, and above it a title."""
    named = [handle for panel in (axis, *others) for handle in panel.get_legend_handles_labels()[0]]
    position = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.0, "alignment": "right"}
    axis.legend(handles=named, ncols=3, fontsize=7.5, columnspacing=1.2, title=title, title_fontsize=10, **position)


def _fit_scale(axis, values):
    """Linear, or symmetric about zero and logarithmic where sizes differ much."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if sizes.size and sizes.max() > _WIDE * np.median(sizes):
        axis.set_yscale("symlog", linthresh=10.0 ** np.ceil(np.log10(np.median(sizes))))
