"""Las Vegas figure 2c: tour lengths by digit.

Tour lengths by the digit on the image that the tour started from: shares longer than n sweeps, and geometric means with
95% intervals. Savarese et al. (2018), figure 2c.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.papers.las_vegas.drawing import draw_tail, finish_tails
from logzoo.reporting.logarithms import exp, log
from logzoo.reporting.statistics import DEVIATE, Statistic
from logzoo.reporting.style import finished, new_figure

CLAIMS = {
    "short-1": Claim(
        "Tours from the digit 1 are short",
        "learned well",
        at_most=0.0,
        why="They are in smaller models and after short trainings, and grow most.",
    ),
    "short-6": Claim("Tours from the digit 6 are short", "learned well", at_most=0.0),
    "long-4": Claim("Tours from the digit 4 are long", "more trouble", at_least=0.0),
    "long-8": Claim(
        "Tours from the digit 8 are long",
        "more trouble",
        at_least=0.0,
        why="Those from a 4, a 1, a 7 and a 5 are the longest here.",
    ),
}
# By digit: green those published as short, orange as long, others grey; no two lines alike.
_COLOURS = {1: "#009E73", 6: "#66C2A5", 4: "#D55E00", 8: "#F4A460"}
_OTHERS = ("#000000", "#666666", "#999999", "#BBBBBB", "#999999", "#666666")
_LINES = ("-", "-", "-", "-", ":", ":")


def inputs(here):
    model, sizes = here.entry["model"], here.chosen("tours", "cap")
    tours = here.experiment(
        "logzoo.papers.las_vegas.classes:run",
        here.model_and_data(model),
        sizes,
        f"tours/{model}.classes",
        stream=("tours-by-class", model),
        work={"tours": here.visits(model, sizes["tours"])},
        most={"sampling": here.visits(model, sizes["tours"] * sizes["cap"] + 2 * here.examples(model))},
    )
    return {"tours": tours}


def statistics(artifacts):
    """Mean log length of tours from each of the digits of the claims, less that of tours from all other digits."""
    tours = artifacts["tours"]
    statistics = {}
    for key in CLAIMS:
        digit = key[-1]
        chosen = tours["class"] == int(digit)
        (own, error), (others, other_error) = (_mean_log(tours.sel({"class": part})) for part in (chosen, ~chosen))
        value, half = own - others, DEVIATE * np.hypot(error, other_error)
        of = f"mean log length of tours from the digit {digit}, less that from the other digits"
        statistics[key] = Statistic(value, value - half, value + half, of)
    return statistics


def draw(artifacts, *, title):
    """Tour lengths by the class of the image that they started from: tails, and geometric means."""
    tours = artifacts["tours"]
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    others = iter(zip(_OTHERS, _LINES, strict=True))
    for label in tours["class"].values:
        colour, line = (_COLOURS[label], "-") if label in _COLOURS else next(others, (_OTHERS[-1], "-."))
        of_class = tours.sel({"class": [label]})
        sweeps = np.repeat(of_class["length"].values, of_class["tours"].values[0])
        draw_tail(left, sweeps, label=f"{int(label)}", color=colour, linestyle=line)
        log_mean, error = _mean_log(of_class)
        low, mean, high = exp(log_mean + DEVIATE * error * np.array([-1, 0, 1]))
        right.errorbar(int(label), mean, [[mean - low], [high - mean]], fmt="o", color=colour)
    finish_tails(left, int(tours.attrs["cap"]))
    left.legend(title="started from", fontsize=8, ncols=2)
    right.set(xticks=tours["class"].values, xlabel="class of the image\n(published: green short, orange long)")
    right.set_ylabel("geometric mean of the lengths [sweeps]")
    right.set_title(title, loc="right", fontsize=9)
    return finished(figure, tours, panels=(left, right))


def _mean_log(tours):
    """Mean log length of tours of all these classes together, and its standard error; NaN of fewer than two."""
    logs, counts = log(tours["length"].values), tours["tours"].values.sum(axis=0)
    total = counts.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        # No products of vectors: their last digit depends on the processor, by BLAS.
        mean = (counts * logs).sum() / total
        return mean, np.sqrt((counts * (logs - mean) ** 2).sum() / (total - 1.0) / total)
