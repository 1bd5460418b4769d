"""Ranks of the estimators by RMSE, by family and budget.

Mean rank of every estimator by root mean square error over the models of a family, 1 the best, with its 95% bootstrap
interval. A cross marks cells in which some replicate reported that it had not converged.
"""

import numpy as np

from replication.papers.zoo.drawing import draw_maps
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import families, mean_rank, title_of_family, unconverged, with_interval

_LABEL = "mean rank by RMSE, 1 the best\n(below: 95% interval; × not converged)"

inputs = combined


def draw(artifacts, *, names):
    """Mean rank of every estimator (column) over the models of every family (row), a panel for each budget."""
    from matplotlib.colors import Normalize

    zoo = artifacts["zoo"]
    parts = [(part, with_interval(part, mean_rank)) for part in families(zoo).values()]
    panels = {}
    for budget in np.sort(zoo["budget"].values):
        shown = [(part, ranks) for part, ranks in parts if budget in part["budget"]]
        if not shown:
            continue
        values, texts = zip(*(_row(part, ranks, budget) for part, ranks in shown), strict=True)
        panels[budget] = [title_of_family(part) for part, _ in shown], np.array(values), texts
    return draw_maps(zoo, names, panels, Normalize(1, zoo.sizes["estimator"]), _LABEL, row_height=0.42, shrink=0.7)


def _row(part, ranks_with_interval, budget):
    """Ranks (estimator,) of a family at a budget, and their texts."""
    column = int(np.flatnonzero(part["budget"].values == budget)[0])
    ranks, interval = (array[..., column] for array in ranks_with_interval)
    doubtful = (unconverged(part).sel(budget=budget) > 0).any("model").values
    return ranks, [
        f"{rank:.1f}" + (" ×" if crossed else "") + f"\n{low:.1f}–{high:.1f}"
        for rank, low, high, crossed in zip(ranks, *interval, doubtful, strict=True)
    ]
