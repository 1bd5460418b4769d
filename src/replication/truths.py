"""The true log Z of a model, from which errors of estimates are measured, and likelihoods under this log Z."""

import numpy as np
import xarray as xr

from logzoo.io.schema import labelled
from logzoo.models.rbm import RBM


def as_truth(log_z: float, std_error: float, method: str) -> xr.Dataset:
    """A Dataset of a truth: `log_z` and `std_error` in nats, and the attribute `truth_method`."""
    return xr.Dataset(
        {
            "log_z": labelled((), log_z, "log partition function", "nat"),
            "std_error": labelled((), std_error, "standard error of log Z", "nat"),
        },
        attrs={"truth_method": method},
    )


def long_run_truth(long_runs: dict[str, xr.Dataset]) -> xr.Dataset:
    """The truth as the mean of long runs of different estimators, {name: Dataset of an estimate}.

    std_error is the larger of two numbers: the standard error of the mean, and half the range of log Z over the runs.
    The range shows errors that the standard errors of the estimators miss. The attribute `converged` is 1 if all runs
    converged, else 0.
    """
    log_z, errors = (np.array([run[name].item() for run in long_runs.values()]) for name in ("log_z", "std_error"))
    std_error = max(float(np.sqrt((errors**2).sum()) / errors.size), float(0.5 * np.ptp(log_z)))
    truth = as_truth(float(log_z.mean()), std_error, "mean of " + ", ".join(sorted(long_runs)))
    return truth.assign_attrs(converged=int(all(run["converged"].values.all() for run in long_runs.values())))


def with_likelihoods(truth: xr.Dataset, rbm: RBM, data: dict[str, np.ndarray], published: dict) -> xr.Dataset:
    """The truth with the mean unnormalised log-probability and the mean log-likelihood of each split.

    data: {split: matrix} of 0/1 or grey levels in between. published: numbers by name. If `log_z` is published, the
    result also has the test log-likelihood from our free energies and the published log Z. It can be compared with the
    published likelihood.
    """
    splits = list(data)
    log_f = np.array([rbm.log_f(data[split]).mean() for split in splits])
    likelihood = log_f - float(truth["log_z"])
    truth = truth.assign_coords(split=labelled("split", np.array(splits, dtype=object), "split of the data", "1"))
    truth = truth.assign(
        mean_log_f=labelled("split", log_f, "mean unnormalised log-probability of the split", "nat"),
        log_likelihood=labelled("split", likelihood, "mean log-likelihood of the split", "nat"),
    )
    if "log_z" in published:
        at_published = float(truth["mean_log_f"].sel(split="test")) - published["log_z"]
        text = "mean test log-likelihood under the published log Z"
        truth["test_log_likelihood_at_published_log_z"] = labelled((), at_published, text, "nat")
    return truth
