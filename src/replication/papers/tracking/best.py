"""The best RBM of a grid by validation likelihood under AIS, and its test likelihood by the tracker and by AIS.

Each model was stopped early by the tracker; which of them is best is not the tracker's to say: it would be favoured by
its own errors (Desjardins et al. 2011, section 5: chosen "according to the AIS likelihood estimate").
"""

import numpy as np
import xarray as xr

from logzoo.datasets.build import visible_matrix
from logzoo.io.schema import labelled
from logzoo.models.rbm import RBM
from replication.papers.configured import matched_base
from replication.papers.tracking.snapshots import ais_numbers


def run(artifacts, *, published, sweeps, chains, stream):
    """The experiment on the models of a grid and their traces, beside published {name: log-likelihood in nats}."""
    traces, dataset = artifacts["traces"], artifacts["dataset"]
    rbms, base = {name: RBM.from_dataset(model) for name, model in artifacts["models"].items()}, matched_base(dataset)
    by_ais = {name: ais_numbers(rbm, base, sweeps, chains, stream.child(name)) for name, rbm in rbms.items()}
    best = best_of(rbms, by_ais, visible_matrix(dataset, "validation"))
    test, trace = visible_matrix(dataset, "test"), traces[best]
    likelihoods = best_likelihoods(rbms[best], trace, test, base=base, by_ais=by_ais[best], chains=chains)
    # Of stand-in data nothing was published.
    stands_in = "stand_in_for" in artifacts["models"][best].attrs
    known = {} if stands_in else {f"published_{name}": value for name, value in published.items()}
    # The last row is written with the last update: all others were made before.
    sizes = {"sweeps": sweeps, "chains": chains, "updates": int(traces[best]["update"].values[-1]) + 1}
    return likelihoods.assign_attrs(title=dataset.attrs["title"], model=best, **sizes, **known)


def best_of(rbms, by_ais, validation):
    """Name of the RBM of the highest validation likelihood: {name: RBM}, {name: log Z first of some numbers}."""
    return max(rbms, key=lambda name: -rbms[name].free_energy(validation).mean() - by_ais[name][0])


def best_likelihoods(rbm, trace, test, *, base, by_ais, chains):
    """Mean test log-likelihood of an RBM stopped early, under the tracked log Z and under AIS, as a Dataset of scalars.

    trace: of its training; test: 0/1 matrix (examples, visible); base: log-odds (visible,) of the training data;
    by_ais: numbers of `snapshots.ais_numbers`, from so many chains.
    """
    stopped = trace.sel(update=trace.attrs["best_update"])
    log_f = float(-rbm.free_energy(test).mean())
    independent = float((test @ base).mean() - np.logaddexp(0.0, base).sum())
    log_z, std_error, low, high = by_ais
    numbers = {
        "test_log_likelihood_tracked": (log_f - float(stopped["log_z"]), "mean test log-likelihood, log Z tracked"),
        "tracked_std_dev": (float(stopped["log_z_std_dev"]), "standard deviation that the tracker states"),
        "test_log_likelihood_ais": (log_f - log_z, "mean test log-likelihood, log Z by AIS"),
        "ais_std_error": (std_error, "standard error of log Z by AIS"),
        "ais_low": (log_f - high, "lower end of its 95% interval"),
        "ais_high": (log_f - low, "upper end of its 95% interval"),
        "ais_weight_spread": (std_error * np.sqrt(chains), "standard deviation of one AIS weight over their mean"),
        "test_log_likelihood_independent": (independent, "mean test log-likelihood of independent units"),
        "validation_log_likelihood": (trace.attrs["best_log_likelihood"], "tracked mean validation log-likelihood"),
    }
    size = {"visible": rbm.visible, "hidden": rbm.hidden, "best_update": trace.attrs["best_update"]}
    return xr.Dataset(
        {name: labelled((), value, text, "nat") for name, (value, text) in numbers.items()},
        attrs=size,
    )
