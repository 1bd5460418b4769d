"""Bias of the estimators with its sign.

Mean error of log Z with its sign: AIS is expected below 0, and RAISE above unless the model keeps mass far from its
data. Bars are 95% bootstrap intervals, hollow markers say that some replicate had not converged, the grey band is two
standard errors of the truth to either side.
"""

import numpy as np

from logzoo.papers.zoo.drawing import draw_dot, name_rows
from logzoo.papers.zoo.families import combined
from logzoo.papers.zoo.statistics import (
    error_of_truths,
    families,
    mean_bias,
    title_of_family,
    unconverged,
    with_interval,
)
from logzoo.reporting.style import TRUTH, mark_stand_in, new_figure

inputs = combined


def draw(artifacts, *, names):
    """Mean error of every estimator, a row of panels for each family and a column for each of its budgets."""
    zoo = artifacts["zoo"]
    parts = list(families(zoo).values())
    columns = max(part.sizes["budget"] for part in parts)
    figure = new_figure(2.0 + 3.1 * columns, (0.9 + 0.17 * zoo.sizes["estimator"]) * len(parts))
    axes = figure.subplots(len(parts), columns, squeeze=False, sharey=True)
    for row, part in zip(axes, parts, strict=True):
        values, interval = with_interval(part, mean_bias)
        doubtful = (unconverged(part) > 0).any("model").transpose("estimator", "budget").values
        for column, budget in enumerate(part["budget"].values):
            _draw_biases(row[column], part, values[:, column], interval[..., column], doubtful[:, column])
            row[column].set_title(f"{budget:,} sweeps", loc="right", fontsize=9)
        for axis in row[part.sizes["budget"] :]:
            axis.set_visible(False)
        row[0].set_ylabel(title_of_family(part), fontweight="bold")
    name_rows(axes[0, 0], zoo, names)
    for axis in axes[-1]:
        axis.set_xlabel("mean error of log Z [nat]")
    mark_stand_in(figure, zoo)
    return figure


def _draw_biases(axis, part, values, interval, doubtful):
    error = 2 * error_of_truths(part)[1]
    axis.axvspan(-error, error, color=TRUTH, alpha=0.15, linewidth=0)
    axis.axvline(0.0, color=TRUTH, linewidth=0.8)
    for row, estimator in enumerate(part["estimator"].values):
        if np.isfinite(values[row]):
            draw_dot(axis, estimator, row, values[row], interval[:, row], hollow=doubtful[row])
    # Linear up to about the typical distance from 0, so that small biases and large ones have a sign to be seen.
    distance = np.nanmedian(np.abs(values))
    axis.set_xscale("symlog", linthresh=10.0 ** np.floor(np.log10(max(distance, 1e-6))))
    reach = 1.1 * max(np.nanmax(np.abs(values)), np.nanmax(np.abs(interval)), error)
    axis.set_xlim(-reach, reach)
