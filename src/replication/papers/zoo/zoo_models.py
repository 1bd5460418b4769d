"""The models on which all estimators run: their log Z, likelihoods and difficulty for estimators."""

from collections.abc import Mapping

import numpy as np

from replication.artifacts import stand_in_note
from replication.papers.declaration import Declaration, Here
from replication.papers.zoo import zoo_statistics
from replication.papers.zoo.families import combined, matrix_places, zoo_models
from replication.papers.zoo.zoo_errors import add_key
from replication.papers.zoo.zoo_rows import nothing_to_show
from replication.reporting.statistics import DEVIATE
from replication.reporting.style import TRUTH, doubt_of, finished, new_figure, plain_logarithms
from replication.reporting.tables import COUNT, Column, table_of
from replication.types import Artifacts, Dataset, Figure, Inputs, Names, Settings

_SPLITS = {split: Column(split, "nat") for split in ("train", "validation", "test")}
_LIKELIHOOD_COLUMNS = {
    "log_z": Column("log Z", "nat"),
    "std_error": Column("± s.e.", "nat"),
    "method": Column("from"),
    **_SPLITS,
    "published_log_z": Column("published log Z", "nat"),
    "published_test": Column("published test", "nat"),
}
_TRAINED_COLUMNS = {
    "updates": Column("updates", form=COUNT),
    "chain_sweeps": Column("chain-sweeps", "sweep", COUNT),
    "log_z": Column("log Z", "nat"),
    **_SPLITS,
}
_PUBLISHED = {"log_z": "log_z", "test": "test_log_likelihood"}


def likelihood_inputs(here: Here) -> Inputs:
    return {model: here.truth(model) for model in matrix_places(here.config)}


def likelihood_settings(here: Here) -> Settings:
    models, names = here.config["models"], matrix_places(here.config)
    return {
        "titles": {model: models[model]["title"] for model in names},
        "published": {model: models[model]["published"] for model in names if "published" in models[model]},
    }


def likelihood_rows(artifacts: Artifacts, *, titles: Names, published: Mapping[str, Mapping[str, float]]) -> Dataset:
    table, notes = {}, []
    for model, truth in artifacts.items():
        known = {} if "stand_in_for" in truth.attrs else published.get(model, {})
        table[titles[model] + stand_in_note(truth)] = {
            "log_z": float(truth["log_z"]),
            "std_error": float(truth["std_error"]),
            "method": truth.attrs["truth_method"] + doubt_of(truth),
            **_likelihoods(truth),
            **{f"published_{key}": known[name] for key, name in _PUBLISHED.items() if name in known},
        }
        if "test_log_likelihood_at_published_log_z" in truth and "test_log_likelihood" in known:
            likelihood = float(truth["test_log_likelihood_at_published_log_z"])
            notes.append(
                f"{titles[model]}: with the published log Z = {known['log_z']:g} the mean test log-likelihood is "
                f"{likelihood:.2f} nat; published {known['test_log_likelihood']:g}."
            )
    return table_of(table, "model", _LIKELIHOOD_COLUMNS).assign_attrs({"notes": "\n".join(notes)} if notes else {})


def _trained_models(here):
    return zoo_models({**here.config["zoo"], "hidden": [here.entry["hidden"]]})


def trained_inputs(here: Here) -> Inputs:
    models = _trained_models(here)
    return {
        "truths": {model: here.truth(model) for model in models},
        "traces": {model: here.trace(model) for model in models},
    }


def trained_settings(here: Here) -> Settings:
    return {"titles": {model: entry["title"] for model, entry in _trained_models(here).items()}}


def trained_rows(artifacts: Artifacts, *, titles: Names) -> Dataset:
    rows = {}
    for model, truth in artifacts["truths"].items():
        last = artifacts["traces"][model].isel(update=-1)
        rows[titles[model] + stand_in_note(truth)] = {
            "updates": int(last["update"]) + 1,
            "chain_sweeps": int(last["chain_sweeps"]),
            "log_z": float(truth["log_z"]),
            **_likelihoods(truth),
        }
    return table_of(rows, "model", _TRAINED_COLUMNS)


def _likelihoods(truth):
    return {split: float(truth["log_likelihood"].sel(split=split)) for split in truth["split"].values}


def draw_trainers(artifacts: Artifacts, *, trainers: Names) -> Figure:
    from matplotlib.ticker import MaxNLocator

    zoo = artifacts["zoo"]
    parts = [part for part in zoo_statistics.families(zoo).values() if part.sizes["model"] > 1]
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
        left.set_title(zoo_statistics.title_of_family(part), loc="right", fontsize=9)
    add_key(figure, axes[:1, 0])
    axes[-1, 0].set_xlabel("RMSE relative to the median model")
    axes[-1, 1].set_xlabel("mean test log-likelihood [nat]")
    return finished(figure, zoo, panels=axes.ravel())


def _draw_difficulty(axis, part):
    of_estimators, value, interval = zoo_statistics.difficulty(part)
    rows = np.arange(part.sizes["model"])
    for number, of_one in enumerate(of_estimators):
        look = {"color": "grey", "alpha": 0.6, "marker": "|", "markersize": 8, "linestyle": ""}
        axis.plot(of_one, rows, label="" if number else "one estimator", **look)
    label = "geometric mean over estimators, 95% interval"
    axis.errorbar(value, rows, xerr=np.abs(interval - value), fmt="o", color=TRUTH, capsize=2, label=label)
    axis.axvline(1.0, color=TRUTH, linestyle="--", linewidth=0.8)
    plain_logarithms(axis.xaxis)


FIGURES = {
    "zoo-likelihoods": Declaration(
        "Log Z of every model, exact or from long runs of different estimators, and the mean log-likelihoods of its "
        "data under this log Z. Published values are beside them, if there are any.",
        likelihood_inputs,
        rows=likelihood_rows,
        settings=likelihood_settings,
    ),
    "zoo-trained": Declaration(
        "Log Z and mean log-likelihoods, in nats, of the final model of each trainer. All trainers have about equal "
        "chain-sweeps, except LVS: the lengths of its tours are random.",
        trained_inputs,
        rows=trained_rows,
        settings=trained_settings,
    ),
    "zoo-trainers": Declaration(
        "Left: root mean square error on the models of each trainer, relative to the median model of the same family. "
        "Black: geometric mean over estimators and budgets, with its 95% interval from resampled replicates. "
        "Grey: each estimator. Right: the mean test log-likelihood of the same models; bars are 95% intervals from the "
        "standard error of the true log Z.",
        combined,
        draw_trainers,
    ),
}
