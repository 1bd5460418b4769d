"""RMSE of every estimator on models made to be hard, whose log Z is exact.

Root mean square error of log Z at the largest budget that all these models have, with 95% bootstrap intervals; left,
its geometric mean over them. Estimators that the four papers use stand above the line, others below it, the best of
each on top. Shaded: those that may be the best of all. Hollow: some replicate reported that it had not converged.
"""

import numpy as np

from replication.papers.zoo.drawing import draw_dot, nothing_to_show
from replication.papers.zoo.families import arenas_of, combined
from replication.papers.zoo.statistics import (
    families,
    log_rmse,
    lowest,
    measured_moments,
    resampled_moments,
    title_of_family,
    unconverged,
)
from replication.reporting.statistics import QUANTILES, RESAMPLES, fixed_generator
from replication.reporting.style import TRUTH, mark_stand_in, new_figure, plain_logarithms

inputs = combined


def settings(here):
    return {
        "arenas": arenas_of(here.config),
        "of_papers": [here.known("estimators", name) for name in here.entry["of_papers"]],
        "names": here.estimator_titles(),
    }


def draw(artifacts, *, arenas, of_papers, names):
    """Dots and intervals, a row for each estimator, a panel for all arenas together and one for each.

    arenas: families; of_papers: the estimators that stand above the line.
    """
    zoo = _exact(artifacts["zoo"], arenas)
    parts = _at_one_budget(zoo)
    if not parts:
        return nothing_to_show(artifacts["zoo"])
    # Pairing of resamples ends at the family: what is drawn in one says nothing of another.
    logs = [
        (log_rmse(measured_moments(part))[0, :, 0], _resampled(part, place))
        for place, part in enumerate(parts.values())
    ]
    panels = {"all, geometric mean": tuple(np.mean(each, axis=0) for each in zip(*logs, strict=True))}
    panels |= {_short_title(part): log for part, log in zip(parts.values(), logs, strict=True)}
    doubtful = [np.zeros(zoo.sizes["estimator"], bool), *(_doubtful(part) for part in parts.values())]
    order, above = _ordered(zoo["estimator"].values, next(iter(panels.values()))[0], of_papers)
    figure = new_figure(2.5 + 1.85 * len(panels), 1.3 + 0.21 * len(order))
    axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axis, (title, (values, others)), hollow in zip(axes, panels.items(), doubtful, strict=True):
        _draw_panel(axis, zoo["estimator"].values, order, values, others, hollow)
        axis.axhline(above - 0.5, color=TRUTH, linewidth=0.8)
        axis.set_title(title, fontsize=8)
    axes[0].set_yticks(range(len(order)), [names[zoo["estimator"].values[row]] for row in order], fontsize=8)
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    for text, ends in (("in the papers", (0, above)), ("newer", (above, len(order)))):
        if ends[0] < ends[1]:
            place = 1.03, np.mean(ends) - 0.5
            axes[-1].text(*place, text, transform=axes[-1].get_yaxis_transform(), rotation=270, va="center", fontsize=8)
    sweeps = " or ".join(f"{budget:,}" for budget in sorted({int(part["budget"][0]) for part in parts.values()}))
    figure.supxlabel(f"RMSE of log Z [nat], {sweeps} sweeps per chain", fontsize=9)
    mark_stand_in(figure, zoo)
    return figure


def _exact(zoo, arenas):
    """The models of these families whose truth is exact."""
    chosen = np.isin(zoo["family"].values, arenas) & (zoo["truth_std_error"].values == 0.0)
    return zoo.isel(model=np.flatnonzero(chosen))


def _at_one_budget(zoo):
    """The families at the largest budget that all models have; each at its own largest where there is none."""
    ran = zoo["log_z"].notnull().any(["estimator", "replicate"]).all("model")
    shared = zoo["budget"].values[ran.values]
    return {
        family: part.sel(budget=[shared.max() if shared.size else part["budget"].values.max()])
        for family, part in families(zoo).items()
    }


def _resampled(part, place):
    """Resampled log RMSE (resample, estimator), in an order of the family's own."""
    return log_rmse(resampled_moments(part))[fixed_generator(place).permutation(RESAMPLES), :, 0]


def _doubtful(part):
    return (unconverged(part) > 0).any(["model", "budget"]).transpose("estimator").values


def _ordered(estimators, values, of_papers):
    """Rows in the order in which they are shown, and how many of them are of the papers."""
    order = np.argsort(values)
    of_papers = np.isin(estimators[order], of_papers)
    return [*order[of_papers], *order[~of_papers]], int(of_papers.sum())


def _short_title(part):
    name, _, size = title_of_family(part).partition(": ")
    return f"{name}\n{size}"


def _draw_panel(axis, estimators, order, values, others, doubtful):
    interval = np.quantile(others, QUANTILES, axis=0)
    interval = np.exp([np.minimum(interval[0], values), np.maximum(interval[1], values)])
    best = lowest(values[:, None], others[..., None])[0]
    for height, row in enumerate(order):
        if row in best:
            axis.axhspan(height - 0.5, height + 0.5, color=TRUTH, alpha=0.12, linewidth=0)
        if np.isfinite(values[row]):
            draw_dot(axis, estimators[row], height, np.exp(values[row]), interval[:, row], hollow=doubtful[row])
    plain_logarithms(axis.xaxis)
    axis.tick_params(axis="x", labelsize=7)
    axis.grid(axis="x", alpha=0.3, linewidth=0.5)
