"""All estimates of all models in one dataset."""

import numpy as np
import xarray as xr

from logzoo.io.schema import labelled

_CELLS = ("model", "estimator", "budget", "replicate")
_KEPT = ["log_z", "std_error", "interval", "converged", "reasons", "sweeps_spent"]
# What a model may be selected by, beside its sizes.
_PLACES = {
    "family": "models alike: their data set and number of hidden units",
    "dataset": "data set that the model belongs to",
    "trainer": "how the model was trained; imported or known of others",
}


def run(artifacts, *, places):
    """The job that combines every estimate, truth and model: Dataset over (model, estimator, budget, replicate).

    places: {model: {"family", "dataset", "trainer"}}, which become coordinates beside `visible`, `hidden` and `chains`.
    A budget or replicate that a model lacks is NaN (0 for counts); a model has as many replicates as all its estimators
    have. `truth`, `truth_std_error`, `test_log_likelihood` and `stand_in` are per model.
    """
    estimates = artifacts["estimates"]
    models, estimators = list(estimates), list(next(iter(estimates.values())))
    first = [by_estimator[estimators[0]] for by_estimator in estimates.values()]
    rows = []
    for by_estimator in estimates.values():
        common = slice(min(one.sizes["replicate"] for one in by_estimator.values()))
        each = [by_estimator[name][_KEPT].isel(replicate=common).drop_attrs(deep=False) for name in estimators]
        rows.append(xr.concat(each, dim="estimator", join="outer"))
    zoo = xr.concat(rows, dim="model", join="outer", combine_attrs="drop")
    for name in ("converged", "reasons", "sweeps_spent"):
        zoo[name] = zoo[name].fillna(0).astype(np.int64)
    for name in _KEPT:
        zoo[name].attrs.update(first[0][name].attrs)
    parameters = [artifacts["models"][model] for model in models]
    of_models = {
        **{key: (_texts(places[model][key] for model in models), text, "1") for key, text in _PLACES.items()},
        "visible": (np.array([rbm.sizes["visible"] for rbm in parameters]), "visible units", "1"),
        "hidden": (np.array([rbm.sizes["hidden"] for rbm in parameters]), "hidden units", "1"),
        "chains": (np.array([run.attrs["chains"] for run in first]), "chains that each run with the budget", "1"),
    }
    coordinates = {
        "model": labelled("model", _texts(models), "RBM", "1"),
        "estimator": labelled("estimator", _texts(estimators), "estimator of log Z", "1"),
        **{name: labelled("model", *content) for name, content in of_models.items()},
    }
    truths = _of_truths([artifacts["truths"][model] for model in models])
    return zoo.assign(truths).assign_coords(coordinates).transpose(*_CELLS, "bound")


def _texts(values):
    return np.array(list(values), dtype=object)


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
