"""All estimates of all models in one dataset."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled

_CELLS = ("model", "estimator", "budget", "replicate")
_KEPT = ("log_z", "std_error", "interval", "converged", "sweeps_spent")
# What a model may be selected by, beside its sizes.
_PLACES = {
    "family": "models alike: their data set and number of hidden units",
    "dataset": "data set that the model belongs to",
    "trainer": "how the model was trained",
}


def run(artifacts, *, places):
    """The job that combines every estimate, truth and model."""
    return combine(artifacts["estimates"], artifacts["truths"], artifacts["models"], places)


def combine(estimates, truths, models, places):
    """One Dataset over (model, estimator, budget, replicate) from {model: {estimator: Dataset}} and {model: Dataset}.

    models: {model: its parameters}; places: {model: {"family", "dataset", "trainer"}}, which become coordinates beside
    `visible`, `hidden` and `chains`. A budget that a model lacks is NaN (0 for counts). `truth`, `truth_std_error`,
    `test_log_likelihood` and `stand_in` are per model.
    """
    names, estimators = list(estimates), list(next(iter(estimates.values())))
    first = [by_estimator[estimators[0]] for by_estimator in estimates.values()]
    rows = [
        xr.concat([_kept(by_estimator[name]) for name in estimators], dim="estimator", join="outer")
        for by_estimator in estimates.values()
    ]
    zoo = xr.concat(rows, dim="model", join="outer", combine_attrs="drop")
    for name in ("converged", "sweeps_spent"):
        zoo[name] = zoo[name].fillna(0).astype(np.int64)
    for name in _KEPT:
        zoo[name].attrs.update(first[0][name].attrs)
    zoo = zoo.assign(_of_truths([truths[name] for name in names])).assign_coords(
        {
            "model": labelled("model", np.array(names, dtype=object), "trained or imported RBM", "1"),
            "estimator": labelled("estimator", np.array(estimators, dtype=object), "estimator of log Z", "1"),
            **_of_places([places[name] for name in names]),
            **_of_sizes([models[name] for name in names], [estimate.attrs["chains"] for estimate in first]),
        }
    )
    return zoo.transpose(*_CELLS, "bound")


def _of_truths(truths):
    """Variables over `model` of what is taken as true."""
    likelihoods = [float(truth["log_likelihood"].sel(split="test")) for truth in truths]
    stand_ins = [int("stand_in_for" in truth.attrs) for truth in truths]
    values = {
        "truth": ([float(truth["log_z"]) for truth in truths], "log Z taken as true", "nat"),
        "truth_std_error": ([float(truth["std_error"]) for truth in truths], "standard error of it", "nat"),
        "test_log_likelihood": (likelihoods, "mean test log-likelihood under it", "nat"),
        "stand_in": (stand_ins, "1 when another data set stands in for the model's own", "1"),
    }
    return {name: labelled("model", *content) for name, content in values.items()}


def _of_places(places):
    return {
        name: labelled("model", np.array([labels[name] for labels in places], dtype=object), text, "1")
        for name, text in _PLACES.items()
    }


def _of_sizes(models, chains):
    values = {
        "visible": ([model.sizes["visible"] for model in models], "visible units", "1"),
        "hidden": ([model.sizes["hidden"] for model in models], "hidden units", "1"),
        "chains": (chains, "chains that each run with the budget", "1"),
    }
    return {name: labelled("model", np.array(numbers), *text) for name, (numbers, *text) in values.items()}


def _kept(estimate):
    return estimate[list(_KEPT)].drop_attrs(deep=False)
