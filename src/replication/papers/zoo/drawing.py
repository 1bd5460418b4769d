"""What several figures of the zoo draw: lines of errors by family, dots by estimator, heat maps by budget."""

from functools import partial

import numpy as np

from replication.papers.zoo.statistics import (
    among_the_best,
    error_of_truths,
    families,
    log_rmse,
    title_of_family,
    unconverged,
    with_interval,
)
from replication.reporting.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, plain_logarithms

_COLUMNS = 3
_FAINT = 0.25


def draw_errors(zoo, names, x_of, label):
    """Geometric mean of the RMSE over the models of a family, a panel for each; a 95% bootstrap band of the best alone.

    Faint: what is told from the best at the largest budget.

    names: {estimator: name}; x_of(family, estimator, budgets): where the budgets are on the x axis.
    """
    parts = families(zoo)
    rows, columns = -(-len(parts) // _COLUMNS), min(len(parts), _COLUMNS)
    figure = new_figure(4.0 * columns + 1.6, 4.4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(parts) :]:
        axis.remove()
    for axis, (family, part) in zip(axes, parts.items(), strict=False):
        _draw_family(axis, part, names, partial(x_of, family))
        axis.set_title(title_of_family(part), loc="right", fontsize=9)
        axis.set_xlabel(f"{label}, {int(part['chains'][0])} chains")
    for axis in axes[: len(parts) : _COLUMNS]:
        axis.set_ylabel("RMSE of log Z [nat], geometric mean over models")
    legend = figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    for handle in filter(None, legend.legend_handles):
        handle.set_alpha(1.0)
    label_panels(axes[: len(parts)])
    mark_stand_in(figure, zoo)
    return figure


def _draw_family(axis, part, names, x_of):
    from matplotlib.ticker import LogLocator

    values, band = (np.exp(logarithm) for logarithm in with_interval(part, log_rmse))
    doubtful = (unconverged(part) > 0).any("model").transpose("estimator", "budget").values
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


def draw_dot(axis, estimator, y, value, interval, hollow):
    """The value of an estimator and its interval (2,), at that height."""
    look = look_of(estimator, int(y))
    axis.plot(interval, [y, y], color=look["color"], linewidth=1.5)
    face = "white" if hollow else look["color"]
    axis.plot([value], [y], color=look["color"], marker=look["marker"], markerfacecolor=face, label=estimator)


def name_rows(axis, zoo, names):
    """Names of the estimators down the y axis."""
    axis.set_yticks(range(zoo.sizes["estimator"]), [names[name] for name in zoo["estimator"].values], fontsize=8)
    axis.set_ylim(zoo.sizes["estimator"] - 0.5, -0.5)


def draw_maps(zoo, names, panels, norm, label, *, row_height, shrink):
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
            # Inside the axes already: to lay out around hundreds of them took longer than to draw them.
            cell.set_in_layout(False)
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_title(f"{budget:,} sweeps per chain", loc="left")
        shown = titles if axis is axes[-1] else [""] * len(titles)
        axis.set_xticks(range(len(titles)), shown, rotation=35, ha="right", rotation_mode="anchor")
        axis.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, ax=axes, label=label, shrink=shrink)
    mark_stand_in(figure, zoo)
    return figure


def nothing_to_show(zoo):
    """A figure that says that no model is of the kind that it is about."""
    figure = new_figure(5.0, 1.0)
    figure.text(0.5, 0.5, "no such model among those of the matrix", ha="center", va="center")
    mark_stand_in(figure, zoo)
    return figure
