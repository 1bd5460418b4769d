"""Las Vegas figure 2c: tour lengths by digit.

Tour lengths by the digit on the image that the tour started from: shares longer than n sweeps, and geometric means with
95% intervals. Savarese et al. (2018), figure 2c.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.papers.las_vegas.drawing import draw_tail, finish_tails
from logzoo.papers.las_vegas.lengths import difference, lengths
from logzoo.reporting.statistics import over_repeats
from logzoo.reporting.style import finished, new_figure

CLAIMS = {
    "short": Claim("Tours from the digits 1 and 6 are short", "learned well", at_most=0.0),
    "long": Claim("Tours from the digits 4 and 8 are long", "more trouble", at_least=0.0),
}
_PUBLISHED = {"short": (1, 6), "long": (4, 8)}
# By digit: green those published as short, orange as long, others grey; no two lines alike.
_COLOURS = {1: "#009E73", 6: "#66C2A5", 4: "#D55E00", 8: "#F4A460"}
_OTHERS = ("#000000", "#666666", "#999999", "#BBBBBB", "#999999", "#666666")
_LINES = ("-", "-", "-", "-", ":", ":")


def inputs(here):
    return {"tours": lengths(here, here.entry["model"])}


def statistics(artifacts):
    """Mean log length of tours from 1 and 6, and from 4 and 8, less that of tours from all other digits."""
    tours = artifacts["tours"]
    logs = np.log(tours["length"].sel(visible="draws").isel(rounds=0))

    def sums(classes):
        chosen = tours["label"].isin(classes)
        return [(logs * chosen).sum("tour").values, chosen.sum("tour").values]

    every = np.unique(tours["label"].values)
    statistics = {}
    for key, classes in _PUBLISHED.items():
        others = np.setdiff1d(every, classes)
        digits = " and ".join(map(str, classes))
        of = f"mean log length of tours from {digits}, less that from the other digits"
        statistics[key] = over_repeats(difference, *sums(classes), *sums(others), of=of)
    return statistics


def draw(artifacts, *, title):
    """Tour lengths by the class of the image that they started from: tails, and geometric means."""
    tours = artifacts["tours"]
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    sweeps = tours["length"].sel(visible="draws").isel(rounds=0).values.ravel()
    labels = tours["label"].values.ravel()
    classes = np.unique(labels)
    others = iter(zip(_OTHERS, _LINES, strict=True))
    for label in classes:
        colour, line = (_COLOURS[label], "-") if label in _COLOURS else next(others, (_OTHERS[-1], "-."))
        of_class = sweeps[labels == label]
        draw_tail(left, of_class, label=f"{int(label)}", color=colour, linestyle=line)
        logs = np.log(of_class)
        error = 1.96 * logs.std() / np.sqrt(max(of_class.size - 1, 1))
        low, mean, high = np.exp(logs.mean() + error * np.array([-1, 0, 1]))
        right.errorbar(int(label), mean, [[mean - low], [high - mean]], fmt="o", color=colour)
    finish_tails(left, int(tours.attrs["cap"]))
    left.legend(title="started from", fontsize=8, ncols=2)
    right.set(xticks=classes, xlabel="class of the image\n(published: green short, orange long)")
    right.set_ylabel("geometric mean of the lengths [sweeps]")
    right.set_title(title, loc="right", fontsize=9)
    return finished(figure, tours, panels=(left, right))
