"""Right, refused or silently wrong, by budget.

Share of the runs of each estimator, over the models whose log Z is exact and all replicates. Silently wrong: off by
more than half a nat and by more than four of its own standard errors, and yet said to have converged. Refused: said not
to have converged. The number is that of the silently wrong.
"""

import numpy as np

from replication.papers.zoo.drawing import name_rows, nothing_to_show
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import outcomes
from replication.reporting.style import mark_stand_in, new_figure

# Outcome -> colour: told apart in grey, too.
_COLOURS = {"right": "#9ecae1", "refused": "#e6e6e6", "silently wrong": "#b2182b"}

inputs = combined


def draw(artifacts, *, names):
    """Bars of the three outcomes for every estimator, a panel for each budget."""
    zoo = artifacts["zoo"]
    if not (zoo["truth_std_error"].values == 0.0).any():
        return nothing_to_show(zoo)
    zoo = zoo.isel(model=np.flatnonzero(zoo["truth_std_error"].values == 0.0))
    budgets = np.sort(zoo["budget"].values[zoo["log_z"].notnull().any(["model", "estimator", "replicate"])])
    figure = new_figure(2.2 + 2.2 * len(budgets), 1.4 + 0.22 * zoo.sizes["estimator"])
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    rows = np.arange(zoo.sizes["estimator"])
    for axis, budget in zip(axes, budgets, strict=True):
        counts, left = outcomes(zoo.sel(budget=budget)), np.zeros(rows.size)
        runs = np.sum(list(counts.values()), axis=0)
        for name, colour in _COLOURS.items():
            share = counts[name] / np.maximum(runs, 1)
            axis.barh(rows, share, left=left, height=0.8, color=colour, edgecolor="white", label=name)
            left += share
        for row, wrong in enumerate(counts["silently wrong"]):
            if wrong:
                # Beside the bar: one of some hundred runs is thinner than a line.
                axis.text(1.01, row, f"{wrong}", va="center", fontsize=7, color=_COLOURS["silently wrong"])
        axis.set_xlim(0.0, 1.0)
        axis.set_title(f"{budget:,} sweeps, {runs.max()} runs", loc="right", fontsize=9)
        axis.set_xlabel("share of runs")
    name_rows(axes[0], zoo, names)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False)
    mark_stand_in(figure, zoo)
    return figure
