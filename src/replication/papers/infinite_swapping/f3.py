"""Infinite swapping figure 3: likelihood and prediction accuracy, 12 visible and 4 hidden units.

Exact mean log-likelihood and prediction accuracy while training, their means and variances over repeats.
Hult et al. (2019), figure 3.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.expected import expect
from replication.papers.infinite_swapping.drawing import LABELS, limit_after_rise, look_of, values_of
from replication.papers.infinite_swapping.experiments import compared, comparison_of, trainers_of
from replication.reporting.statistics import difference_of_means, mean_with_band, over_repeats
from replication.reporting.style import draw_band, label_panels, mark_stand_in, new_figure

END = 0.8  # share of the updates after which a training is at its end
_TITLES = {"ins": "INS", "pcd": "PCD-1", "pt": "PT"}


def claims(size):
    """The claims of figures 3 and 5, on data and models of that size."""
    return {
        "likelihood": Claim(
            f"INS ends at the best likelihood of INS, PT and PCD-1 ({size})", "best in the mean", at_least=0.0
        ),
        "likelihood-spread": Claim(
            f"The likelihood varies least over repeats with INS ({size})", "smallest variance", at_most=1.0
        ),
        "accuracy": Claim(f"INS ends at the best prediction accuracy ({size})", "best in the mean", at_least=0.0),
        "accuracy-spread": Claim(
            f"The prediction accuracy varies least over repeats with INS ({size})", "smallest variance", at_most=1.0
        ),
        "degenerate": Claim(
            f"PCD-1 may degenerate: it loses likelihood again ({size})", "degenerate behaviour", at_least=0.1
        ),
        "pcd": Claim(f"PT ends at a better likelihood than PCD-1 ({size})", "PT above PCD-1", at_least=0.0),
    }


CLAIMS = claims("12 × 4")


def inputs(here):
    return inputs_of(here, 1)


def inputs_of(here, number):
    """Inputs of a figure that shows so many comparisons."""
    expect(here, "comparisons", len(here.entry["comparisons"]) == number, f"{number} of them")
    expect(here, "trainers", {*_TITLES} <= {*here.entry["trainers"]}, f"{', '.join(_TITLES)} among them")
    return {"runs": {name: compared(here, name, here.entry["trainers"]) for name in here.entry["comparisons"]}}


def settings(here):
    comparisons = here.entry["comparisons"]
    titles = {name: comparison_of(here, name)["title"] for name in comparisons}
    entries = trainers_of(here, comparisons[0], here.entry["trainers"])
    return {"titles": titles, "names": {name: entry["title"] for name, entry in entries.items()}}


def statistics(artifacts):
    """Mean and variance of INS beside those of its rivals, over the last fifth of the updates of the one comparison."""
    (runs,) = artifacts["runs"].values()
    statistics = {}
    for quantity, variable in (("likelihood", "log_likelihood"), ("accuracy", "accuracy")):
        end = {name: part(run, variable, END, 1.0) for name, run in runs.items()}
        statistics[quantity] = lead(end, f"mean {quantity} [nat] over the last fifth")
        statistics[f"{quantity}-spread"] = spread(end, f"variance of the {quantity} over repeats, last fifth")
    statistics["degenerate"] = loss(runs["pcd"], "log_likelihood", "likelihood")
    ends = [part(runs[name], "log_likelihood", END, 1.0) for name in ("pt", "pcd")]
    of = "mean likelihood [nat] over the last fifth, PT - PCD-1"
    return statistics | {"pcd": over_repeats(difference_of_means, *ends, of=of)}


def loss(run, variable, name):
    """Statistic: how far PCD-1 falls in its last fifth from its best mean over repeats before; negative: it climbs."""
    last = len(part(run, variable, END, 1.0))
    return over_repeats(
        lambda values: values[:, :-last].mean(axis=-1).max(axis=1) - values[:, -last:].mean(axis=(1, 2)),
        values_of(run, variable),
        of=f"best mean {name} of PCD-1 before the last fifth less that over it [nat]",
    )


def part(run, variable, first, last):
    """Values (update, repeat) of a part of a training (Dataset of `comparisons`), given by shares of its updates."""
    update = run["update"].values
    chosen = (update >= first * update[-1]) & (update <= last * update[-1])
    return values_of(run, variable)[chosen]


def lead(values, of, best="ins"):
    """The best trainer less the better of its rivals, of {trainer: (update, repeat)}."""
    rivals = [name for name in _TITLES if name != best]
    return over_repeats(
        lambda own, *others: own.mean(axis=(1, 2)) - np.max([other.mean(axis=(1, 2)) for other in others], axis=0),
        *(values[name] for name in (best, *rivals)),
        of=f"{of}, {_TITLES[best]} - best of {' and '.join(_TITLES[name] for name in rivals)}",
    )


def spread(values, of):
    """Variance over repeats, a mean over updates, of INS over that of the steadiest rival."""
    arrays = [values[name] for name in ("ins", "pcd", "pt")]
    of = f"{of}, INS / smaller of PCD-1 and PT"

    def mean_variance(array):
        return array.var(axis=-1, ddof=1).mean(axis=1)

    def ratio(own, *rivals):
        return mean_variance(own) / np.min([mean_variance(rival) for rival in rivals], axis=0)

    return over_repeats(ratio, *arrays, of=of, logarithmic=True)


def draw(artifacts, *, titles, names):
    """Mean over repeats with a 95% band, and variance over repeats, a row for each comparison and value that it has."""
    rows = [
        (runs, title, variable)
        for runs, title in ((artifacts["runs"][comparison], title) for comparison, title in titles.items())
        for variable in LABELS
        if all(variable in run for run in runs.values())
    ]
    figure = new_figure(8.4, 2.8 * len(rows) + 0.6)
    axes = figure.subplots(len(rows), 2, squeeze=False)
    for (left, right), (runs, title, variable) in zip(axes, rows, strict=True):
        for trainer, name in names.items():
            run, look = runs[trainer], {"label": name, **look_of(trainer)}
            update, values = run["update"].values, values_of(run, variable)
            draw_band(left, update, mean_with_band(values), **look)
            right.plot(update[1:], values[1:].var(axis=-1, ddof=1), **look)
        limit_after_rise(left, [values_of(runs[trainer], variable) for trainer in names])
        right.set_yscale("log")
        left.set_ylabel(LABELS[variable])
        right.set_ylabel("variance over repeats [nat²]")
        right.set_title(f"{title}, {run.sizes['repeat']} repeats", loc="right", fontsize=9)
    for axis in axes[-1]:
        axis.set_xlabel("parameter updates")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8)
    label_panels(axes.ravel())
    mark_stand_in(figure, *(run for runs, _, _ in rows for run in runs.values()))
    return figure
