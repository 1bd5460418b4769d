"""Tracking figure 3: test likelihood while training, exact, by AIS and tracked.

Mean test log-likelihood while an RBM trains, exact by enumeration, by AIS, and under the log Z that the Kalman filter
tracks, for two learning rates and three times at which they begin to fall. Fits may count more runs than are drawn.
Desjardins et al. (2011), figure 3.
"""

from itertools import cycle

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.expected import expect
from replication.papers.tracking.trk_checks import (
    SIGMAS,
    after_burn_in,
    blocks,
    checked,
    mean_of_totals,
    over_parts,
    ratio,
    units,
)
from replication.papers.tracking.trk_drawing import DEVIATIONS, draw_checked, draw_tracked, label_updates, limit
from replication.reporting.statistics import untested
from replication.reporting.style import finished, new_figure

CLAIMS = {
    "fit-slow": Claim(
        "At a learning rate of 0.001 the tracked log Z fits the exact one", "a very good fit", at_most=0.5
    ),
    "fit-fast": Claim(
        "At a learning rate of 0.01 the tracked log Z fits the exact one, unless the rate falls last",
        "a good fit up to alpha = 1e4",
        at_most=0.5,
        why="With alpha = 1e4 the tracked log Z is too low by a nat or more whenever log Z has just risen. Beside a "
        "likelihood that climbs by tens of nats a figure shows that as a good fit.",
    ),
    "cover": Claim(
        "The exact log Z lies within three standard deviations of the tracked one",
        "-",
        at_least=0.9,
        why="The filter states the noise of what it measures. Its errors are small, but they are lags and last for "
        "longer than that noise.",
    ),
    "oscillates": Claim(
        "With the larger learning rate and the latest decay the fit breaks down", "training oscillates", at_least=2.0
    ),
}
_SPEEDS = ("slow", "fast")
_DECAYS = ("low", "mid", "high")
_FASTEST = ("fast", "high")
_ENDS = tuple(f"-{speed}-{decay}" for speed in _SPEEDS for decay in _DECAYS)
# Runs whose exact test likelihood climbs less, in nats, are left out: half the climb of the poorest published curve.
_TRAINED = 24.0
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def inputs(here: Here) -> dict:
    models = [model for speed in _SPEEDS for model in here.entry[speed]]
    checks = {check: {model: checked(here, model, check) for model in models} for check in ("exact", "ais")}
    # Runs that are counted and not drawn.
    more = {model: checked(here, model, "exact") for model in here.entry.get("more", [])}
    for key in (*_SPEEDS, *({"more"} & here.entry.keys())):
        named = all(model.endswith(_ENDS) for model in here.entry[key])
        expect(here, key, named, f"models whose names end in {', '.join(_ENDS)}")
    return {"traces": {model: here.trace(model) for model in models}, **checks, "more": more}


def settings(here: Here) -> dict:
    """Panels {title: {model: label}}."""
    panels = {}
    for speed in _SPEEDS:
        train = {model: here.config["models"][model]["train"] for model in here.entry[speed]}
        labels = {model: f"α = {entry['options']['alpha']:g}" for model, entry in train.items()}
        panels[f"learning rate {train[here.entry[speed][-1]]['learning_rate']:g}"] = labels
    return {"panels": panels}


def statistics(artifacts: dict) -> dict:
    """From exact checks, after the first tenth of a run, of runs named ...-<speed>-<decay>: learning rate and alpha.

    A fit is that of all runs, those that are not drawn among them, and each alpha counts the same.
    """
    every = artifacts["exact"] | artifacts.get("more", {})
    settled = {model: after_burn_in(check) for model, check in every.items()}
    kinds = {model: tuple(model.split("-")[-2:]) for model in settled}
    error = {model: np.abs(check["tracked_log_z"] - check["log_z"]).values for model, check in settled.items()}
    others = [model for model in artifacts["exact"] if kinds[model] != _FASTEST]
    trained = [model for model, check in every.items() if kinds[model] != _FASTEST and _climb(check) >= _TRAINED]
    shares, unit = units([_covered(settled[model]) for model in others])
    fastest_errors, unit_of_fast = blocks([error[model] for model in artifacts["exact"] if kinds[model] == _FASTEST])
    fast_errors, _ = blocks([error[model] for model in others if kinds[model][0] == "fast"])
    of = f"of all runs but fast-high, by {unit}"
    fast = f"fast-high / other fast runs, by {unit_of_fast}"

    def mean_of_groups(*totals):
        return np.mean([mean_of_totals(group) for group in totals], axis=0)

    def fit(speed):
        runs = [model for model in trained if kinds[model][0] == speed]
        of = f"mean |tracked - exact log Z| [nat] of {len(runs)} {speed} runs that climbed {_TRAINED:g} nats"
        of += ", by alpha and block of check points"
        parts = [blocks([error[model] for model in runs if kinds[model][1] == decay])[0] for decay in _DECAYS]
        known = [part for part in parts if part.size]
        return over_parts(mean_of_groups, *known, of=of, scale="log") if known else untested(of)

    return {
        "fit-slow": fit("slow"),
        "fit-fast": fit("fast"),
        "cover": over_parts(
            mean_of_totals, shares, of=f"share of check points within {SIGMAS:g} stated standard deviations {of}"
        ),
        "oscillates": over_parts(
            ratio, fastest_errors, fast_errors, of=f"mean |tracked - exact log Z|, {fast}", scale="log"
        ),
    }


def _climb(check):
    """How much the exact test likelihood climbs, in nats."""
    likelihood = (check["mean_log_f"].sel(split="test") - check["log_z"]).values
    return likelihood[-1] - likelihood[0] if likelihood.size else 0.0


def _covered(check):
    """1 or 0 (update,): is the truth within 3 stated standard deviations? NaN where there is no truth.

    A tracked value that is not a number has failed, so it is 0.
    """
    within = np.abs(check["tracked_log_z"] - check["log_z"]) <= SIGMAS * check["tracked_std_dev"]
    return within.where(np.isfinite(check["log_z"])).values


def draw(artifacts: dict, *, panels):
    """Test log-likelihood while training: exact, by AIS, and by the Kalman filter where exact values are.

    panels: {title: {model: label}}; runs of one label share a colour.
    """
    from matplotlib.lines import Line2D

    figure = new_figure(3.5 * len(panels) + 1.6, 3.8)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    labels = dict.fromkeys(label for runs in panels.values() for label in runs.values())
    colours = dict(zip(labels, cycle(_COLOURS), strict=False))
    for axis, (title, runs) in zip(axes, panels.items(), strict=True):
        drawn = [_draw_run(axis, artifacts, model, colours[label]) for model, label in runs.items()]
        limit(axis, [part for run in drawn for part in run])
        label_updates(axis)
        axis.set_title(title, loc="right")
    axes[0].set_ylabel("mean test log-likelihood [nat]")
    methods = (
        Line2D([], [], color="black", marker="o", markersize=5, label="exact"),
        Line2D([], [], color="black", marker="s", linestyle="", markerfacecolor="white", label="AIS, 95%"),
        Line2D([], [], color="black", linestyle="--", label=f"Kalman filter, ±{DEVIATIONS:g} s.d."),
    )
    handles = [Line2D([], [], color=colour, linewidth=4, label=label) for label, colour in colours.items()]
    figure.legend(handles=[*handles, *methods], loc="outside right upper", fontsize=8)
    return finished(figure, *(dataset for datasets in artifacts.values() for dataset in datasets.values()), panels=axes)


def _draw_run(axis, artifacts, model, colour):
    """A line for each way to the test log-likelihood of a run; returns values, lows, highs (3, update) of each."""
    trace, exact_check, ais = (artifacts[name][model] for name in ("traces", "exact", "ais"))
    log_f = exact_check["mean_log_f"].sel(split="test")
    exact = log_f - exact_check["log_z"]
    axis.plot(exact["update"], exact, color=colour, marker="o", markersize=3)
    checked_rows = trace.sel(update=exact["update"])
    return [
        np.stack([exact] * 3),
        draw_checked(axis, ais, "test", color=colour, markerfacecolor="white", zorder=3),
        draw_tracked(axis, log_f - checked_rows["log_z"], checked_rows["log_z_std_dev"], color=colour, linestyle="--"),
    ]
