"""RMSE of every estimator: maps by model and by family, lines against sweeps and against seconds."""

from functools import partial

import numpy as np

from replication.papers.declaration import Declaration, Here
from replication.papers.zoo.families import combined, combined_and_timed, matrix_places
from replication.papers.zoo.zoo_statistics import (
    among_the_best,
    error_of_truths,
    families,
    log_rmse,
    mean_rank,
    some_unconverged,
    title_of_family,
    unconverged,
    with_interval,
)
from replication.reporting.statistics import seconds_of_budgets
from replication.reporting.style import TRUTH, finished, look_of, new_figure, plain_logarithms
from replication.reporting.tables import two_digits

PANEL_COLUMNS = 3
_FAINT = 0.25
_RANK_LABEL = "mean rank by RMSE, 1 the best\n(below: 95% interval; × not converged)"


def draw_sweeps(artifacts, *, names):
    """RMSE against sweeps per chain, a panel for each family."""
    zoo = artifacts["zoo"]
    figure = _draw_errors(zoo, names, lambda _family, _estimator, budgets: budgets, "Gibbs sweeps per chain")
    for axis, part in zip(figure.axes, families(zoo).values(), strict=True):
        budgets = part["budget"].values
        axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axis.set_xticks([], minor=True)
    return figure


def draw_seconds(artifacts, *, names):
    """RMSE against the seconds of an estimate, a panel for each family."""

    def seconds(family, estimator, budgets):
        return seconds_of_budgets(artifacts["timings"][family], estimator, budgets)[0]

    return _draw_errors(artifacts["zoo"], names, seconds, "seconds of an estimate, one core")


def _draw_errors(zoo, names, x_of, label):
    """Geometric mean of the RMSE over the models of a family, a panel for each; a 95% bootstrap band of the best alone.

    Faint: significantly worse than the best at the largest budget. names: {estimator: name}; x_of(family, estimator,
    budgets): the budgets on the x axis.
    """
    parts = families(zoo)
    figure, axes = new_panels(len(parts), 4.0, 4.4)
    for axis, (family, part) in zip(axes, parts.items(), strict=True):
        _draw_family(axis, part, names, partial(x_of, family))
        axis.set_title(title_of_family(part), loc="right", fontsize=9)
        axis.set_xlabel(f"{label}, {int(part['chains'][0])} chains")
    for axis in axes[::PANEL_COLUMNS]:
        axis.set_ylabel("RMSE of log Z [nat], geometric mean over models")
    legend = figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    for handle in filter(None, legend.legend_handles):
        handle.set_alpha(1.0)
    return finished(figure, zoo, panels=axes)


def _draw_family(axis, part, names, x_of):
    from matplotlib.ticker import LogLocator

    values, band = (np.exp(logarithm) for logarithm in with_interval(part, log_rmse))
    doubtful = some_unconverged(part)
    best = among_the_best(part)[-1]
    for row, estimator in enumerate(part["estimator"].values):
        x, look = x_of(estimator, part["budget"].values), look_of(estimator, row)
        strength = {"alpha": 1.0 if row in best else _FAINT, "zorder": 3 if row in best else 2}
        axis.plot(x, values[row], label=names[estimator], **look, **strength)
        hollow, marker = doubtful[row], {"color": look["color"], "marker": look["marker"]}
        axis.plot(x[hollow], values[row, hollow], linestyle="", markerfacecolor="white", **marker, **strength)
        if row == best[0]:
            axis.fill_between(x, *band[:, row], color=look["color"], alpha=0.25, linewidth=0)
    plain_logarithms(axis.xaxis, axis.yaxis)
    if np.nanmax(values) / np.nanmin(values) > 1000:
        axis.yaxis.set_major_locator(LogLocator())
    error = error_of_truths(part)[0]
    if error > 0:
        lowest = min(axis.get_ylim()[0], 0.5 * error)
        axis.axhspan(lowest, error, color=TRUTH, alpha=0.12, linewidth=0)
        axis.set_ylim(bottom=lowest)
        axis.axhline(error, color=TRUTH, linestyle="--", linewidth=1)
        offset = {"xytext": (4, -3), "textcoords": "offset points", "va": "top", "fontsize": 8}
        axis.annotate("standard error of the truth", (0, error), xycoords=("axes fraction", "data"), **offset)


def new_panels(count, width, height, *, margin=1.6, **more):
    """A figure of panels of that size in inches, at most three a row, and their axes; more: options of `subplots`."""
    rows, columns = -(-count // PANEL_COLUMNS), min(count, PANEL_COLUMNS)
    figure = new_figure(width * columns + margin, height * rows)
    axes = figure.subplots(rows, columns, squeeze=False, **more).ravel()
    for axis in axes[count:]:
        axis.remove()
    return figure, axes[:count]


def rmse_settings(here: Here) -> dict:
    """Titles of models and of estimators."""
    return {"titles": here.titles(matrix_places(here.config)), "names": here.estimator_titles()}


def draw_rmse(artifacts, *, titles, names):
    """RMSE of every estimator (column) on every model (row), a panel for each budget; lines divide families."""
    from matplotlib.colors import LogNorm

    zoo = artifacts["zoo"]
    errors = np.sqrt(((zoo["log_z"] - zoo["truth"]) ** 2).mean("replicate"))
    doubtful = unconverged(zoo) > 0
    by_budget = [errors.sel(budget=budget).dropna("model", how="all") for budget in errors["budget"].values]
    panels = {}
    for panel in by_budget:
        crossed = doubtful.sel(budget=panel["budget"], model=panel["model"]).values
        texts = [
            [two_digits(value) + (" ×" if cross else "") for value, cross in zip(*row, strict=True)]
            for row in zip(panel.values, crossed, strict=True)
        ]
        panels[int(panel["budget"])] = [titles[model] for model in panel["model"].values], panel.values, texts
    finite = errors.values[np.isfinite(errors.values) & (errors.values > 0)]
    norm = LogNorm(finite.min(), max(finite.max(), finite.min() * 1.01))
    label = "RMSE of log Z [nat]   (× not converged)"
    figure = _draw_maps(zoo, names, panels, norm, label, row_height=0.24, shrink=0.5)
    for axis, panel in zip(figure.axes, by_budget, strict=False):
        family = panel["family"].values
        for row in np.flatnonzero(family[1:] != family[:-1]):
            axis.axhline(row + 0.5, color="black", linewidth=0.8)
    return figure


def draw_ranks(artifacts, *, names):
    """Mean rank of every estimator (column) over the models of every family (row), a panel for each budget."""
    from matplotlib.colors import Normalize

    zoo = artifacts["zoo"]
    parts = [(part, with_interval(part, mean_rank)) for part in families(zoo).values()]
    panels = {}
    for budget in np.sort(zoo["budget"].values):
        with_budget = [(part, ranks) for part, ranks in parts if budget in part["budget"]]
        if with_budget:
            values, texts = zip(*(_ranks_and_texts(part, ranks, budget) for part, ranks in with_budget), strict=True)
            panels[budget] = [title_of_family(part) for part, _ in with_budget], np.array(values), texts
    return _draw_maps(
        zoo, names, panels, Normalize(1, zoo.sizes["estimator"]), _RANK_LABEL, row_height=0.42, shrink=0.7
    )


def _ranks_and_texts(part, ranks_with_interval, budget):
    """Ranks (estimator,) of a family at a budget, and their texts."""
    column = int(np.flatnonzero(part["budget"].values == budget)[0])
    ranks, interval = (array[..., column] for array in ranks_with_interval)
    return ranks, [
        f"{rank:.1f}" + (" ×" if crossed else "") + f"\n{low:.1f}–{high:.1f}"
        for rank, low, high, crossed in zip(ranks, *interval, some_unconverged(part)[:, column], strict=True)
    ]


def _draw_maps(zoo, names, panels, norm, label, *, row_height, shrink):
    """A figure of heat maps whose columns are the estimators, a panel for each budget; label: of their colours.

    panels: {budget: (names of rows, values (row, estimator), texts of the cells)}; cells without a value are empty.
    """
    sizes = [len(rows) for rows, _, _ in panels.values()]
    titles = [names[name] for name in zoo["estimator"].values]
    figure = new_figure(3.6 + 0.62 * len(titles), 1.6 + sum(0.5 + row_height * size for size in sizes))
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[1 + size for size in sizes])[:, 0]
    for axis, (budget, (rows, values, texts)) in zip(axes, panels.items(), strict=True):
        image = axis.imshow(values, norm=norm, cmap="cividis_r", aspect="auto")
        red, green, blue, _ = np.moveaxis(image.to_rgba(values), -1, 0)
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        for row, column in np.argwhere(np.isfinite(values)):
            colour = "white" if dark[row, column] else "black"
            cell = axis.text(column, row, texts[row][column], ha="center", va="center", fontsize=7.5, color=colour)
            # The layout around hundreds of texts takes longer than drawing them, and these lie inside the axes.
            cell.set_in_layout(False)
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_title(f"{budget:,} sweeps per chain", loc="left")
        labels = titles if axis is axes[-1] else [""] * len(titles)
        axis.set_xticks(range(len(titles)), labels, rotation=35, ha="right", rotation_mode="anchor")
        axis.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, ax=axes, label=label, shrink=shrink)
    return finished(figure, zoo)


FIGURES = {
    "zoo-rmse": Declaration(
        "Root mean square error of log Z of every estimator on every model at matched budgets of Gibbs sweeps. A cross "
        "marks cells in which some replicate did not converge.",
        combined,
        draw_rmse,
        settings=rmse_settings,
    ),
    "zoo-ranks": Declaration(
        "Mean rank of every estimator by root mean square error over the models of a family, 1 the best, with its 95% "
        "bootstrap interval. A cross marks cells in which some replicate did not converge.",
        combined,
        draw_ranks,
    ),
    "zoo-sweeps": Declaration(
        "Root mean square error of log Z against Gibbs sweeps per chain, geometric mean over the models of a family. "
        "The band is the 95% interval of the best estimator at the largest budget, from resampled models (of a single "
        "model: its replicates, taken as normal). Faint: significantly worse than the best estimator there (paired "
        "bootstrap, 5%). Hollow markers: some replicate did not converge. In the grey region errors are below the "
        "standard error of the truth itself.",
        combined,
        draw_sweeps,
    ),
    "zoo-seconds": Declaration(
        "The same against measured seconds of an estimate on one core, on one model of each family.",
        combined_and_timed,
        draw_seconds,
    ),
}
