"""Figure 7 of Carlson et al. (2016): a uniform base, the knot in its ladder, and what unties it."""

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from logzoo.figures.statistics import mean_with_band, rmse_with_band
from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, title_of

_SMALLEST_SHARE = 1e-5


def figure_7(estimates, remedies, matrices, truth, title, names):
    """Mean and RMSE of log Z from a uniform base, transition matrices of beta, and remedies at the same budgets.

    estimates, remedies: {estimator: Dataset}, drawn in panels of their own; matrices: {label: Dataset with a
    transition_matrix}, of which the largest budget that all have is drawn, averaged over replicates; names:
    {estimator: name}.
    """
    figure = new_figure(9.6, 7.2)
    grid = figure.add_gridspec(2, 6)
    mean, error, remedy = (figure.add_subplot(grid[0, 2 * part : 2 * part + 2]) for part in range(3))
    log_z = float(truth["log_z"])
    mean.axhline(log_z, color=TRUTH, linestyle="--", label="truth")
    for axis, group in ((error, estimates), (remedy, remedies)):
        ticks = sorted({int(budget) for estimate in group.values() for budget in estimate["budget"].values})
        for position, (estimator, estimate) in enumerate(group.items()):
            look, budgets = look_of(estimator, position), estimate["budget"].values
            _draw(axis, budgets, rmse_with_band(estimate["log_z"].values, log_z), names[estimator], look)
            if axis is error:
                _draw(mean, budgets, mean_with_band(estimate["log_z"].values), names[estimator], look)
        _label_budgets(axis, ticks)
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
        axis.legend(fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.28))
    mean.set_ylabel(r"mean of $\log \hat Z$ [nat]")
    mean.ticklabel_format(axis="y", useOffset=False)
    mean.legend(fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.28))
    _label_budgets(mean, sorted({int(budget) for one in estimates.values() for budget in one["budget"].values}))
    mean.set_title("uniform base", loc="right")
    error.set_title("uniform base", loc="right")
    remedy.set_title("remedies", loc="right")
    lower = _draw_matrices(figure, grid, matrices)
    label_panels((mean, error, remedy, *lower))
    figure.suptitle(title_of(title, truth), fontsize=10)
    mark_stand_in(figure, truth)
    return figure


def _label_budgets(axis, budgets):
    axis.set_xscale("log")
    axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("Gibbs sweeps per chain")


def _draw(axis, budgets, values_and_band, name, look):
    values, band = values_and_band
    axis.plot(budgets, values, label=name, **look)
    axis.fill_between(budgets, *band, color=look["color"], alpha=0.2, linewidth=0)


def _draw_matrices(figure, grid, matrices):
    """A panel for each transition matrix, on one scale; a knot is a place where the band around the diagonal thins."""
    width = 6 // len(matrices)
    budget = max(set.intersection(*({int(value) for value in one["budget"].values} for one in matrices.values())))
    axes = []
    for part, (label, estimate) in enumerate(matrices.items()):
        axis = figure.add_subplot(grid[1, width * part : width * (part + 1)])
        matrix = estimate["transition_matrix"].sel(budget=budget).mean("replicate").values
        image = axis.imshow(
            np.maximum(matrix, _SMALLEST_SHARE),
            origin="lower",
            norm=LogNorm(_SMALLEST_SHARE, 1.0),
            cmap="magma",
            extent=(0, 1, 0, 1),
        )
        axis.set_title(f"{label}\n{budget:,} sweeps", loc="right", fontsize=9)
        axis.set_xlabel(r"$\beta$ after a sweep")
        axis.set_ylabel(r"$\beta$ before it")
        axes.append(axis)
    figure.colorbar(image, ax=axes, label="share of moves (log scale)")
    return axes
