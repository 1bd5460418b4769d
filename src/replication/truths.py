"""The log Z that estimates are measured against, and the likelihoods it gives."""

import numpy as np
import xarray as xr

from logzoo.io.labels import labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM


def exact_truth(rbm: RBM) -> xr.Dataset:
    """Truth by enumeration: Dataset with log_z and std_error (zero) in nats."""
    return _dataset(exact_log_z(rbm), 0.0, "enumeration")


def known_truth(log_z: float, source: str) -> xr.Dataset:
    """Truth of a model whose log Z is known; source: who says so."""
    return _dataset(log_z, 0.0, source)


def long_run_truth(long_runs: dict[str, xr.Dataset]) -> xr.Dataset:
    """Truth as the mean of long runs of unlike estimators: name -> Dataset of one estimate each.

    std_error is the larger of the standard error of the mean and half the spread between the runs: an error that the
    estimators do not admit shows in their disagreement.
    """
    log_z, errors = (np.array([run[name].item() for run in long_runs.values()]) for name in ("log_z", "std_error"))
    std_error = max(float(np.sqrt((errors**2).sum()) / errors.size), float(0.5 * np.ptp(log_z)))
    truth = _dataset(float(log_z.mean()), std_error, "mean of " + ", ".join(sorted(long_runs)))
    return truth.assign_attrs(converged=int(all(run["converged"].values.all() for run in long_runs.values())))


def with_likelihoods(truth: xr.Dataset, rbm: RBM, data: dict[str, np.ndarray], published: dict) -> xr.Dataset:
    """Truth with mean unnormalised log-probability and log-likelihood (split,) of data {split name: matrix}.

    Data are 0/1, or grey levels in between. published: {"log_z": ...} where there is one: then the test log-likelihood
    under it, with our own free energies, is what the publication should have found on these data.
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


def _dataset(log_z: float, std_error: float, method: str) -> xr.Dataset:
    return xr.Dataset(
        {
            "log_z": labelled((), log_z, "log partition function", "nat"),
            "std_error": labelled((), std_error, "standard error of log Z", "nat"),
        },
        attrs={"truth_method": method},
    )
