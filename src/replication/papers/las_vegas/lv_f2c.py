"""Las Vegas figure 2c: tour lengths by digit.

Tour lengths by the digit on the image from which the tour started. Left: share of tours longer than n sweeps, in one
training. Right: geometric mean length, in all trainings. Visible units are at their means. Savarese et al. (2018),
figure 2c.
"""

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power
from replication.papers.las_vegas import lv_lengths
from replication.papers.panels import add_legend
from replication.papers.repeats import first_of, of_each
from replication.reporting.statistics import difference_of_means, over_repeats
from replication.reporting.style import finished, new_figure
from replication.types import Artifacts, Dataset, Figure, Statistics

# Digits that the paper's model learns well, and digits that it learns less well.
_SHORT, _LONG = (1, 6), (4, 8)
CLAIMS = {
    "digits": Claim(
        "Tours from the digits 1 and 6 are shorter than those from the digits 4 and 8",
        "Distribution modes of the learned RBM, figure 2c",
        "learns well the digits one and six, has more trouble with four and eight",
        "mean log length of tours from the digits 1 and 6, less that from the digits 4 and 8, each digit counting"
        " alike; visible units at their means, as in the authors' code; mean over trainings",
        at_most=0.0,
        bound="learns well digits that are more consistent, has more trouble with digits that have more variability",
        power=Power(
            -0.22, 0.1, "lengths that differ by a factor of 1.25; spread over three pilot trainings of 32 units"
        ),
    )
}
# Blue: digits with short tours in the paper. Orange: digits with long tours.
_LOOKS = {1: ("#0072B2", "-"), 6: ("#0072B2", "--"), 4: ("#D55E00", "-"), 8: ("#D55E00", "--")}
_OTHER = "#B0B0B0", "-"

inputs, sizes = lv_lengths.lengths_of_model, lv_lengths.size_of_model


def statistics(artifacts: Artifacts) -> Statistics:
    means = of_each(mean_logs, artifacts["tours"])
    short, long = (means[list(digits)] for digits in (_SHORT, _LONG))
    return {"digits": over_repeats(difference_of_means, short, long)}


def mean_logs(tours: Dataset) -> Array:
    """Mean log length of the tours from each digit, (10,); NaN for a digit without tours."""
    logs, digits = np.log(lv_lengths.with_means(tours)), tours["label"].values
    counts = np.array([np.count_nonzero(digits == digit) for digit in range(10)])
    with np.errstate(invalid="ignore"):
        return np.array([logs[digits == digit].sum() for digit in range(10)]) / counts


def draw(artifacts: Artifacts, *, title: str) -> Figure:
    trainings = artifacts["tours"]
    first = first_of(trainings)
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    means = np.exp(of_each(mean_logs, trainings))
    for digit in (*_LOOKS, *sorted({*range(10)} - {*_LOOKS})):
        colour, line = _LOOKS.get(digit, _OTHER)
        name = f"{digit}, published as {'short' if digit in _SHORT else 'long'}" if digit in _LOOKS else "other digits"
        of_digit = lv_lengths.with_means(first)[first["label"].values == digit]
        if of_digit.size:
            lv_lengths.draw_tail(
                left, of_digit, label=name, color=colour, linestyle=line, zorder=2 if digit in _LOOKS else 1
            )
        right.plot(np.full(len(trainings), digit), means[digit], "o", color=colour, markersize=4)
    lv_lengths.finish_tails(left, int(first.attrs["cap"]))
    add_legend(figure, [left], "outside upper left", ncols=5)
    right.set(xticks=range(10), xlabel="digit on the image")
    right.set_ylabel("geometric mean of the lengths [sweeps]")
    right.set_title(title, loc="right", fontsize=9)
    return finished(figure, *trainings.values(), panels=(left, right))
