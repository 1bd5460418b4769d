"""Ranks of the estimators by RMSE, by family and budget."""

import numpy as np
from matplotlib.colors import Normalize

from logzoo.figures.style import draw_map, mark_stand_in, name_columns, new_figure
from logzoo.figures.zoo_statistics import families, mean_rank, of_family, title_of_family, with_interval
from logzoo.zoo import unconverged


def figure_ranks(zoo, names):
    """Mean rank of every estimator (column) over the models of every family (row), a panel for each budget.

    1 is the best; below it the 95% bootstrap interval, and a cross where some replicate had not converged.
    """
    parts = [of_family(zoo, family) for family in families(zoo)]
    panels = {
        int(budget): [one for one in parts if budget in one["budget"]] for budget in np.sort(zoo["budget"].values)
    }
    count = zoo.sizes["estimator"]
    figure = new_figure(3.6 + 0.62 * count, 1.6 + sum(0.5 + 0.42 * len(shown) for shown in panels.values()))
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[1 + len(one) for one in panels.values()])[:, 0]
    found = {one["family"].values[0]: with_interval(one, mean_rank) for one in parts}
    for axis, (budget, shown) in zip(axes, panels.items(), strict=True):
        values, texts = [], []
        for one in shown:
            column = int(np.flatnonzero(one["budget"].values == budget)[0])
            ranks, interval = (part[..., column] for part in found[one["family"].values[0]])
            doubtful = (unconverged(one).sel(budget=budget) > 0).any("model").values
            values.append(ranks)
            texts.append([_text(*cell) for cell in zip(ranks, *interval, doubtful, strict=True)])
        image = draw_map(axis, np.array(values), texts, Normalize(1, count), "cividis_r")
        axis.set_title(f"{budget:,} sweeps per chain", loc="left")
        name_columns(axis, [names[name] for name in zoo["estimator"].values], shown=axis is axes[-1])
        axis.set_yticks(range(len(shown)), [title_of_family(one) for one in shown])
    label = "mean rank by RMSE, 1 the best\n(below: 95% interval; × not converged)"
    figure.colorbar(image, ax=axes, label=label, shrink=0.7)
    mark_stand_in(figure, zoo)
    return figure


def _text(rank, low, high, doubtful):
    return f"{rank:.1f}" + (" ×" if doubtful else "") + f"\n{low:.1f}–{high:.1f}"
