"""RTS figure 8: the occupancy of the rungs from a transition matrix.

Root mean square error of log Z by RTS, SD and RSD from the same draws. SD and RSD use the stationary distribution of
the transition matrix of the inverse temperature. SD counts the transitions; RSD Rao-Blackwellises them. Carlson et al.
(2016), figure 8.
"""

import numpy as np

from logzoo.types import Array
from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.experiment import Experiment
from replication.papers.panels import add_legend
from replication.reporting import style
from replication.reporting.statistics import over_repeats, rmse_with_band, root_mean_square, truth_of, untested
from replication.types import Artifacts, Figure, Inputs, Names, Statistics

_EARLIER = "spread: the decisive scale, earlier seed"
_RATIO = "RMSE of log Z by {} of the same draws, geometric mean over numbers of sweeps"
CLAIMS = {
    "small": Claim(
        "RSD improves on RTS by about 10% at 10 hidden units",
        "supplement G and figure 8, left",
        published="about 10%",
        measured=_RATIO.format("RSD / RTS"),
        at_most=1.0,
        bound="'improves performance'",
        scale="log",
        power=Power(0.9, 0.25, f"effect: published; {_EARLIER}"),
    ),
    "large": Claim(
        "RSD does not improve on RTS at 200 hidden units",
        "supplement G and figure 8, right",
        published="no performance improvements",
        measured=_RATIO.format("RSD / RTS"),
        at_least=1.0,
        bound="'no performance improvements'",
        scale="log",
        power=Power(1.25, 0.3, f"effect: a factor of 1.25; {_EARLIER}"),
    ),
    "counted": Claim(
        "The stationary distribution of the counted transitions (SD, TM in the figure) at 10 hidden units",
        "figure 8, left",
        published="drawn, without a number",
        measured=_RATIO.format("SD / RTS"),
    ),
}
_ASIDE = 1.04
_GAIN = 0.9  # published RMSE of RSD / RMSE of RTS at 10 hidden units
# Hidden units of the models that the claims name.
_KEYS = {10: "small", 200: "large"}


def inputs(here: Here) -> Inputs:
    models = here.entry["models"]
    return {
        "stationary": {model: stationary_experiment(here, model) for model in models},
        "truths": {model: here.truth(model) for model in models},
    }


def stationary_experiment(here: Here, model: str) -> Experiment:
    """The experiment on a model, with the sizes of figure 8."""
    sizes = here.chosen("rungs", "budgets", "replicates")
    sweeps = sum(sizes["budgets"]) * sizes["replicates"]
    return here.experiment(
        "replication.papers.rts.rts_experiments:occupancies",
        here.model_and_data(model),
        {**sizes, "chains": here.chains},
        f"figures/{here.name}.{model}",
        stream=("stationary", model),
        checkpoints=True,
        work={"sampling": here.visits(model, sweeps * here.chains)},
    )


def sizes(here: Here) -> dict[str, Size]:
    """Our sizes beside the published sizes (figure 8). The published 100,000 sweeps are from figure 3."""
    entry, by_key = here.entry, {}
    for hidden in {here.shape(model)[1] for model in entry["models"]} & {*_KEYS}:
        settings = {
            "hidden units": (hidden, hidden),
            "most sweeps": (max(entry["budgets"]), 100_000),
            "rungs": (entry["rungs"], 100),
            "chains": (here.chains, 100),
            "repeats": (entry["replicates"], 20),
        }
        by_key[_KEYS[hidden]] = Size(settings, entry["replicates"], trainings=1)
    return by_key | ({"counted": by_key["small"]} if "small" in by_key else {})


def statistics(artifacts: Artifacts) -> Statistics:
    statistics = dict.fromkeys(CLAIMS, untested("the figure has no model with this number of hidden units"))
    for model, estimates in artifacts["stationary"].items():
        hidden = estimates.attrs["hidden"]
        if hidden not in _KEYS:
            continue
        truth, truth_error = truth_of(artifacts["truths"][model])
        error = estimates["log_z"].transpose("estimator", "budget", "replicate") - truth
        rts, sd, rsd = (error.sel(estimator=name).values for name in ("rts", "sd", "rsd"))
        statistics[_KEYS[hidden]] = over_repeats(times_rmse, rsd, rts, scale="log", truth_error=truth_error)
        if _KEYS[hidden] == "small":
            statistics["counted"] = over_repeats(times_rmse, sd, rts, scale="log", truth_error=truth_error)
    return statistics


def times_rmse(errors: Array, others: Array) -> Array:
    """RMSE of errors (resample, budget, repeat) divided by the RMSE of `others`, as a geometric mean over budgets."""
    return np.exp(np.log(root_mean_square(errors) / root_mean_square(others)).mean(axis=-1))


def draw(artifacts: Artifacts, *, titles: Names, names: Names) -> Figure:
    stationary, truths = artifacts["stationary"], artifacts["truths"]
    figure = style.new_figure(3.8 * len(stationary) + 1.8, 3.6)
    axes = figure.subplots(1, len(stationary), squeeze=False)[0]
    for axis, (model, estimates) in zip(axes, stationary.items(), strict=True):
        budgets, truth = estimates["budget"].values, truths[model]
        log_z = estimates["log_z"].transpose("estimator", "budget", "replicate").values
        by_name = zip(estimates["estimator"].values, log_z, strict=True)
        rmse = {name: rmse_with_band(values, float(truth["log_z"])) for name, values in by_name}
        for position, (estimator, errors) in enumerate(rmse.items()):
            # Points are shifted sideways, because the bars of the three estimators would overlap.
            beside = budgets * _ASIDE ** (position - 1)
            style.draw_bars(axis, beside, errors, label=names[estimator], **style.look_of(estimator, position))
        if estimates.attrs["hidden"] == 10:
            look = {"color": "grey", "marker": "_", "markersize": 12, "linestyle": "--"}
            axis.plot(budgets, _GAIN * rmse["rts"][0], label="published gain of RSD: 10% below RTS", **look)
        style.draw_truth_error(axis, truth)
        style.plain_logarithms(axis.yaxis)
        style.count_ticks(axis, budgets)
        axis.set_xlabel("Gibbs sweeps per chain")
        axis.set_title(style.title_of(titles[model], truth), loc="right")
    axes[0].set_ylabel(r"RMSE of $\log \hat Z$ [nat]")
    add_legend(figure, axes, "outside right upper")
    return style.finished(figure, *truths.values(), panels=axes)
