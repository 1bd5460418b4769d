"""RMSE of every estimator: maps by model and by family, lines against sweeps and against seconds."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from logzoo.types import Array
from replication.papers.declaration import Declaration
from replication.papers.panels import handles_of
from replication.papers.zoo import zoo_statistics
from replication.papers.zoo.families import combined, combined_and_timed
from replication.reporting.statistics import seconds_of_budgets
from replication.reporting.style import TRUTH, finished, look_of, new_figure, plain_logarithms
from replication.types import Artifacts, Axes, Dataset, Figure, Names

PANEL_COLUMNS = 3
# These estimators and the best of a panel have lines of their own. All others share a grey band.
COMPARED = ("ais", "raise", "rts", "las-vegas")
HOLLOW, BELOW = "some runs did not converge", "below the standard error of the truth"
_OTHER, _OTHERS = "#E3E3E3", "range of the other estimators"
# The region of `BELOW` is hatched, because the range of the other estimators is plain grey.
_BELOW = {"facecolor": "none", "edgecolor": "#777777", "hatch": "/////", "linewidth": 0}
_RMSE_CLASSES = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]  # nats
_NOTHING = 1e-6  # edges of classes closer to 0 than this have no tick
_POSITIONS = 100  # points of the outline of the grey range
_RANK_CLASSES = [2, 4, 7, 10, 14, 18, 22]


def draw_sweeps(artifacts: Artifacts, *, names: Names) -> Figure:
    zoo = artifacts["zoo"]
    figure = _draw_errors(zoo, names, lambda _family, _estimator, budgets: budgets, "Gibbs sweeps per chain")
    for axis, part in zip(figure.axes, zoo_statistics.families(zoo).values(), strict=True):
        budgets = part["budget"].values
        axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axis.set_xticks([], minor=True)
    return figure


def draw_seconds(artifacts: Artifacts, *, names: Names) -> Figure:
    def seconds(family, estimator, budgets):
        return seconds_of_budgets(artifacts["timings"][family], estimator, budgets)[0]

    return _draw_errors(artifacts["zoo"], names, seconds, "seconds of an estimate, one core")


def _draw_errors(zoo, names, x_of, label):
    """Draw the geometric mean of the RMSE over the models of each family, in a panel for each family.

    Only the best estimator has a 95% bootstrap band. names: {estimator: name}. x_of(family, estimator, budgets): the x
    values of the budgets.
    """
    parts = zoo_statistics.families(zoo)
    figure, axes = new_panels(len(parts), 3.1, 2.7, margin=0.2)
    for axis, (family, part) in zip(axes, parts.items(), strict=True):
        draw_family(axis, part, names, partial(x_of, family))
        axis.set_title(zoo_statistics.title_of_family(part), loc="right", fontsize=8)
        axis.set_xlabel(f"{label}, {int(part['chains'][0])} chains", fontsize=8)
    for axis in axes[::PANEL_COLUMNS]:
        axis.set_ylabel("RMSE of log Z [nat]")
    add_key(figure, axes, hollow=HOLLOW, shaded=BELOW)
    return finished(figure, zoo, panels=axes)


def draw_family(
    axis: Axes, part: Dataset, names: Names, x_of: Callable[[str, Array], Array], drawn: Sequence[str] = COMPARED
) -> None:
    """Draw lines of the best estimator (bold, with a band) and of `drawn`, and a grey band over other estimators."""
    from matplotlib.ticker import LogLocator

    others: list[tuple[np.ndarray, np.ndarray]] = []
    values, band = zoo_statistics.rmse_with_interval(part)
    doubtful, best = zoo_statistics.mean_unconverged(part) > 0, zoo_statistics.best_of(part)
    for row, estimator in enumerate(part["estimator"].values):
        x, look = x_of(estimator, part["budget"].values), look_of(estimator, row)
        if row != best and estimator not in drawn:
            others.append((x, values[row]))
            continue
        strength = {"linewidth": 2.4 if row == best else 1.3, "zorder": 3 if row == best else 2}
        axis.plot(x, values[row], label=names[estimator], **look, **strength)
        hollow, marker = doubtful[row], {"color": look["color"], "marker": look["marker"], "zorder": 4}
        axis.plot(x[hollow], values[row, hollow], linestyle="", markerfacecolor="white", **marker)
        if row == best:
            axis.fill_between(x, *band[:, row], color=look["color"], alpha=0.25, linewidth=0)
    if others:
        axis.fill_between(*range_of(others), color=_OTHER, linewidth=0, zorder=0, label=_OTHERS)
    plain_logarithms(axis.xaxis, axis.yaxis)
    if np.nanmax(values) / np.nanmin(values) > 1000:
        axis.yaxis.set_major_locator(LogLocator())
    error = zoo_statistics.error_of_truths(part)[0]
    if error > 0:
        lowest = min(axis.get_ylim()[0], 0.5 * error)
        axis.axhspan(lowest, error, **_BELOW)
        axis.set_ylim(bottom=lowest)


def range_of(lines: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns positions x, and the lowest and the highest value of the lines (x, values) at each position.

    Values are interpolated in logarithms. A line starts at its first finite value. Beyond its end a line keeps its last
    value, because more time does not make an estimate worse.
    """
    lines = [(x[np.isfinite(values)], values[np.isfinite(values)]) for x, values in lines]
    knots = np.unique(np.concatenate([x for x, _ in lines]))
    positions = np.unique(np.concatenate([knots, np.geomspace(knots[0], knots[-1], _POSITIONS)]))
    logs = [np.interp(np.log(positions), np.log(x), np.log(values), left=np.nan) for x, values in lines if x.size]
    return positions, np.exp(np.fmin.reduce(logs)), np.exp(np.fmax.reduce(logs))


def add_key(figure: Figure, axes: Iterable[Axes], *, hollow: str = "", shaded: str = "", filled: str = "") -> None:
    """Add one legend above all panels: the lines, and the meaning of filled and hollow markers and of shading."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = handles_of(axes)
    if _OTHERS in handles:
        handles[_OTHERS] = handles.pop(_OTHERS)  # moves the range below the lines
    for face, text in (("grey", filled), ("white", hollow)):
        if text:
            handles[text] = Line2D([], [], color="grey", marker="o", markerfacecolor=face, linestyle="")
    if shaded:
        handles[shaded] = Patch(**(_BELOW if shaded == BELOW else {"color": TRUTH, "alpha": 0.12, "linewidth": 0}))
    legend = figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=4, fontsize=8)
    for line in legend.get_lines():
        line.set_linewidth(1.5)


def new_panels(count: int, width: float, height: float, *, margin: float = 1.6) -> tuple[Figure, Array]:
    """A figure with `count` panels of this size in inches, at most three in a row. Returns the figure and its axes."""
    rows, columns = -(-count // PANEL_COLUMNS), min(count, PANEL_COLUMNS)
    figure = new_figure(width * columns + margin, height * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[count:]:
        axis.remove()
    return figure, axes[:count]


def draw_rmse(artifacts: Artifacts, *, trainers: Names, names: Names) -> Figure:
    zoo = artifacts["zoo"]
    columns, values, crossed = {}, [], []
    for family, part in zoo_statistics.families(zoo).items():
        square = ((part["log_z"] - part["truth"]) ** 2).mean("replicate").isel(budget=-1)
        values.append(np.sqrt(square.transpose("estimator", "model").values))
        crossed.append((zoo_statistics.unconverged(part).isel(budget=-1) > 0).transpose("estimator", "model").values)
        for model, trainer in zip(part["model"].values, part["trainer"].values, strict=True):
            columns[model] = family + (f", {trainers.get(trainer, trainer)}" if part.sizes["model"] > 1 else "")
    look = {"edges": _RMSE_CLASSES, "colours": "viridis", "label": "RMSE of log Z [nat]"}
    joined = np.concatenate(values, axis=1)
    return draw_classes(zoo, names, joined, list(columns.values()), crossed=np.concatenate(crossed, axis=1), **look)


def draw_ranks(artifacts: Artifacts, *, names: Names) -> Figure:
    zoo, columns, values = artifacts["zoo"], [], []
    for family, part in zoo_statistics.families(zoo).items():
        values.append(zoo_statistics.mean_rank(zoo_statistics.measured_moments(part))[0])
        columns += [f"{family}, {budget:,}" for budget in part["budget"].values]
    look = {"edges": _RANK_CLASSES, "colours": "viridis", "label": "mean rank by RMSE, 1 the best"}
    figure = draw_classes(zoo, names, np.concatenate(values, axis=1), columns, **look)
    figure.axes[0].set_xlabel("family of models, Gibbs sweeps per chain")
    return figure


def draw_classes(
    zoo: Dataset,
    names: Names,
    values: Array,
    columns: Sequence[str],
    *,
    edges: Sequence[float],
    colours: str,
    label: str,
    crossed: Array | None = None,
) -> Figure:
    """A map of values as colours, in classes between `edges`. Cells without a value are empty.

    Each estimator has a row, in the order of mean ranks. values: (estimator, column). columns: labels of the columns;
    the text before a comma is the family. crossed: (estimator, column), true for cells with a cross.
    """
    import matplotlib
    from matplotlib.colors import BoundaryNorm

    sizes = np.abs(values)
    ranks = np.where(np.isnan(values), np.nan, (sizes[:, None] > sizes).sum(axis=1) + 1.0)
    order = np.argsort(np.nanmean(ranks, axis=1), kind="stable")
    figure = new_figure(2.6 + 0.26 * len(columns), 2.2 + 0.19 * len(order))
    axis = figure.subplots()
    palette = matplotlib.colormaps[colours].resampled(len(edges) + 1)
    image = axis.imshow(values[order], norm=BoundaryNorm(edges, palette.N, extend="both"), cmap=palette, aspect="auto")
    if crossed is not None:
        rows, across = np.nonzero(crossed[order] & np.isfinite(values[order]))
        axis.plot(across, rows, "x", color="white", markersize=4.4, markeredgewidth=2.2)
        axis.plot(across, rows, "x", color="black", markersize=3.6, markeredgewidth=0.9, label=HOLLOW)
        figure.legend(loc="outside upper left", fontsize=8)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    axis.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)
    axis.set_yticks(range(len(order)), [names[name] for name in zoo["estimator"].values[order]], fontsize=8)
    axis.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axis.set_yticks(np.arange(len(order) - 1) + 0.5, minor=True)
    axis.grid(which="minor", color="white", linewidth=0.6)
    axis.tick_params(which="minor", length=0)
    of_family = [column.partition(",")[0] for column in columns]
    for column in range(1, len(columns)):
        if of_family[column] != of_family[column - 1]:
            axis.axvline(column - 0.5, color="white", linewidth=4)
    ticks = [edge for edge in edges if abs(edge) > _NOTHING]
    figure.colorbar(image, ax=axis, label=label, extend="both", ticks=ticks, format="{x:,g}", aspect=30)
    return finished(figure, zoo)


FIGURES = {
    "zoo-rmse": Declaration(
        "Root mean square error of log Z of every estimator on every model, at the largest budget of its family. "
        "Estimators are in order of their mean rank on these models. A cross marks cells in which some replicates did "
        "not converge.",
        combined,
        draw_rmse,
    ),
    "zoo-ranks": Declaration(
        "Mean rank of every estimator by root mean square error over the models of a family, at every budget; "
        "1 is the best. Estimators are in order of their mean rank over the columns.",
        combined,
        draw_ranks,
    ),
    "zoo-sweeps": Declaration(
        "Root mean square error of log Z against Gibbs sweeps per chain, as a geometric mean over the models of a "
        "family. Lines: AIS, RAISE, RTS, Las Vegas tours, and the best estimator (bold). Its band is the 95% interval "
        "from resampled models; for a single model, errors of its replicates are taken as normal. Grey band: range of "
        "all other estimators. Hollow markers: some replicates did not converge. In the hatched region errors are "
        "below the standard error of the truth. `auto` is left out: it enumerates small models, and on other models "
        "it needs more sweeps than most of these budgets.",
        combined,
        draw_sweeps,
    ),
    "zoo-seconds": Declaration(
        "Root mean square error of log Z against seconds of an estimate on one core, measured on one model of each "
        "family. Lines, markers and shading are as in the figure against sweeps. The range of the other estimators is "
        "interpolated between their budgets. Beyond its largest budget, an estimator's error is taken as constant.",
        combined_and_timed,
        draw_seconds,
    ),
}
