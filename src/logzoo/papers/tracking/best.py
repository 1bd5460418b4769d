"""The best RBM of a grid by tracked validation likelihood, and its test likelihood by the tracker and by AIS."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.datasets.build import visible_matrix
from logzoo.models.rbm import RBM
from logzoo.papers.configured import matched_base
from logzoo.papers.tracking.snapshots import ais_numbers


def run(artifacts, *, published, **settings):
    """The experiment on the models of a grid and their traces, beside published {name: log-likelihood in nats}."""
    traces, dataset = artifacts["traces"], artifacts["dataset"]
    best = best_of(traces)
    model, test = artifacts["models"][best], visible_matrix(dataset, "test")
    rbm, base = RBM.from_dataset(model), matched_base(dataset)
    likelihoods = best_likelihoods(rbm, traces[best], test, base=base, **settings)
    # Of stand-in data nothing was published.
    known = {} if "stand_in_for" in model.attrs else {f"published_{name}": value for name, value in published.items()}
    return likelihoods.assign_attrs(title=dataset.attrs["title"], model=best, **known)


def best_of(traces):
    """Name of the trace whose tracked validation likelihood got highest: {name: Dataset with early stopping}."""
    return max(traces, key=lambda name: traces[name].attrs["best_log_likelihood"])


def best_likelihoods(rbm, trace, test, *, base, sweeps, chains, stream):
    """Mean test log-likelihood of an RBM stopped early, under the tracked log Z and under AIS, as a Dataset of scalars.

    trace: of its training; test: 0/1 matrix (examples, visible); base: log-odds (visible,) that AIS starts from.
    """
    stopped = trace.sel(update=trace.attrs["best_update"])
    log_f = float(-rbm.free_energy(test).mean())
    log_z, std_error, low, high = ais_numbers(rbm, base, sweeps, chains, stream)
    numbers = {
        "test_log_likelihood_tracked": (log_f - float(stopped["log_z"]), "mean test log-likelihood, log Z tracked"),
        "tracked_std_dev": (float(stopped["log_z_std_dev"]), "standard deviation that the tracker states"),
        "test_log_likelihood_ais": (log_f - log_z, "mean test log-likelihood, log Z by AIS"),
        "ais_std_error": (std_error, "standard error of log Z by AIS"),
        "ais_low": (log_f - high, "lower end of its 95% interval"),
        "ais_high": (log_f - low, "upper end of its 95% interval"),
        "ais_weight_spread": (std_error * np.sqrt(chains), "standard deviation of one AIS weight over their mean"),
        "validation_log_likelihood": (trace.attrs["best_log_likelihood"], "tracked mean validation log-likelihood"),
    }
    size = {"visible": rbm.visible, "hidden": rbm.hidden, "best_update": trace.attrs["best_update"]}
    return xr.Dataset(
        {name: labelled((), value, text, "nat") for name, (value, text) in numbers.items()},
        attrs=size | {"sweeps": sweeps, "chains": chains},
    )
