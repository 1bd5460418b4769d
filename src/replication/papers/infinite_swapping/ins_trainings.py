"""Infinite swapping figures 3, 5 and 6: likelihood and prediction accuracy while training, over repeats."""

from functools import partial

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Declaration, Here
from replication.papers.expected import expect
from replication.papers.infinite_swapping.ins_distances import look_of
from replication.papers.infinite_swapping.ins_experiments import compared, comparison_of, trainers_of
from replication.reporting.statistics import difference_of_means, mean_with_band, over_repeats
from replication.reporting.style import draw_band, finished, new_figure

LABELS = {"log_likelihood": "mean log-likelihood [nat]", "accuracy": "prediction accuracy\n[nat an example]"}
# The y axis leaves out the rise during this first share of a training.
_RISE = 0.02
_END = 0.8  # share of the updates after which a training is at its end
_TITLES = {"ins": "INS", "pcd": "PCD-1", "pt": "PT"}


def _claims(size):
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


def _inputs(here: Here, number: int) -> dict:
    """Inputs of a figure that shows so many comparisons."""
    expect(here, "comparisons", len(here.entry["comparisons"]) == number, f"{number} of them")
    expect(here, "trainers", {*_TITLES} <= {*here.entry["trainers"]}, f"{', '.join(_TITLES)} among them")
    return {"runs": {name: compared(here, name, here.entry["trainers"]) for name in here.entry["comparisons"]}}


def _settings(here: Here) -> dict:
    comparisons = here.entry["comparisons"]
    titles = {name: comparison_of(here, name)["title"] for name in comparisons}
    entries = trainers_of(here, comparisons[0], here.entry["trainers"])
    return {"titles": titles, "names": {name: entry["title"] for name, entry in entries.items()}}


def statistics(artifacts: dict) -> dict:
    """Mean and variance of INS beside those of its rivals, over the last fifth of the updates of the one comparison."""
    (runs,) = artifacts["runs"].values()
    statistics = {}
    for quantity, variable in (("likelihood", "log_likelihood"), ("accuracy", "accuracy")):
        end = {name: _part(run, variable, _END, 1.0) for name, run in runs.items()}
        statistics[quantity] = _lead(end, f"mean {quantity} [nat] over the last fifth")
        statistics[f"{quantity}-spread"] = _spread(end, f"variance of the {quantity} over repeats, last fifth")
    statistics["degenerate"] = _loss(runs["pcd"], "log_likelihood", "likelihood")
    ends = [_part(runs[name], "log_likelihood", _END, 1.0) for name in ("pt", "pcd")]
    of = "mean likelihood [nat] over the last fifth, PT - PCD-1"
    return statistics | {"pcd": over_repeats(difference_of_means, *ends, of=of)}


def _loss(run, variable, name):
    """Statistic: how far PCD-1 falls in its last fifth from its best mean over repeats before; negative: it climbs."""
    last = len(_part(run, variable, _END, 1.0))
    return over_repeats(
        lambda values: values[:, :-last].mean(axis=-1).max(axis=1) - values[:, -last:].mean(axis=(1, 2)),
        values_of(run, variable),
        of=f"best mean {name} of PCD-1 before the last fifth less that over it [nat]",
    )


def _part(run, variable, first, last):
    """Values (update, repeat) of a part of a training (Dataset of `comparisons`), given by shares of its updates."""
    update = run["update"].values
    chosen = (update >= first * update[-1]) & (update <= last * update[-1])
    return values_of(run, variable)[chosen]


def _lead(values, of, best="ins"):
    """The best trainer less the better of its rivals, of {trainer: (update, repeat)}."""
    rivals = [name for name in _TITLES if name != best]
    return over_repeats(
        lambda ours, *others: ours.mean(axis=(1, 2)) - np.max([other.mean(axis=(1, 2)) for other in others], axis=0),
        *(values[name] for name in (best, *rivals)),
        of=f"{of}, {_TITLES[best]} - best of {' and '.join(_TITLES[name] for name in rivals)}",
    )


def _spread(values, of):
    """Variance over repeats, a mean over updates, of INS over that of the steadiest rival."""
    arrays = [values[name] for name in ("ins", "pcd", "pt")]
    of = f"{of}, INS / smaller of PCD-1 and PT"

    def mean_variance(array):
        return array.var(axis=-1, ddof=1).mean(axis=1)

    def ratio(ours, *rivals):
        return mean_variance(ours) / np.min([mean_variance(rival) for rival in rivals], axis=0)

    return over_repeats(ratio, *arrays, of=of, scale="log")


def draw(artifacts: dict, *, titles, names):
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
    return finished(figure, *(run for runs, _, _ in rows for run in runs.values()), panels=axes.ravel())


def values_of(run, variable):
    """Values (update, repeat) of a training (Dataset of `comparisons`): stored in single precision, here in double."""
    return run[variable].transpose("update", "repeat").values.astype(np.float64)


def limit_after_rise(axis, runs):
    """Limit the y axis to the bands of means over repeats after the rise, with room; runs: arrays (update, repeat)."""
    ends = [mean_with_band(values[int(np.ceil(_RISE * len(values))) :])[1] for values in runs]
    low, high = min(map(np.min, ends)), max(map(np.max, ends))
    room = 0.05 * (high - low)
    axis.set_ylim(low - room, high + room)


_CLAIMS_6 = {
    "spread": Claim(
        "On MNIST the accuracy varies least with INS early in training", "smallest variance initially", at_most=1.0
    ),
    "toy-spread": Claim(
        "On the larger toy data the accuracy varies least with INS early in training",
        "similarly for the toy data set",
        at_most=1.0,
        why="The few trainings that learn late or never make the variance, and INS has more of these than PT: without "
        "its worst one the claim is open.",
    ),
    "mnist": Claim(
        "On MNIST INS and PCD-1 end equally well", "differences all but disappear", at_least=-0.1, at_most=0.1
    ),
    "toy": Claim(
        "On the larger toy data INS and PCD-1 end nearly equally well", "a small difference", at_least=-0.1, at_most=0.1
    ),
    "later": Claim(
        "On the larger toy data INS classifies slightly better late in training", "slightly better", at_least=0.0
    ),
    "early": Claim(
        "On the larger toy data PCD-1 classifies best early in training",
        "best quality early in training",
        at_least=0.0,
        why="By their medians the three learn alike then. Means hang on the few trainings that learn late or never, "
        "and PCD-1 has more of these than PT: without its worst one the claim is open.",
    ),
    "degenerate": Claim(
        "On the larger toy data PCD-1 does not degenerate", "does not display degenerate behaviour", at_most=0.1
    ),
}
_START = 1.0 / 3.0
_VARIANCE = "variance of the accuracy over repeats, first third"


def _statistics_6(artifacts: dict) -> dict:
    """Variance and means of accuracies, from the comparisons on MNIST and on the larger toy data, in this order."""
    mnist, toy = artifacts["runs"].values()
    early, toy_early = (
        {name: _part(run, "accuracy", 0.0, _START) for name, run in runs.items()} for runs in (mnist, toy)
    )
    ends = [{name: _part(run, "accuracy", _END, 1.0) for name, run in runs.items()} for runs in (mnist, toy)]

    def gain(end):
        return over_repeats(
            difference_of_means, end["ins"], end["pcd"], of="mean accuracy [nat] over the last fifth, INS - PCD-1"
        )

    return {
        "spread": _spread(early, _VARIANCE),
        "toy-spread": _spread(toy_early, _VARIANCE),
        "mnist": gain(ends[0]),
        "toy": gain(ends[1]),
        "later": _lead(ends[1], "mean accuracy [nat] over the last fifth"),
        "early": _lead(toy_early, "mean accuracy [nat] over the first third", "pcd"),
        "degenerate": _loss(toy["pcd"], "accuracy", "accuracy"),
    }


FIGURES = {
    "ins-f3": Declaration(
        """\
Exact mean log-likelihood and prediction accuracy while training, their means and variances over repeats.
Hult et al. (2019), figure 3.""",
        partial(_inputs, number=1),
        draw,
        settings=_settings,
        claims=_claims("12 × 4"),
        statistics=statistics,
    ),
    "ins-f5": Declaration(
        """\
As figure 3, on toy data of 20 visible units. Hult et al. (2019), figure 5.""",
        partial(_inputs, number=1),
        draw,
        settings=_settings,
        claims=_claims("20 × 6"),
        statistics=statistics,
    ),
    "ins-f6": Declaration(
        """\
Prediction accuracy while training on larger data, its mean and variance over repeats. Hult et al. (2019), figure 6.""",
        partial(_inputs, number=2),
        draw,
        settings=_settings,
        claims=_CLAIMS_6,
        statistics=_statistics_6,
    ),
}
