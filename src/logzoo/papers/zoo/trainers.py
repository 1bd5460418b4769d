"""Which training makes models that are hard to evaluate."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from logzoo.figures.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, plain_logarithms
from logzoo.figures.zoo_statistics import difficulty, families, of_family, title_of_family


def figure_trainers(zoo, trainers):
    """RMSE on every model of a family relative to the median model, over estimators and budgets; likelihood beside it.

    trainers: {trainer: name}. Grey: each estimator. Families of a single model have nothing to compare.
    """
    parts = [of_family(zoo, family) for family in families(zoo)]
    parts = [one for one in parts if one.sizes["model"] > 1]
    figure = new_figure(8.6, 0.9 + sum(0.5 + 0.3 * one.sizes["model"] for one in parts))
    axes = figure.subplots(len(parts), 2, squeeze=False, sharey="row")
    for (left, right), one in zip(axes, parts, strict=True):
        _draw_difficulty(left, one)
        rows = np.arange(one.sizes["model"])
        likelihoods, error = one["test_log_likelihood"].values, 1.96 * one["truth_std_error"].values
        right.errorbar(likelihoods, rows, xerr=error, fmt="o", color=TRUTH, capsize=2)
        right.xaxis.set_major_locator(MaxNLocator(5))
        left.set_yticks(rows, [trainers.get(name, name) for name in one["trainer"].values])
        left.set_ylim(len(rows) - 0.5, -0.5)
        left.set_title(title_of_family(one), loc="right", fontsize=9)
    axes[-1, 0].set_xlabel("RMSE relative to the median model")
    axes[-1, 1].set_xlabel("mean test log-likelihood [nat]")
    label_panels(axes.ravel())
    mark_stand_in(figure, zoo)
    return figure


def _draw_difficulty(axis, one):
    each, value, interval = difficulty(one)
    rows = np.arange(one.sizes["model"])
    for place, estimator in enumerate(one["estimator"].values):
        look = look_of(estimator, place)
        axis.plot(each[place], rows, linestyle="", color="grey", alpha=0.5, marker=look["marker"], markersize=4)
    axis.errorbar(value, rows, xerr=np.abs(interval - value), fmt="o", color=TRUTH, capsize=2, label="all")
    axis.axvline(1.0, color=TRUTH, linestyle="--", linewidth=0.8)
    plain_logarithms(axis.xaxis)
