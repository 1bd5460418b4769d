"""Rows of estimators: RMSE on the arenas (hard models), bias, coverage of intervals, and silently wrong runs."""

from collections.abc import Sequence

import numpy as np

from replication.papers.declaration import Declaration, Here
from replication.papers.zoo import zoo_statistics
from replication.papers.zoo.families import arenas_of, combined
from replication.papers.zoo.zoo_errors import HOLLOW, add_key, draw_classes
from replication.reporting.statistics import QUANTILES, RESAMPLES, fixed_generator
from replication.reporting.style import TRUTH, finished, look_of, new_figure, plain_logarithms
from replication.types import Artifacts, Dataset, Figure, Names, Settings

# {outcome: (name in the legend, colour)}. The colours also differ when printed in grey.
_OUTCOMES = {
    "right": ("converged, right", "#6BAED6"),
    "refused": ("not converged", "#D9D9D9"),
    "silently wrong": ("silently wrong (number of runs)", "#B2182B"),
}
_SHADED = "not significantly worse than the best"
# Edges in nats. The innermost class holds mean errors whose interval contains 0.
_BIAS_CLASSES = [-10.0, -1.0, -0.1, -1e-9, 1e-9, 0.1, 1.0, 10.0]


def arena_settings(here: Here) -> Settings:
    return {
        "arenas": arenas_of(here.config),
        "of_papers": [here.known("estimators", name) for name in here.entry["of_papers"]],
        "names": here.estimator_titles(),
    }


def draw_arenas(artifacts: Artifacts, *, arenas: list[str], of_papers: Sequence[str], names: Names) -> Figure:
    """The first panel is for all arenas together. arenas: names of families. of_papers: estimators above the line."""
    zoo = zoo_statistics.with_exact_truth(artifacts["zoo"])
    zoo = zoo.isel(model=np.flatnonzero(np.isin(zoo["family"], arenas)))
    parts = _at_one_budget(zoo)
    if not parts:
        return nothing_to_show(artifacts["zoo"])
    titles = ["all, geometric mean", *(zoo_statistics.title_of_family(part).replace(": ", "\n", 1) for part in parts)]
    values = [zoo_statistics.log_rmse(zoo_statistics.measured_moments(part))[0, :, 0] for part in parts]
    # Families are independent, so their resamples are in unrelated orders.
    orders = [fixed_generator(key).permutation(RESAMPLES) for key in range(len(parts))]
    others = [
        zoo_statistics.log_rmse(zoo_statistics.resampled_moments(part))[order, :, 0]
        for part, order in zip(parts, orders, strict=True)
    ]
    doubtful = [zoo_statistics.mean_unconverged(part)[:, 0] > 0 for part in parts]
    values, others = ([np.mean(logs, axis=0), *logs] for logs in (values, others))
    doubtful = [np.any(doubtful, axis=0), *doubtful]
    order = np.argsort(values[0])
    published = np.isin(zoo["estimator"].values[order], of_papers)
    order, above = [*order[published], *order[~published]], int(published.sum())
    figure = new_figure(2.2 + 1.35 * len(titles), 1.5 + 0.2 * len(order))
    axes = figure.subplots(1, len(titles), squeeze=False, sharey=True)[0]
    for axis, title, *numbers in zip(axes, titles, values, others, doubtful, strict=True):
        _draw_panel(axis, zoo["estimator"].values, order, *numbers)
        axis.axhline(above - 0.5, color=TRUTH, linewidth=0.8)
        axis.set_title(title, fontsize=7.5)
    _name_rows(axes[0], zoo["estimator"].values[order], names)
    for text, ends in (("in the papers", (0, above)), ("newer", (above, len(order)))):
        if ends[0] < ends[1]:
            look = {"transform": axes[-1].get_yaxis_transform(), "rotation": 270, "va": "center", "fontsize": 8}
            axes[-1].text(1.05, np.mean(ends) - 0.5, text, **look)
    add_key(figure, [], filled="all runs converged", hollow=HOLLOW, shaded=_SHADED)
    sweeps = " or ".join(f"{budget:,}" for budget in sorted({int(part["budget"][0]) for part in parts}))
    figure.supxlabel(f"RMSE of log Z [nat], {sweeps} sweeps per chain", fontsize=9)
    return finished(figure, zoo)


def _at_one_budget(zoo):
    """The families at the largest budget that all models have, or else each family at its largest budget."""
    ran = zoo["log_z"].notnull().any(["estimator", "replicate"]).all("model")
    shared = zoo["budget"].values[ran.values]
    return [
        part.sel(budget=[shared.max() if shared.size else part["budget"].values.max()])
        for part in zoo_statistics.families(zoo).values()
    ]


def _draw_panel(axis, estimators, order, values, others, doubtful):
    from matplotlib.ticker import LogLocator

    interval = np.quantile(others, QUANTILES, axis=0)
    interval = np.exp([np.minimum(interval[0], values), np.maximum(interval[1], values)])
    best = zoo_statistics.lowest(values[:, None], others[..., None])[0]
    for height, row in enumerate(order):
        if row in best:
            axis.axhspan(height - 0.5, height + 0.5, color=TRUTH, alpha=0.12, linewidth=0)
        if np.isfinite(values[row]):
            _draw_dot(axis, estimators[row], height, np.exp(values[row]), interval[:, row], hollow=doubtful[row])
    plain_logarithms(axis.xaxis)
    axis.xaxis.set_major_locator(LogLocator(numticks=3))
    axis.tick_params(axis="x", labelsize=7)
    axis.grid(alpha=0.3, linewidth=0.5)


def draw_bias(artifacts: Artifacts, *, names: Names) -> Figure:
    """An error counts as 0 if its interval contains 0."""
    zoo, columns, values = artifacts["zoo"], [], []
    for family, part in zoo_statistics.families(zoo).items():
        bias, (low, high) = (
            numbers[..., -1] for numbers in zoo_statistics.with_interval(part, zoo_statistics.mean_bias)
        )
        values.append(np.where((low <= 0.0) & (high >= 0.0), 0.0 * bias, bias))
        columns.append(f"{family}, {int(part['budget'][-1]):,}")
    look = {"edges": _BIAS_CLASSES, "colours": "RdBu_r", "label": "mean error of log Z [nat]"}
    figure = draw_classes(zoo, names, np.stack(values, axis=1), columns, **look)
    figure.axes[0].set_xlabel("family of models, Gibbs sweeps per chain")
    return figure


def draw_coverage(artifacts: Artifacts, *, names: Names) -> Figure:
    zoo = artifacts["zoo"]
    budgets = np.sort(zoo["budget"].values)
    figure = new_figure(1.8 + 1.6 * len(budgets), 1.3 + 0.2 * zoo.sizes["estimator"])
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    for axis, budget in zip(axes, budgets, strict=True):
        axis.axvline(zoo_statistics.LEVEL, color=TRUTH, linestyle="--", linewidth=1)
        of_all, of_converged = (
            zoo_statistics.coverage(runs.sel(budget=budget)) for runs in (zoo, zoo_statistics.converged_only(zoo))
        )
        for row, estimator in enumerate(zoo["estimator"].values):
            for hollow, (share, interval, number) in ((False, of_all), (True, of_converged)):
                if number[row] > 0 and (not hollow or number[row] < of_all[2][row]):
                    _draw_dot(axis, estimator, row + 0.3 * hollow, share[row], interval[:, row], hollow=hollow)
        axis.set(xlim=(-0.03, 1.03), xticks=[0.0, 0.5, 1.0], xticklabels=["0", "0.5", "1"])
        axis.set_title(f"{budget:,} sweeps, {np.max(of_all[2]):,} runs", loc="right", fontsize=8)
        axis.grid(axis="y", alpha=0.3, linewidth=0.5)
    figure.supxlabel("share of 95% intervals that cover log Z", fontsize=9)
    _name_rows(axes[0], zoo["estimator"].values, names)
    axes[0].lines[0].set_label("95%")
    add_key(figure, axes[:1], filled="all runs", hollow="converged runs only")
    return finished(figure, zoo)


def draw_trust(artifacts: Artifacts, *, names: Names) -> Figure:
    zoo = zoo_statistics.with_exact_truth(artifacts["zoo"])
    if not zoo.sizes["model"]:
        return nothing_to_show(artifacts["zoo"])
    budgets = np.sort(zoo["budget"].values[zoo["log_z"].notnull().any(["model", "estimator", "replicate"])])
    figure = new_figure(1.8 + 1.8 * len(budgets), 1.3 + 0.2 * zoo.sizes["estimator"])
    axes = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    rows = np.arange(zoo.sizes["estimator"])
    for axis, budget in zip(axes, budgets, strict=True):
        counts, left = zoo_statistics.outcomes(zoo.sel(budget=budget)), np.zeros(rows.size)
        runs = np.sum(list(counts.values()), axis=0)
        for name, (label, colour) in _OUTCOMES.items():
            share = counts[name] / np.maximum(runs, 1)
            axis.barh(rows, share, left=left, height=0.8, color=colour, edgecolor="white", label=label)
            left += share
        for row in np.flatnonzero(counts["silently wrong"]):
            # The number is beside the bar, because the bar of one run in hundreds is thinner than a line.
            look = {"va": "center", "fontsize": 8, "fontweight": "bold", "color": _OUTCOMES["silently wrong"][1]}
            axis.text(1.02, row, f"\N{BLACK LEFT-POINTING TRIANGLE}{counts['silently wrong'][row]}", **look)
        axis.set(xlim=(0.0, 1.0), xticks=[0.0, 0.5, 1.0], xticklabels=["0", "0.5", "1"])
        axis.set_title(f"{budget:,} sweeps, {runs.max():,} runs", loc="right", fontsize=8)
    figure.supxlabel("share of runs", fontsize=9)
    _name_rows(axes[0], zoo["estimator"].values, names)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=8)
    return finished(figure, zoo)


def _draw_dot(axis, estimator, y, value, interval, hollow):
    """Draw the value of an estimator and its interval (2,) at height `y`."""
    look = look_of(estimator, int(y))
    axis.plot(interval, [y, y], color=look["color"], linewidth=1.5)
    face = "white" if hollow else look["color"]
    axis.plot([value], [y], color=look["color"], marker=look["marker"], markerfacecolor=face, label=f"_{estimator}")


def _name_rows(axis, estimators, names):
    axis.set_yticks(range(len(estimators)), [names[name] for name in estimators], fontsize=8)
    axis.set_ylim(len(estimators) - 0.5, -0.5)


def nothing_to_show(zoo: Dataset) -> Figure:
    """A figure with a text instead of axes, for a zoo without suitable models."""
    figure = new_figure(5.0, 1.0)
    figure.text(0.5, 0.5, "the matrix has no such model", ha="center", va="center")
    return finished(figure, zoo)


FIGURES = {
    "zoo-arenas": Declaration(
        "Root mean square error of log Z with 95% bootstrap intervals. The budget is the largest budget that all these "
        "models have, or else the largest budget of each family. The leftmost panel shows the geometric mean over the "
        "other panels. Estimators of the papers are above the line, newer estimators below it; both groups start with "
        "the best. Shaded: not significantly worse than the best (paired bootstrap, 5%). Hollow: some replicates did "
        "not converge.",
        combined,
        draw_arenas,
        settings=arena_settings,
    ),
    "zoo-bias": Declaration(
        "Mean error of log Z with its sign, at the largest budget of each family. AIS is expected below 0, and RAISE "
        "above 0 unless the model has mass far from its data. White: the 95% bootstrap interval, which includes the "
        "error of the truth, contains 0. Estimators are in order of their mean rank by absolute error, where these "
        "errors count as 0.",
        combined,
        draw_bias,
    ),
    "zoo-coverage": Declaration(
        "Share of each estimator's 95% intervals that cover the truth, over all models and replicates, with 95% "
        "binomial intervals. Hollow: only converged runs. If the truth is not exact, its standard error widens the "
        "intervals in quadrature.",
        combined,
        draw_coverage,
    ),
    "zoo-trust": Declaration(
        "Outcomes of the runs of each estimator, as shares of its runs on all models whose log Z is exact. Silently "
        "wrong: converged, and off by more than 0.5 nat and by more than four standard errors. Refused: not converged. "
        "The number counts the silently wrong runs.",
        combined,
        draw_trust,
    ),
}
