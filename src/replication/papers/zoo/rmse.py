"""RMSE of every estimator on every model.

Root mean square error of log Z of every estimator on every model at matched budgets of Gibbs sweeps. A cross marks
cells in which some replicate reported that it had not converged.
"""

import numpy as np

from replication.papers.zoo.drawing import draw_maps
from replication.papers.zoo.families import combined, matrix_places
from replication.papers.zoo.statistics import unconverged
from replication.reporting.tables import two_digits

inputs = combined


def settings(here):
    return {"titles": here.titles(matrix_places(here.config)), "names": here.estimator_titles()}


def draw(artifacts, *, titles, names):
    """RMSE of every estimator (column) on every model (row), a panel for each budget; lines divide families."""
    from matplotlib.colors import LogNorm

    zoo = artifacts["zoo"]
    errors = np.sqrt(((zoo["log_z"] - zoo["truth"]) ** 2).mean("replicate"))
    doubtful = unconverged(zoo) > 0
    shown = [errors.sel(budget=budget).dropna("model", how="all") for budget in errors["budget"].values]
    panels = {}
    for panel in shown:
        crossed = doubtful.sel(budget=panel["budget"], model=panel["model"]).values
        texts = [
            [two_digits(value) + (" ×" if cross else "") for value, cross in zip(*row, strict=True)]
            for row in zip(panel.values, crossed, strict=True)
        ]
        panels[int(panel["budget"])] = [titles[model] for model in panel["model"].values], panel.values, texts
    finite = errors.values[np.isfinite(errors.values) & (errors.values > 0)]
    norm = LogNorm(finite.min(), max(finite.max(), finite.min() * 1.01))
    label = "RMSE of log Z [nat]   (× not converged)"
    figure = draw_maps(zoo, names, panels, norm, label, row_height=0.24, shrink=0.5)
    for axis, panel in zip(figure.axes, shown, strict=False):
        family = panel["family"].values
        for row in np.flatnonzero(family[1:] != family[:-1]):
            axis.axhline(row + 0.5, color="black", linewidth=0.8)
    return figure
