"""Which training makes models that are hard to evaluate.

Root mean square error on the models of each trainer relative to the median model of the same data set: black, the
geometric mean over estimators and budgets with its 95% interval from resampled replicates; grey, each estimator.
Right: the mean test log-likelihood of the same models.
"""

import numpy as np

from replication.papers.zoo.drawing import nothing_to_show
from replication.papers.zoo.families import combined
from replication.papers.zoo.statistics import difficulty, families, title_of_family
from replication.reporting.statistics import DEVIATE
from replication.reporting.style import TRUTH, label_panels, look_of, mark_stand_in, new_figure, plain_logarithms

inputs = combined


def settings(here):
    return {"trainers": {name: entry["title"] for name, entry in here.config["zoo"]["trainers"].items()}}


def draw(artifacts, *, trainers):
    """RMSE on the models of every family of several, relative to the median model; their likelihood beside it.

    trainers: {trainer: name}.
    """
    from matplotlib.ticker import MaxNLocator

    zoo = artifacts["zoo"]
    parts = [part for part in families(zoo).values() if part.sizes["model"] > 1]
    if not parts:
        return nothing_to_show(zoo)
    figure = new_figure(8.6, 0.9 + sum(0.5 + 0.3 * part.sizes["model"] for part in parts))
    axes = figure.subplots(len(parts), 2, squeeze=False, sharey="row")
    for (left, right), part in zip(axes, parts, strict=True):
        _draw_difficulty(left, part)
        rows = np.arange(part.sizes["model"])
        likelihoods, error = part["test_log_likelihood"].values, DEVIATE * part["truth_std_error"].values
        right.errorbar(likelihoods, rows, xerr=error, fmt="o", color=TRUTH, capsize=2)
        right.xaxis.set_major_locator(MaxNLocator(5))
        left.set_yticks(rows, [trainers.get(name, name) for name in part["trainer"].values])
        left.set_ylim(len(rows) - 0.5, -0.5)
        left.set_title(title_of_family(part), loc="right", fontsize=9)
    axes[-1, 0].set_xlabel("RMSE relative to the median model")
    axes[-1, 1].set_xlabel("mean test log-likelihood [nat]")
    label_panels(axes.ravel())
    mark_stand_in(figure, zoo)
    return figure


def _draw_difficulty(axis, part):
    of_estimators, value, interval = difficulty(part)
    rows = np.arange(part.sizes["model"])
    for number, estimator in enumerate(part["estimator"].values):
        look = {"color": "grey", "alpha": 0.5, "marker": look_of(estimator, number)["marker"], "markersize": 4}
        axis.plot(of_estimators[number], rows, linestyle="", **look)
    axis.errorbar(value, rows, xerr=np.abs(interval - value), fmt="o", color=TRUTH, capsize=2, label="all")
    axis.axvline(1.0, color=TRUTH, linestyle="--", linewidth=0.8)
    plain_logarithms(axis.xaxis)
