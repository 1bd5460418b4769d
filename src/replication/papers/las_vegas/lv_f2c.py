"""Las Vegas figure 2c: tour lengths by digit.

Tour lengths by the digit on the image that the tour started from: shares longer than n sweeps, visible units drawn, and
geometric means with 95% intervals, visible units drawn and at their means. Savarese et al. (2018), figure 2c.
"""

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.las_vegas.lv_tails import VISIBLE, draw_tail, finish_tails
from replication.reporting.statistics import DEVIATE, Statistic
from replication.reporting.style import finished, new_figure

_SHORT = {"published": "learned well", "at_most": 0.0}
_LONG = {"published": "more trouble", "at_least": 0.0}
_GROWN = "They are in smaller models and after short trainings, and grow most."
_LONGEST = "Those from a 1, a 4, a 7 and a 5 are the longest here."


def _claims(visible, key=""):
    return {
        f"short-1{key}": Claim(f"Tours from the digit 1 are short{visible}", **_SHORT, why=_GROWN),
        f"short-6{key}": Claim(f"Tours from the digit 6 are short{visible}", **_SHORT),
        f"long-4{key}": Claim(f"Tours from the digit 4 are long{visible}", **_LONG),
        f"long-8{key}": Claim(f"Tours from the digit 8 are long{visible}", **_LONG, why=_LONGEST),
    }


CLAIMS = _claims(", visible units drawn") | _claims(", visible units at their means as published", "-means")
# Digits published as short are green, as long orange, others grey; no two lines are alike.
_COLOURS = {1: "#009E73", 6: "#66C2A5", 4: "#D55E00", 8: "#F4A460"}
_OTHERS = ("#000000", "#666666", "#999999", "#BBBBBB", "#999999", "#666666")
_LINES = ("-", "-", "-", "-", ":", ":")
# (visible units, offset of the marks from the tick, style of the marks)
_SETTINGS = (("draws", -0.15, {}), ("means", 0.15, {"markerfacecolor": "white"}))


def inputs(here: Here) -> dict:
    model, sizes = here.entry["model"], here.chosen("tours", "cap")
    tours = here.experiment(
        "replication.papers.las_vegas.lv_tours:by_class",
        here.model_and_data(model),
        sizes,
        f"tours/{model}.classes",
        stream=("tours-by-class", model),
        work={"tours": here.visits(model, len(VISIBLE) * sizes["tours"])},
        most={"sampling": here.visits(model, len(VISIBLE) * sizes["tours"] * sizes["cap"] + 2 * here.examples(model))},
    )
    return {"tours": tours}


def statistics(artifacts: dict) -> dict:
    """Mean log length of tours from each of the digits of the claims, less that of tours from all other digits."""
    tours = artifacts["tours"]
    statistics = {}
    for key in CLAIMS:
        _, digit, *means = key.split("-")
        lengths = tours.sel(visible="means" if means else "draws")
        chosen = lengths["class"] == int(digit)
        (mean, error), (others, other_error) = (_mean_log(lengths.sel({"class": part})) for part in (chosen, ~chosen))
        value, half = float(mean - others), float(DEVIATE * np.hypot(error, other_error))
        of = f"mean log length of tours from the digit {digit}, less that from the other digits"
        statistics[key] = Statistic(value, value - half, value + half, of)
    return statistics


def draw(artifacts: dict, *, title):
    """Tour lengths by the class of the image that they started from: tails, and geometric means."""
    tours = artifacts["tours"]
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    others = iter(zip(_OTHERS, _LINES, strict=True))
    for label in tours["class"].values:
        colour, line = (_COLOURS[label], "-") if label in _COLOURS else next(others, (_OTHERS[-1], "-."))
        of_class = tours.sel({"class": label})
        sweeps = np.repeat(of_class["length"].values, of_class["tours"].sel(visible="draws").values)
        draw_tail(left, sweeps, label=f"{int(label)}", color=colour, linestyle=line)
        for visible, aside, look in _SETTINGS:
            setting = of_class.sel(visible=visible)
            log_mean, error = (float(setting[name]) for name in ("mean_log_length", "mean_log_length_error"))
            low, mean, high = np.exp(log_mean + DEVIATE * error * np.array([-1, 0, 1]))
            right.errorbar(int(label) + aside, mean, [[mean - low], [high - mean]], fmt="o", color=colour, **look)
    for visible, _, look in _SETTINGS:
        right.plot([], [], "o", color="black", label=f"visible units: {visible}", **look)
    right.legend(fontsize=8)
    finish_tails(left, int(tours.attrs["cap"]))
    left.legend(title="started from", fontsize=8, ncols=2)
    right.set(xticks=tours["class"].values, xlabel="class of the image\n(published: green short, orange long)")
    right.set_ylabel("geometric mean of the lengths [sweeps]")
    right.set_title(title, loc="right", fontsize=9)
    return finished(figure, tours, panels=(left, right))


def _mean_log(tours):
    """Mean log length of the tours of all classes and its standard error; NaN without classes."""
    counts = tours["tours"].values.sum(axis=-1)
    if not counts.size:
        return np.nan, np.nan
    shares = counts / counts.sum()
    means, errors = tours["mean_log_length"].values, tours["mean_log_length_error"].values
    # No products of vectors: their last digit depends on the processor, by BLAS.
    mean = (shares * means).sum()
    # Within classes, and as it is chance how many tours start in which.
    variance = ((shares * errors) ** 2).sum() + (shares * (means - mean) ** 2).sum() / counts.sum()
    return mean, np.sqrt(variance)
