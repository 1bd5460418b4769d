"""log Z from below and from above, where exact draws of the model exist.

Mean error of log Z over independent runs, with 95% bootstrap bands. Annealing up from the base underestimates log
Z on average. Annealing down from exact draws of the model overestimates it (Grosse, Ghahramani & Adams 2015). The line
at 0 is the exact log Z. The y axis is linear between the dotted lines, and logarithmic outside.
"""

from logzoo.checks import one_of
from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.papers.declaration import Here
from replication.papers.zoo.zoo_errors import PANEL_COLUMNS, new_panels
from replication.reporting.statistics import mean_with_band, truth_of
from replication.reporting.style import TRUTH, count_ticks, draw_band, finished, look_of
from replication.types import Artifacts, Figure, Inputs, Names

_REVERSE = {"color": "#CC79A7", "marker": "D", "linestyle": "-"}
_LINEAR = 1.0  # nats


def inputs(here: Here) -> Inputs:
    models = here.entry["models"]
    return {
        "sides": {model: _sides(here, model) for model in models},
        "truths": {model: here.truth(model) for model in models},
    }


def _sides(here, model):
    sizes = here.chosen("lower", "budgets", "replicates", "chains")
    for method in sizes["lower"]:
        one_of(f"configuration: figures.{here.name}: lower", method, ESTIMATORS)
    sweeps = sum(sizes["budgets"]) * sizes["replicates"] * sizes["chains"]
    return here.experiment(
        "replication.papers.zoo.zoo_experiments:both_sides",
        here.model_and_data(model),
        sizes,
        f"figures/{here.name}.{model}",
        stream=("sandwich", model),
        methods=tuple(sizes["lower"]),
        work={"sampling": here.visits(model, (len(sizes["lower"]) + 1) * sweeps)},
    )


def draw(artifacts: Artifacts, *, titles: Names, names: Names) -> Figure:
    sides, truths = artifacts["sides"], artifacts["truths"]
    figure, axes = new_panels(len(sides), 3.2, 3.1)
    for axis, (model, estimates) in zip(axes, sides.items(), strict=True):
        _draw_model(axis, estimates, truth_of(truths[model])[0], names)
        axis.set_title(titles[model], loc="right", fontsize=8)
        axis.set_xlabel(f"Gibbs sweeps per chain, {estimates.attrs['chains']} chains")
    for axis in axes[::PANEL_COLUMNS]:
        axis.set_ylabel("mean error of log Z [nat]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return finished(figure, *sides.values(), panels=axes)


def _draw_model(axis, estimates, truth, names):
    budgets = estimates["budget"].values
    axis.axhline(0.0, color=TRUTH, linewidth=1)
    for line in (-_LINEAR, _LINEAR):
        axis.axhline(line, color=TRUTH, linewidth=0.6, linestyle=":")
    for position, side in enumerate(estimates["side"].values):
        errors = estimates["log_z"].sel(side=side).transpose("budget", "replicate").values - truth
        label = "down from exact draws" if side == "reverse" else f"{names[side]}, up from the base"
        look = _REVERSE if side == "reverse" else look_of(side, position)
        draw_band(axis, budgets, mean_with_band(errors), label=label, **look)
    axis.set_yscale("symlog", linthresh=_LINEAR)
    axis.set_yticks([-100, -10, -1, 0, 1, 10, 100], ["−100", "−10", "−1", "0", "1", "10", "100"])
    largest = max(abs(end) for end in axis.dataLim.intervaly)
    axis.set_ylim(-1.3 * max(largest, _LINEAR), 1.3 * max(largest, _LINEAR))
    count_ticks(axis, budgets)
