"""Bias of the estimators with its sign, and how often their intervals cover."""

import numpy as np

from logzoo.figures.style import TRUTH, look_of, mark_stand_in, new_figure
from logzoo.figures.zoo_statistics import (
    coverage,
    families,
    mean_bias,
    of_family,
    title_of_family,
    with_interval,
)
from logzoo.zoo import unconverged

_LEVEL = 0.95


def figure_bias(zoo, names):
    """Mean error of every estimator, a row of panels for each family and a column for each of its budgets.

    Dots and 95% intervals; hollow where some replicate had not converged. Grey: two standard errors of the truth.
    """
    parts = [of_family(zoo, family) for family in families(zoo)]
    columns = max(one.sizes["budget"] for one in parts)
    figure = new_figure(2.0 + 3.1 * columns, (0.9 + 0.17 * zoo.sizes["estimator"]) * len(parts))
    axes = figure.subplots(len(parts), columns, squeeze=False, sharey=True)
    for row, one in zip(axes, parts, strict=True):
        values, interval = with_interval(one, mean_bias)
        doubtful = (unconverged(one) > 0).any("model").transpose("estimator", "budget").values
        for column, budget in enumerate(one["budget"].values):
            cells = values[:, column], interval[..., column], doubtful[:, column]
            _draw_biases(row[column], one, *cells)
            row[column].set_title(f"{budget:,} sweeps", loc="right", fontsize=9)
        for axis in row[one.sizes["budget"] :]:
            axis.set_visible(False)
        row[0].set_ylabel(title_of_family(one), fontweight="bold")
    _name_rows(axes[0, 0], zoo, names)
    for axis in axes[-1]:
        axis.set_xlabel("mean error of log Z [nat]")
    mark_stand_in(figure, zoo)
    return figure


def _draw_biases(axis, one, values, interval, doubtful):
    error = 2 * float(np.sqrt(np.square(one["truth_std_error"]).sum())) / one.sizes["model"]
    axis.axvspan(-error, error, color=TRUTH, alpha=0.15, linewidth=0)
    axis.axvline(0.0, color=TRUTH, linewidth=0.8)
    for row, estimator in enumerate(one["estimator"].values):
        if np.isfinite(values[row]):
            _draw_dot(axis, estimator, row, values[row], interval[:, row], hollow=doubtful[row])
    # Linear up to about the typical distance from 0, so that small biases and large ones have a sign to be seen.
    distance = np.nanmedian(np.abs(values))
    axis.set_xscale("symlog", linthresh=10.0 ** np.floor(np.log10(max(distance, 1e-6))))
    reach = 1.1 * max(np.nanmax(np.abs(values)), np.nanmax(np.abs(interval)), error)
    axis.set_xlim(-reach, reach)


def figure_coverage(zoo, names):
    """Share of 95% intervals that cover the truth, over models and replicates, a panel for each budget.

    Dots and 95% binomial intervals: of all runs, and hollow of those that say they converged, where that differs.
    Where the truth is not exact its own error is allowed for.
    """
    budgets = np.sort(zoo["budget"].values)
    figure = new_figure(2.2 + 2.6 * len(budgets), 1.0 + 0.22 * zoo.sizes["estimator"])
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    trusted = zoo.assign(log_z=zoo["log_z"].where(zoo["converged"] == 1))
    for axis, budget in zip(axes, budgets, strict=True):
        axis.axvline(_LEVEL, color=TRUTH, linestyle="--", linewidth=1)
        every, sure = (coverage(one.sel(budget=budget)) for one in (zoo, trusted))
        for row, estimator in enumerate(zoo["estimator"].values):
            for hollow, (share, interval, number) in ((False, every), (True, sure)):
                if number[row] > 0 and (not hollow or number[row] < every[2][row]):
                    place = row + (0.3 if hollow else 0.0)
                    _draw_dot(axis, estimator, place, share[row], interval[:, row], hollow=hollow)
        axis.set_xlim(-0.02, 1.02)
        axis.set_title(f"{budget:,} sweeps, {np.max(every[2])} runs", loc="right", fontsize=9)
        axis.set_xlabel("share of 95% intervals that cover")
    _name_rows(axes[0], zoo, names)
    mark_stand_in(figure, zoo)
    return figure


def _draw_dot(axis, estimator, place, value, interval, hollow):
    look = look_of(estimator, int(place))
    axis.plot(interval, [place, place], color=look["color"], linewidth=1.5)
    face = "white" if hollow else look["color"]
    axis.plot([value], [place], color=look["color"], marker=look["marker"], markerfacecolor=face, label=estimator)


def _name_rows(axis, zoo, names):
    axis.set_yticks(range(zoo.sizes["estimator"]), [names[name] for name in zoo["estimator"].values], fontsize=8)
    axis.set_ylim(zoo.sizes["estimator"] - 0.5, -0.5)
