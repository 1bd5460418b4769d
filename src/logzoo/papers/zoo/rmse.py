"""RMSE of every estimator on every model.

Root mean square error of log Z of every estimator on every model at matched budgets of Gibbs sweeps. A cross marks
cells in which some replicate reported that it had not converged.
"""

import numpy as np

from logzoo.papers.zoo.families import combined, matrix_places
from logzoo.papers.zoo.statistics import rmse, unconverged
from logzoo.reporting.style import draw_map, mark_stand_in, name_columns, new_figure
from logzoo.reporting.tables import two_digits


def inputs(here):
    return {"zoo": combined(here)}


def settings(here):
    return {"titles": here.titles(matrix_places(here.config)), "names": here.estimator_titles()}


def draw(artifacts, *, titles, names):
    """RMSE of log Z of every estimator (column) on every model (row), a panel below another for each budget.

    A cross marks cells where some replicate reported that it had not converged; a line divides families.
    """
    from matplotlib.colors import LogNorm

    zoo = artifacts["zoo"]
    errors, doubtful = rmse(zoo), unconverged(zoo) > 0
    panels = [errors.sel(budget=budget).dropna("model", how="all") for budget in errors["budget"].values]
    figure = new_figure(3.6 + 0.62 * errors.sizes["estimator"], 1.6 + sum(0.5 + 0.24 * len(panel) for panel in panels))
    heights = [1 + len(panel) for panel in panels]
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    finite = errors.values[np.isfinite(errors.values) & (errors.values > 0)]
    norm = LogNorm(finite.min(), max(finite.max(), finite.min() * 1.01))
    for axis, panel in zip(axes, panels, strict=True):
        crossed = doubtful.sel(budget=panel["budget"], model=panel["model"]).values
        texts = [
            [two_digits(value) + (" ×" if cross else "") for value, cross in zip(*row, strict=True)]
            for row in zip(panel.values, crossed, strict=True)
        ]
        image = draw_map(axis, panel.values, texts, norm, "cividis_r")
        axis.set_title(f"{int(panel['budget']):,} sweeps per chain", loc="left")
        name_columns(axis, [names[name] for name in panel["estimator"].values], shown=axis is axes[-1])
        axis.set_yticks(range(len(panel)), [titles[model] for model in panel["model"].values])
        family = panel["family"].values
        for row in np.flatnonzero(family[1:] != family[:-1]):
            axis.axhline(row + 0.5, color="black", linewidth=0.8)
    figure.colorbar(image, ax=axes, label="RMSE of log Z [nat]   (× not converged)", shrink=0.5)
    mark_stand_in(figure, zoo)
    return figure
