"""How often each estimator's own intervals cover, by budget.

Share of each estimator's own 95% intervals that cover the truth, over all models and replicates, with 95% binomial
intervals. Hollow: of the runs alone that reported that they had converged. Where the truth is not exact, its standard
error widens the intervals in quadrature.
"""

import numpy as np

from replication.papers.zoo.drawing import draw_dot, name_rows
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import LEVEL, coverage, vouched_for
from replication.reporting.style import TRUTH, mark_stand_in, new_figure

inputs = combined


def draw(artifacts, *, names):
    """Share of 95% intervals that cover the truth, over models and replicates, a panel for each budget."""
    zoo = artifacts["zoo"]
    budgets = np.sort(zoo["budget"].values)
    figure = new_figure(2.2 + 2.6 * len(budgets), 1.0 + 0.22 * zoo.sizes["estimator"])
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    for axis, budget in zip(axes, budgets, strict=True):
        axis.axvline(LEVEL, color=TRUTH, linestyle="--", linewidth=1)
        every, sure = (coverage(runs.sel(budget=budget)) for runs in (zoo, vouched_for(zoo)))
        for row, estimator in enumerate(zoo["estimator"].values):
            for hollow, (share, interval, number) in ((False, every), (True, sure)):
                if number[row] > 0 and (not hollow or number[row] < every[2][row]):
                    draw_dot(axis, estimator, row + 0.3 * hollow, share[row], interval[:, row], hollow=hollow)
        axis.set_xlim(-0.02, 1.02)
        axis.set_title(f"{budget:,} sweeps, {np.max(every[2])} runs", loc="right", fontsize=9)
        axis.set_xlabel("share of 95% intervals that cover")
    name_rows(axes[0], zoo, names)
    mark_stand_in(figure, zoo)
    return figure
