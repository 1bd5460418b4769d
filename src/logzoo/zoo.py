"""All estimates of all models in one dataset."""

import numpy as np
import xarray as xr

from logzoo.labels import labelled

_CELLS = ("model", "estimator", "budget", "replicate")
_KEPT = ("log_z", "std_error", "interval", "converged", "sweeps_spent")


def combine(estimates, truths):
    """One Dataset over (model, estimator, budget, replicate) from {(model, estimator): Dataset} and {model: Dataset}.

    A budget that a model lacks is NaN (0 for counts). `truth`, `truth_std_error` and `stand_in` are per model.
    """
    models = list(dict.fromkeys(model for model, _ in estimates))
    estimators = list(dict.fromkeys(estimator for _, estimator in estimates))
    rows = [
        xr.concat([_kept(estimates[model, estimator]) for estimator in estimators], dim="estimator", join="outer")
        for model in models
    ]
    zoo = xr.concat(rows, dim="model", join="outer", combine_attrs="drop")
    for name in ("converged", "sweeps_spent"):
        zoo[name] = zoo[name].fillna(0).astype(np.int64)
    for name in _KEPT:
        zoo[name].attrs.update(next(iter(estimates.values()))[name].attrs)
    per_model = {
        "truth": ([float(truths[model]["log_z"]) for model in models], "log Z taken as true", "nat"),
        "truth_std_error": ([float(truths[model]["std_error"]) for model in models], "standard error of it", "nat"),
        "stand_in": (
            [int("stand_in_for" in truths[model].attrs) for model in models],
            "1 when another data set stands in for the model's own",
            "1",
        ),
    }
    names = {"model": (models, "trained or imported RBM"), "estimator": (estimators, "estimator of log Z")}
    zoo = zoo.assign({name: labelled("model", values, *text) for name, (values, *text) in per_model.items()})
    zoo = zoo.assign_coords(
        {name: labelled(name, np.array(values, dtype=object), text, "1") for name, (values, text) in names.items()}
    )
    return zoo.transpose(*_CELLS, "bound")


def rmse(zoo):
    """Root mean square error (model, estimator, budget) in nats, over replicates."""
    return np.sqrt(((zoo["log_z"] - zoo["truth"]) ** 2).mean("replicate"))


def _kept(estimate):
    return estimate[list(_KEPT)].drop_attrs(deep=False)
