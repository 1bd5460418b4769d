"""Bias of the estimators with its sign.

Mean error of log Z with its sign, at the largest budget of each family: AIS is expected below 0, and RAISE above unless
the model keeps mass far from its data. Bars are 95% bootstrap intervals, hollow markers say that some replicate had not
converged, the grey band is two standard errors of the truth to either side.
"""

import numpy as np

from replication.papers.zoo.drawing import draw_dot, name_rows
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import (
    error_of_truths,
    families,
    mean_bias,
    title_of_family,
    unconverged,
    with_interval,
)
from replication.reporting.style import TRUTH, label_panels, mark_stand_in, new_figure

inputs = combined


_COLUMNS = 3


def draw(artifacts, *, names):
    """Mean error of every estimator, a panel for each family at the largest budget that all its models have."""
    zoo = artifacts["zoo"]
    parts = list(families(zoo).values())
    rows, columns = -(-len(parts) // _COLUMNS), min(len(parts), _COLUMNS)
    figure = new_figure(1.6 + 3.1 * columns, (0.9 + 0.16 * zoo.sizes["estimator"]) * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axis in axes[len(parts) :]:
        axis.set_visible(False)
    for axis, part in zip(axes, parts, strict=False):
        _draw_biases(axis, part.isel(budget=[-1]))
        budget = int(part["budget"][-1])
        axis.set_title(f"{title_of_family(part)}\n{budget:,} sweeps", loc="right", fontsize=9)
        axis.set_xlabel("mean error of log Z [nat]")
    name_rows(axes[0], zoo, names)
    label_panels(axes[: len(parts)])
    mark_stand_in(figure, zoo)
    return figure


def _draw_biases(axis, part):
    from matplotlib.ticker import SymmetricalLogLocator

    values, interval = (numbers[..., 0] for numbers in with_interval(part, mean_bias))
    doubtful = (unconverged(part) > 0).any("model").sel(estimator=part["estimator"]).values[:, 0]
    error = 2 * error_of_truths(part)[1]
    axis.axvspan(-error, error, color=TRUTH, alpha=0.15, linewidth=0)
    axis.axvline(0.0, color=TRUTH, linewidth=0.8)
    for row, estimator in enumerate(part["estimator"].values):
        if np.isfinite(values[row]):
            draw_dot(axis, estimator, row, values[row], interval[:, row], hollow=doubtful[row])
    # Linear up to about the typical distance from 0, so that small biases and large ones have a sign to be seen.
    linear = 10.0 ** np.floor(np.log10(max(np.nanmedian(np.abs(values)), 1e-6)))
    axis.set_xscale("symlog", linthresh=linear)
    few = SymmetricalLogLocator(base=10.0, linthresh=linear)
    few.set_params(numticks=5)
    axis.xaxis.set_major_locator(few)
    reach = 1.1 * max(np.nanmax(np.abs(values)), np.nanmax(np.abs(interval)), error)
    axis.set_xlim(-reach, reach)
