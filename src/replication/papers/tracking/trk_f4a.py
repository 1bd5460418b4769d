"""Tracking figure 4, left: the filter at work.

The Kalman filter at work on an RBM of 500 hidden units trained by SML-APT. From the top: log Z (tracked, bridged and by
AIS), observed changes in one update, the bias, the standard deviations, and the ladder with its exchange rates.
Desjardins et al. (2011), figure 4.
"""

from typing import Any

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.repeats import of_each, over_finite
from replication.papers.tracking import trk_checks
from replication.reporting.statistics import difference_of_means, mean, ratio_of_means
from replication.reporting.style import LOOKS, finished, new_figure, title_of
from replication.types import Artifacts, Dataset, Figure, Inputs, Statistics

_WHERE = "section 4, figure 4 left"
_LINEAR = "section 4, linear temperatures"
_KNOWN = f"check points where the standard error of AIS is at most {trk_checks.KNOWN:g} nats"
_GROWTH = "last over first third of the rows of the trace after the first tenth of the updates, averaged over trainings"
_PILOT = "a factor of 1.25; spread of three trainings of an earlier run with 50,000 updates"
CLAIMS = {
    "bias": Claim(
        "The bias of the observed change becomes less pronounced as the learning rate falls",
        _WHERE,
        "progressively less pronounced; converges to zero",
        f"mean |bias|, {_GROWTH}",
        at_most=1.0,
        bound="less pronounced",
        scale="log",
        power=Power(0.8, 0.05, _PILOT),
    ),
    "variance": Claim(
        "The variance of the observations between temperatures grows slowly over time",
        _WHERE,
        "grows slowly",
        f"mean standard deviation of log Z by bridge sampling, {_GROWTH}",
        at_least=1.0,
        bound="grows",
        scale="log",
        power=Power(1.25, 0.05, _PILOT),
    ),
    "change": Claim(
        "The variance of the observed changes between updates decreases",
        _WHERE,
        "decreases",
        f"mean standard deviation of the observed change, {_GROWTH}",
        at_most=1.0,
        bound="decreases",
        scale="log",
        power=Power(0.8, 0.1, _PILOT),
    ),
    "close": Claim(
        "Tracked log Z and AIS, late in the training of the best model of MNIST",
        _WHERE,
        "4.38 nats apart at 200,000 updates (3 sigma of AIS: 3.08)",
        f"mean |tracked - AIS| of log Z [nat] in the last third of a training, at {_KNOWN}; averaged over trainings",
    ),
    "exchange": Claim(
        "Linear temperatures have lower exchange rates between neighbours than those that adapt, of as many chains",
        _LINEAR,
        "low exchange rates",
        "lowest exchange rate of neighbouring temperatures in the last tenth of a training, averaged over trainings:"
        " linear over adaptive",
        at_most=1.0,
        bound="low exchange rates with linear temperatures, in comparison with adaptive ones",
        scale="log",
        power=Power(0.8, 0.3, f"{_PILOT}, adaptive temperatures"),
    ),
    "bridge": Claim(
        "Linear temperatures harm the bridge sampling estimates",
        _LINEAR,
        "adverse effects on the quality",
        "mean standard deviation of log Z by bridge sampling in the last third of a training, averaged over trainings:"
        " linear over adaptive",
        at_least=1.0,
        bound="adverse effects",
        scale="log",
        power=Power(1.25, 0.1, f"{_PILOT}, adaptive temperatures"),
    ),
    "likelihood": Claim(
        "Linear temperatures lower the likelihood that is learnt",
        _LINEAR,
        "a drop in performance",
        f"mean test log-likelihood [nat] by AIS in the last half of a training, at {_KNOWN}; averaged over trainings:"
        " adaptive - linear",
        at_least=0.0,
        bound="a drop",
        power=Power(3.08, 3.5, "the printed 3 sigma of AIS of the best model; spread of six trainings, as above"),
    ),
    "adaptive": Claim(
        "Linear temperatures worsen the tracking",
        _LINEAR,
        "a drop in performance; adaptive tempering proved crucial",
        f"mean |tracked - AIS| of log Z at {_KNOWN} after the first tenth of a training, averaged over trainings:"
        " linear over adaptive",
        at_least=1.0,
        bound="a drop in tracking performance",
        scale="log",
        power=Power(1.25, 0.2, "a factor of 1.25; spread of six trainings of an earlier run with 50,000 updates"),
    ),
    "growing": Claim(
        "Tracking with a ladder that gains a temperature whenever the mean exchange rate falls below 0.4",
        measured=f"mean |tracked - AIS| of log Z [nat] at {_KNOWN} after the first tenth of a training, averaged over"
        " trainings; the published ladder has a fixed number of temperatures",
    ),
}
# Settings that name the trainings with linear temperatures, with the same number of adaptive temperatures, and with a
# growing number of adaptive temperatures.
_LADDERS = ("fixed", "adaptive", "growing")
_KALMAN, _BRIDGE, _CHANGE, _RATE = "#0072B2", "#56B4E9", "#E69F00", "#009E73"
# Magnitudes that differ by more than this factor need a logarithmic scale.
_WIDE = 30.0
# Share of a training that counts as its start, and as its end.
_TENTH = 0.1


def inputs(here: Here) -> Inputs:
    drawn = here.entry["model"]
    trainings = {ladder: trk_checks.trainings_of(here, ladder) for ladder in _LADDERS}
    return {
        "trace": here.trace(drawn),
        "check": trk_checks.checked(here, drawn, "ais"),
        "traces": {ladder: {name: here.trace(name) for name in names} for ladder, names in trainings.items()},
        "checks": {ladder: trk_checks.all_checked(here, names) for ladder, names in trainings.items()},
    }


def sizes(here: Here) -> dict[str, Size]:
    """Our sizes beside the published sizes (section 4 and footnote 5)."""
    ais = here.config["checks"]["ais"]

    def size(*ladders):
        named = [trk_checks.trainings_of(here, ladder) for ladder in ladders]
        train = [here.train(name) for names in named for name in names]
        settings = {
            "hidden units": (min(entry["hidden"] for entry in train), 500),
            "updates": (min(entry["updates"] for entry in train), 200_000),
            "chains at each temperature": (min(entry["options"]["particles"] for entry in train), 20),
            "temperatures": (min(entry["options"]["rungs"] for entry in train), None),
            "distributions of AIS": (ais["sweeps"], 21_000),
            "chains of AIS": (ais["chains"], 100),
        }
        return Size(settings, min(map(len, named)), len(train))

    both = dict.fromkeys(("exchange", "bridge", "likelihood", "adaptive"), size("fixed", "adaptive"))
    return {**dict.fromkeys(CLAIMS, size("adaptive")), **both, "growing": size("growing")}


def statistics(artifacts: Artifacts) -> Statistics:
    traces, checks = artifacts["traces"], artifacts["checks"]

    def growth(name):
        def thirds(trace):
            first, _, last = np.array_split(np.abs(trace[name].values[trk_checks.after_burn_in(trace)]), 3)
            return [last.mean() if last.size else np.nan, first.mean() if first.size else np.nan]

        return over_finite(trk_checks.ratio_of_groups, of_each(thirds, traces["adaptive"]), scale="log")

    def linear_over_adaptive(number, of_ladders):
        values = (of_each(number, of_ladders[ladder]) for ladder in ("fixed", "adaptive"))
        return over_finite(ratio_of_means, *values, scale="log")

    def lowest_exchange_rate(trace):
        return np.nanmin(exchange_rates(trace, last=True)[0])

    def late_bridging(trace):
        return trace["bridged_log_z_std_dev"].values[trk_checks.in_last(trace, 1.0 / 3.0)].mean()

    def late_tracking(check):
        return trk_checks.mean_distance(check, 1.0 / 3.0)

    def late_likelihood(check):
        late = trk_checks.is_known(check) & trk_checks.in_last(check, 0.5)
        return trk_checks.mean_of_known(trk_checks.likelihood(check, "test", "log_z")[late])

    likelihoods = (of_each(late_likelihood, checks[ladder]) for ladder in ("adaptive", "fixed"))
    return {
        "bias": growth("bias"),
        "variance": growth("bridged_log_z_std_dev"),
        "change": growth("observed_change_std_dev"),
        "close": over_finite(mean, of_each(late_tracking, checks["adaptive"]), scale="log"),
        "exchange": linear_over_adaptive(lowest_exchange_rate, traces),
        "bridge": linear_over_adaptive(late_bridging, traces),
        "likelihood": over_finite(difference_of_means, *likelihoods),
        "adaptive": linear_over_adaptive(trk_checks.mean_distance, checks),
        "growing": over_finite(mean, of_each(trk_checks.mean_distance, checks["growing"]), scale="log"),
    }


def draw(artifacts: Artifacts, *, title: str) -> Figure:
    trace, check = artifacts["trace"], artifacts["check"]
    figure = new_figure(7.2, 10.2)
    # Any, because matplotlib's type does not accept nested lists of names.
    rows: Any = [*([name] * 2 for name in ("log_z", "change", "bias", "error")), ["exchange", "ladder"]]
    axes = figure.subplot_mosaic(rows, height_ratios=[1.8, 1.0, 1.0, 1.0, 1.3])
    _draw_log_z(axes["log_z"], trace, check, title_of(title, trace))
    _draw_change(axes["change"], trace)
    _draw_bias(axes["bias"], trace)
    _draw_errors(axes["error"], trace)
    for name in ("log_z", "change", "bias"):
        axes[name].sharex(axes["error"])
        axes[name].tick_params(labelbottom=False)
    trk_checks.label_updates(axes["error"])
    _draw_exchanges(axes["exchange"], trace)
    _draw_ladder(axes["ladder"], trace)
    return finished(figure, trace, check, panels=axes.values())


def _draw_log_z(axis, trace, check, title):
    bridged = trace["bridged_log_z"]
    axis.plot(trace["update"], bridged, ".", color=_BRIDGE, label="bridge sampling at one update")
    label = f"Kalman, ±{trk_checks.DEVIATIONS:g} s.d."
    tracked = trk_checks.draw_tracked(axis, trace["log_z"], trace["log_z_std_dev"], color=_KALMAN, label=label)
    look = {"color": LOOKS["ais"][0], "zorder": 3, "markerfacecolor": "none", "label": "AIS, 95% interval"}
    points = trk_checks.draw_checked(axis, check, None, **look)
    trk_checks.limit(axis, [np.stack([bridged] * 3), tracked, points])
    axis.set_ylabel(r"$\log Z$ [nat]")
    _legend(axis, title=title)


def _draw_change(axis, trace):
    """Draw the observed changes. The first row of a trace has none."""
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
        # The first row has no observed change, and 0 as its standard deviation.
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


def exchange_rates(trace: Dataset, last: bool) -> tuple[Array, Array]:
    """Exchange rates (pair,) and inverse temperatures (rung,) in the first or `last` tenth of a training.

    The counts in a trace restart when the ladder gains a rung. Therefore only rows with the same number of pairs are
    compared.
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
    """Draw a line for each rung. All lines start again when a new rung renumbers the other rungs."""
    betas = trace["inverse_temperature"].values
    rungs = np.isfinite(betas).sum(axis=1)
    for count in np.unique(rungs):
        rows = rungs == count
        axis.plot(trace["update"].values[rows], betas[rows, :count], color=_KALMAN, linewidth=0.9)
    axis.set_ylabel(r"inverse temperature $\beta$")
    trk_checks.label_updates(axis)


def _legend(axis, *others, title=None):
    """Draw a legend above a panel, and a title above the legend."""
    named = [handle for panel in (axis, *others) for handle in panel.get_legend_handles_labels()[0]]
    position = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.0, "alignment": "right"}
    axis.legend(handles=named, ncols=3, fontsize=7.5, columnspacing=1.2, title=title, title_fontsize=10, **position)


def _fit_scale(axis, values):
    """Set a symmetric logarithmic y axis if the largest magnitude exceeds `_WIDE` times the median."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if sizes.size and sizes.max() > _WIDE * np.median(sizes):
        axis.set_yscale("symlog", linthresh=10.0 ** np.ceil(np.log10(np.median(sizes))))
