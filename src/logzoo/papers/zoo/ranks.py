"""Ranks of the estimators by RMSE, by family and budget.

Mean rank of every estimator by root mean square error over the models of a family, 1 the best, with its 95% bootstrap
interval. A cross marks cells in which some replicate reported that it had not converged.
"""

import numpy as np

from logzoo.papers.zoo.families import combined
from logzoo.papers.zoo.statistics import mean_rank, parts_of, title_of_family, unconverged, with_interval
from logzoo.reporting.style import draw_map, mark_stand_in, name_columns, new_figure


def inputs(here):
    return {"zoo": combined(here)}


def draw(artifacts, *, names):
    """Mean rank of every estimator (column) over the models of every family (row), a panel for each budget.

    1 is the best; below it the 95% bootstrap interval, and a cross where some replicate had not converged.
    """
    from matplotlib.colors import Normalize

    zoo = artifacts["zoo"]
    parts = [(part, with_interval(part, mean_rank)) for part in parts_of(zoo)]
    panels = {
        int(budget): [(part, ranks) for part, ranks in parts if budget in part["budget"]]
        for budget in np.sort(zoo["budget"].values)
    }
    count = zoo.sizes["estimator"]
    figure = new_figure(3.6 + 0.62 * count, 1.6 + sum(0.5 + 0.42 * len(shown) for shown in panels.values()))
    heights = [1 + len(shown) for shown in panels.values()]
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (budget, shown) in zip(axes, panels.items(), strict=True):
        rows = [_row(part, ranks, budget) for part, ranks in shown]
        values, texts = zip(*rows, strict=True)
        image = draw_map(axis, np.array(values), texts, Normalize(1, count), "cividis_r")
        axis.set_title(f"{budget:,} sweeps per chain", loc="left")
        name_columns(axis, [names[name] for name in zoo["estimator"].values], shown=axis is axes[-1])
        axis.set_yticks(range(len(shown)), [title_of_family(part) for part, _ in shown])
    label = "mean rank by RMSE, 1 the best\n(below: 95% interval; × not converged)"
    figure.colorbar(image, ax=axes, label=label, shrink=0.7)
    mark_stand_in(figure, zoo)
    return figure


def _row(part, ranks_with_interval, budget):
    """Ranks (estimator,) of a family at a budget, and their texts."""
    column = int(np.flatnonzero(part["budget"].values == budget)[0])
    ranks, interval = (array[..., column] for array in ranks_with_interval)
    doubtful = (unconverged(part).sel(budget=budget) > 0).any("model").values
    return ranks, [_text(*cell) for cell in zip(ranks, *interval, doubtful, strict=True)]


def _text(rank, low, high, doubtful):
    return f"{rank:.1f}" + (" ×" if doubtful else "") + f"\n{low:.1f}–{high:.1f}"
