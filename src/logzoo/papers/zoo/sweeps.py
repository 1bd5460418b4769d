"""RMSE of log Z of every estimator on every family of the zoo, against sweeps and against seconds."""

import numpy as np
from matplotlib.ticker import LogLocator

from logzoo.figures.statistics import seconds_of_budgets
from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, plain_logarithms
from logzoo.figures.zoo_statistics import families, log_rmse, of_family, title_of_family, with_interval
from logzoo.zoo import unconverged

_COLUMNS = 3


def figure_sweeps(zoo, names):
    """Geometric mean of the RMSE over the models of a family against sweeps per chain, with 95% bootstrap bands.

    names: {estimator: name}. Hollow markers: some replicate had not converged. Grey: below the truth's own error.
    """
    figure = _figure(zoo, names, lambda one, _: one["budget"].values, "Gibbs sweeps per chain")
    for axis, family in zip(figure.axes, families(zoo), strict=True):
        budgets = of_family(zoo, family)["budget"].values
        axis.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axis.set_xticks([], minor=True)
    return figure


def figure_seconds(zoo, timings, names):
    """The same against seconds; timings: {family: Dataset of `experiments.timing.cost_of_sweeps` on a model of it}."""

    def seconds(one, estimator):
        return seconds_of_budgets(timings[one["family"].values[0]], estimator, one["budget"].values)[0]

    return _figure(zoo, names, seconds, "seconds of an estimate, one core")


def _figure(zoo, names, places, label):
    shown = families(zoo)
    rows, columns = -(-len(shown) // _COLUMNS), min(len(shown), _COLUMNS)
    figure = new_figure(4.0 * columns + 1.6, 4.4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(shown) :]:
        axis.remove()
    for axis, family in zip(axes, shown, strict=False):
        one = of_family(zoo, family)
        _draw_family(axis, one, names, places)
        axis.set_title(title_of_family(one), loc="right", fontsize=9)
        axis.set_xlabel(f"{label}, {int(one['chains'][0])} chains")
    for axis in axes[: len(shown) : _COLUMNS]:
        axis.set_ylabel("RMSE of log Z [nat], geometric mean over models")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    label_panels(axes[: len(shown)])
    mark_stand_in(figure, zoo)
    return figure


def _draw_family(axis, one, names, places):
    values, band = (np.exp(part) for part in with_interval(one, log_rmse))
    doubtful = unconverged(one).transpose("estimator", "budget", "model").values > 0
    for row, estimator in enumerate(one["estimator"].values):
        x, look = places(one, estimator), look_of(estimator, row)
        axis.plot(x, values[row], label=names[estimator], **look)
        axis.fill_between(x, *band[:, row], color=look["color"], alpha=0.06, linewidth=0)
        hollow = doubtful[row].any(axis=-1)
        marker = {key: look[key] for key in ("color", "marker")}
        axis.plot(x[hollow], values[row, hollow], linestyle="", markerfacecolor="white", **marker)
    plain_logarithms(axis.xaxis, axis.yaxis)
    if np.nanmax(values) / np.nanmin(values) > 1000:
        axis.yaxis.set_major_locator(LogLocator())
    error = float(one["truth_std_error"].max())
    if error > 0:
        lowest = min(axis.get_ylim()[0], 0.5 * error)
        axis.axhspan(lowest, error, color=TRUTH, alpha=0.12, linewidth=0)
        axis.set_ylim(bottom=lowest)
        axis.axhline(error, color=TRUTH, linestyle="--", linewidth=1)
        place = {"xytext": (4, -3), "textcoords": "offset points", "va": "top", "fontsize": 8}
        axis.annotate("standard error of the truth", (0, error), xycoords=("axes fraction", "data"), **place)
