"""Compute the true log Z of one model, and the mean log-likelihood of its data."""

from replication.artifacts import stand_ins
from replication.jobs import job, read_inputs, write_output

import numpy as np
import xarray as xr
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.readers import SPLITS
from logzoo.io.schema import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM

with job(snakemake.log[0]):
    inputs, published = read_inputs(snakemake), snakemake.params.published
    model, long_runs = inputs["model"], inputs.get("long_runs", {})
    rbm, notice, attributes = RBM.from_dataset(model), stand_ins([model]), {}
    if long_runs:
        values, errors = (np.array([run[name].item() for run in long_runs.values()]) for name in ("log_z", "std_error"))
        # Half the range of log Z over the runs shows errors that the standard errors of the estimators miss.
        std_error = max(float(np.sqrt((errors**2).sum()) / errors.size), float(0.5 * np.ptp(values)))
        log_z, method = float(values.mean()), "mean of " + ", ".join(sorted(long_runs))
        attributes["converged"] = int(all(run["converged"].values.all() for run in long_runs.values()))
    elif "known_log_z" in model.attrs:
        log_z, std_error, method = model.attrs["known_log_z"], 0.0, model.attrs["known_from"]
    else:
        log_z, std_error, method = exact_log_z(rbm), 0.0, "enumeration"
    log_f = np.array([rbm.log_f(visible_matrix(inputs["dataset"], split)).mean() for split in SPLITS])
    truth = xr.Dataset(
        {
            "log_z": labelled((), log_z, "log partition function", "nat"),
            "std_error": labelled((), std_error, "standard error of log Z", "nat"),
            "split": coordinate("split", SPLITS, "split of the data"),
            "mean_log_f": labelled("split", log_f, "mean unnormalised log-probability of the split", "nat"),
            "log_likelihood": labelled("split", log_f - log_z, "mean log-likelihood of the split", "nat"),
        }
    )
    if "log_z" in published and not notice:
        # From our free energies and the published log Z, this likelihood can be compared with the published likelihood.
        at_published = float(truth["mean_log_f"].sel(split="test")) - published["log_z"]
        text = "mean test log-likelihood under the published log Z"
        truth["test_log_likelihood_at_published_log_z"] = labelled((), at_published, text, "nat")
    attributes = {"truth_method": method, **attributes, "title": model.attrs["title"], **notice}
    write_output(snakemake, truth.assign_attrs(attributes), kind="truth")
