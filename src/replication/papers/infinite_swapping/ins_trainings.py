"""Infinite swapping figures 3 and 5: likelihood and prediction accuracy while training, over repeats."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Declaration, Here
from replication.papers.infinite_swapping import ins_experiments
from replication.papers.infinite_swapping.ins_distances import add_legend, look_of
from replication.reporting.statistics import Statistic, difference_of_means, mean, mean_with_band, over_repeats
from replication.reporting.style import draw_band, finished, label_counts, new_figure, plain_logarithms
from replication.types import Artifacts, Axes, Dataset, Figure, Measure, Names, Settings, Statistics

LIKELIHOOD = (
    "mean log-likelihood of the training data, exact, mean over all snapshots and over repeats: {} [nat] (20 × 6)"
)
LABELS = {"log_likelihood": "mean log-likelihood [nat]", "accuracy": "prediction accuracy\n[nat per example]"}
LOST = "largest mean {} over repeats of PCD-1 before the last fifth of the updates, less its mean over them [nat]"
# Initial share of a training that does not count for the limits of the y axis, because the likelihood rises steeply.
_RISE = 0.02
END = 0.8  # share of the updates after which the end of a training begins
RIVALS = ("pcd", "pt")

_SIMILAR = '"both show INS performing better, in terms of average behaviour as well as estimated variance"'
_OVER_ALL = "mean over all snapshots (at equal intervals of updates)"
_QUANTITIES = {
    "likelihood": ("log_likelihood", "mean log-likelihood of the training data, exact"),
    "accuracy": ("accuracy", "prediction accuracy (mean log-probability of the own label over the subset)"),
}
# Assumed effect, because the paper prints no number: INS has a smaller mean distance to exact SGD than PT.
_CLOSER = "exact SGD is closer to INS than to PT by a factor of 1.25, on the curves of an earlier run with another seed"
_SPREAD_SOURCE = "spread from the same run"
FACTOR = "a factor of 1.25 from the bound; spread from an earlier run with another seed"


def _claims(size, number, powers):
    """The claims of figure `number`, on data and models of this size; powers: {key: (effect, spread, spread of the
    variances)}."""
    where = f"section 4.4, figure {number}"
    claims = {}
    for key, (_, quantity) in _QUANTITIES.items():
        effect, spread, of_variances = powers[key]
        claims[key] = Claim(
            f"INS has a better average {key} than PCD-1 and PT ({size})",
            where,
            "performing better in terms of average behaviour",
            f"{quantity}, {_OVER_ALL} and over repeats, in nats: INS less the larger of PCD-1 and PT",
            at_least=0.0,
            bound=f"larger than 0: {_SIMILAR}",
            power=Power(effect, spread, f"{_CLOSER}; {_SPREAD_SOURCE}"),
        )
        claims[f"{key}-spread"] = Claim(
            f"The {key} varies less over trainings with INS than with PCD-1 and PT ({size})",
            where,
            "performing better in terms of estimated variance",
            f"variance over repeats of the {quantity}, {_OVER_ALL}: INS / the smaller of PCD-1 and PT",
            at_most=1.0,
            bound=f"smaller than 1: {_SIMILAR}",
            scale="log",
            power=Power(0.8, of_variances, FACTOR),
        )
    return claims | {
        "exact": Claim(
            f"The likelihood with INS beside that with exact SGD ({size})",
            where,
            "curves, no number",
            f"mean log-likelihood of the training data, exact, {_OVER_ALL} and over repeats: exact SGD less INS [nat]",
        ),
        "degenerate": Claim(
            f"PCD-1 shows degenerate behaviour ({size})",
            f"sections 4.2.5, 4.4 and 5, figure {number}",
            "degenerate behaviour, no number",
            f"{LOST.format('log-likelihood')}",
        ),
    }


def inputs_of(here: Here, number: int, needed: Sequence[str] = ()) -> dict:
    """Runs of `number` comparisons. needed: trainers of the claims beside INS, PCD-1 and PT."""
    here.expect("comparisons", len(here.entry["comparisons"]) == number, f"a list of comparisons, of length {number}")
    needed = ("ins", *RIVALS, *needed)
    here.expect("trainers", {*needed} <= {*here.entry["trainers"]}, f"a list with {', '.join(needed)}")
    return {
        "runs": {
            name: ins_experiments.compared(here, name, here.entry["trainers"]) for name in here.entry["comparisons"]
        }
    }


def settings(here: Here) -> Settings:
    comparisons = here.entry["comparisons"]
    titles = {name: ins_experiments.comparison_of(here, name)["title"] for name in comparisons}
    return {"titles": titles, "names": ins_experiments.titles_of_trainers(here, comparisons[0], here.entry["trainers"])}


# Least number of groups of repeats, if there are enough repeats. The jackknife leaves out one group at a time. Leaving
# out single repeats takes longer, and gives wrong spreads of quantiles (Shao & Wu 1989).
_GROUPS = 15


def over_groups(statistic: Measure, *values: Array, scale: str = "linear") -> Statistic:
    """`over_repeats` with groups of repeats; `statistic` takes arrays (resample, update, member, group)."""

    def grouped(array):
        members = max(1, array.shape[-1] // _GROUPS)
        groups = array.shape[-1] // members
        return array[:, : members * groups].reshape(len(array), members, groups)

    return over_repeats(statistic, *map(grouped, values), scale=scale)


def statistics(artifacts: Artifacts) -> Statistics:
    (runs,) = artifacts["runs"].values()
    statistics = {}

    def lead(ours, *rivals):
        return mean(ours) - np.max([mean(rival) for rival in rivals], axis=0)

    def ratio_of_variances(*arrays):
        ours, *rivals = (array.var(axis=(2, 3), ddof=1).mean(axis=1) for array in arrays)
        return ours / np.min(rivals, axis=0)

    for key, (variable, _) in _QUANTITIES.items():
        values = [values_of(runs[name], variable) for name in ("ins", *RIVALS)]
        statistics[key] = over_groups(lead, *values)
        statistics[f"{key}-spread"] = over_groups(ratio_of_variances, *values, scale="log")
    levels = [values_of(runs[name], "log_likelihood") for name in ("exact", "ins")]
    return statistics | {
        "exact": over_groups(difference_of_means, *levels),
        "degenerate": loss_of(runs["pcd"], "log_likelihood"),
    }


def loss_of(run: Dataset, variable: str) -> Statistic:
    """Largest mean over repeats before the last fifth of the updates, minus the mean in the last fifth."""
    last = len(part_of(run, variable, END, 1.0))

    def fall(values):
        levels = values.mean(axis=(2, 3))
        return levels[:, :-last].max(axis=1) - levels[:, -last:].mean(axis=1)

    return over_groups(fall, values_of(run, variable))


def part_of(run: Dataset, variable: str, first: float, last: float) -> Array:
    """Values (update, repeat) of a Dataset of `ins_runs.trainings` between two shares of the updates."""
    update = run["update"].values
    chosen = (update >= first * update[-1]) & (update <= last * update[-1])
    return values_of(run, variable)[chosen]


def draw(artifacts: Artifacts, *, titles: Names, names: Names) -> Figure:
    rows = [
        (runs, title, variable)
        for runs, title in ((artifacts["runs"][comparison], title) for comparison, title in titles.items())
        for variable in LABELS
        if all(variable in run for run in runs.values())
    ]
    return draw_rows(rows, names)


def draw_rows(rows: Sequence[tuple[Mapping[str, Dataset], str, str]], names: Names) -> Figure:
    """Draw a row of axes for each (runs {trainer: Dataset}, title, variable); names: {trainer: title}."""
    figure = new_figure(8.4, 2.8 * len(rows) + 0.6)
    axes = figure.subplots(len(rows), 2, squeeze=False, sharex="row")
    for (left, right), (runs, title, variable) in zip(axes, rows, strict=True):
        for trainer, name in names.items():
            run, look = runs[trainer], {"label": name, **look_of(trainer)}
            update, values = run["update"].values, values_of(run, variable)
            draw_band(left, update, mean_with_band(values), **look)
            right.plot(update[1:], values[1:].var(axis=-1, ddof=1), **look)
        limit_after_rise(left, [values_of(runs[trainer], variable) for trainer in names])
        repeats = run.sizes["repeat"]
        if repeats > 1:
            plain_logarithms(right.yaxis)
        left.set_ylabel(LABELS[variable])
        right.set_ylabel("variance over repeats [nat²]")
        right.set_title(f"{title}, {repeats} {'repeats' if repeats > 1 else 'repeat'}", loc="right", fontsize=9)
    for axis in axes.ravel():
        label_counts(axis.xaxis)
    for axis in axes[-1]:
        axis.set_xlabel("parameter updates")
    add_legend(figure, axes[0, 0])
    return finished(figure, *(run for runs, _, _ in rows for run in runs.values()), panels=axes.ravel())


def values_of(run: Dataset, variable: str) -> Array:
    """Values (update, repeat) of a Dataset of `ins_runs.trainings`, converted from single to double precision."""
    return run[variable].transpose("update", "repeat").values.astype(np.float64)


def limit_after_rise(axis: Axes, runs: Sequence[Array]) -> None:
    """Limit the y axis to the bands of means over repeats after the initial rise; runs: arrays (update, repeat)."""
    ends = [np.vstack(mean_with_band(values[int(np.ceil(_RISE * len(values))) :])) for values in runs]
    low, high = min(map(np.nanmin, ends)), max(map(np.nanmax, ends))
    room = 0.05 * (high - low)
    axis.set_ylim(low - room, high + room)


def _size(here: Here) -> Size:
    (name,) = here.entry["comparisons"]
    return ins_experiments.size_of_comparison(here, name)


FIGURES = {
    "ins-f3": Declaration(
        """\
Exact mean log-likelihood and prediction accuracy during training. Left: mean over repeats, with its 95% interval.
Right: variance over repeats. Hult et al. (2019), figure 3.""",
        partial(inputs_of, number=1, needed=("exact",)),
        draw,
        settings=settings,
        claims=_claims("12 × 4", 3, {"likelihood": (0.025, 0.04, 0.8), "accuracy": (0.005, 0.009, 0.85)}),
        statistics=statistics,
        sizes=_size,
    ),
    "ins-f5": Declaration(
        """\
As figure 3, on toy data of 20 visible units. Hult et al. (2019), figure 5.""",
        partial(inputs_of, number=1, needed=("exact",)),
        draw,
        settings=settings,
        claims=_claims("20 × 6", 5, {"likelihood": (0.08, 0.135, 0.72), "accuracy": (0.0055, 0.009, 0.75)}),
        statistics=statistics,
        sizes=_size,
    ),
}
