"""Experiments on trained models: log Z at their snapshots beside tracked log Z, and the best RBM of a data set.

The best RBM has the largest validation likelihood under AIS (Desjardins et al. 2011, section 4: chosen "according to
the AIS likelihood estimate"). Tracked likelihoods do not select the RBM, because their errors already affected the
stopping of each training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.readers import SPLITS
from logzoo.estimators.estimator_registry import estimator
from logzoo.io.schema import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.types import Array
from replication.papers.configured import matched_base
from replication.types import AisNumbers, Artifacts, Stream


def checks(artifacts: Artifacts, **settings: Any) -> xr.Dataset:
    """Compute log Z at the snapshots of a training. The base is matched to the training data."""
    snapshots, trace, dataset = (artifacts[name] for name in ("snapshots", "trace", "dataset"))
    data = {split: visible_matrix(dataset, split) for split in SPLITS}
    data |= {split: data[split][: int(trace.attrs["monitored"])] for split in ("train", "validation")}
    checked = check_snapshots(snapshots, trace, data, base=matched_base(dataset), **settings)
    return checked.assign_attrs(title=snapshots.attrs["title"])


def check_snapshots(
    snapshots: xr.Dataset,
    trace: xr.Dataset,
    data: Mapping[str, Array],
    *,
    check: str,
    base: Array,
    stream: Stream,
    sweeps: int = 0,
    chains: int = 0,
) -> xr.Dataset:
    """log Z of every snapshot of a training, and the mean log f of data, as a Dataset over `update`, in nats.

    check: "exact", or "ais" from the base log-odds (visible,), with `chains` chains of `sweeps` sweeps.
    """
    updates = snapshots["update"].values
    log_z, log_f = np.empty((4, updates.size)), np.empty((updates.size, len(data)))
    for row, update in enumerate(updates):
        rbm = RBM.from_dataset(snapshots.sel(update=update))
        if check == "exact":
            exact = exact_log_z(rbm)
            log_z[:, row] = exact, 0.0, exact, exact
        else:
            log_z[:, row] = ais_numbers(rbm, base, sweeps, chains, stream.child(update))
        log_f[row] = [-rbm.free_energy(examples).mean() for examples in data.values()]
    tracked = trace.sel(update=updates)
    variables = {
        "log_z": labelled("update", log_z[0], "log partition function", "nat"),
        "std_error": labelled("update", log_z[1], "standard error of log Z", "nat"),
        "log_z_low": labelled("update", log_z[2], "lower end of the 95% interval of log Z", "nat"),
        "log_z_high": labelled("update", log_z[3], "upper end of the 95% interval of log Z", "nat"),
        "mean_log_f": labelled(("update", "split"), log_f, "mean unnormalised log-probability of the split", "nat"),
        "tracked_log_z": labelled("update", tracked["log_z"].values, "tracked log partition function", "nat"),
        "tracked_std_dev": labelled("update", tracked["log_z_std_dev"].values, "tracked standard deviation", "nat"),
    }
    coords = {
        "update": coordinate("update", updates, "parameter updates before the snapshot"),
        "split": coordinate("split", data, "split of the data"),
    }
    method = {"exact": "enumeration", "ais": "ais"}[check]
    budget = {} if check == "exact" else {"sweeps": sweeps, "chains": chains}
    sizes = {**budget, "visible": rbm.visible, "hidden": rbm.hidden}
    return xr.Dataset(variables, coords, {"check_method": method, **sizes})


def ais_numbers(rbm: RBM, base: Array, sweeps: int, chains: int, stream: Stream) -> AisNumbers:
    """log Z by AIS, its standard error and the ends of its 95% interval, in nats."""
    estimate = estimator("ais")(rbm, SweepLedger(sweeps, chains), stream, {"base": base})
    return estimate.log_z, estimate.std_error, *estimate.interval


def best(
    artifacts: Artifacts,
    *,
    published: Mapping[str, float],
    sweeps: int,
    chains: int,
    judge: Mapping[str, int],
    long_sweeps: int | None,
    stream: Stream,
) -> xr.Dataset:
    """Select the best model of a data set by AIS of `sweeps` and `chains`, and evaluate it by AIS of the sizes `judge`.

    If `long_sweeps` is not None, AIS with this number of distributions also measures the spread of the weights.
    """
    traces, dataset = artifacts["traces"], artifacts["dataset"]
    rbms, base = {name: RBM.from_dataset(model) for name, model in artifacts["models"].items()}, matched_base(dataset)
    by_ais = {name: ais_numbers(rbm, base, sweeps, chains, stream.child(name)) for name, rbm in rbms.items()}
    name = best_of(rbms, by_ais, visible_matrix(dataset, "validation"))
    test, trace, count = visible_matrix(dataset, "test"), traces[name], judge["chains"]
    judged = ais_numbers(rbms[name], base, judge["sweeps"], count, stream.child(name, "judge"))
    likelihoods = best_likelihoods(rbms[name], trace, test, base=base, by_ais=judged, chains=count)
    if long_sweeps is not None:
        error = ais_numbers(rbms[name], base, long_sweeps, count, stream.child(name, "long"))[1]
        text = f"standard deviation of the AIS weights over their mean, {long_sweeps:,} distributions"
        likelihoods["ais_weight_spread_long"] = labelled((), error * np.sqrt(count), text, "1")
    # Published numbers do not apply to stand-in data.
    stands_in = "stand_in_for" in artifacts["models"][name].attrs
    known = {} if stands_in else {f"published_{name}": value for name, value in published.items()}
    # Updates are numbered from 0, so their count is the last number plus 1.
    sizes = {**judge, "updates": int(traces[name]["update"].values[-1]) + 1}
    return likelihoods.assign_attrs(title=dataset.attrs["title"], model=name, **sizes, **known)


def best_of(rbms: Mapping[str, RBM], by_ais: Mapping[str, AisNumbers], validation: Array) -> str:
    """Name of the RBM with the highest validation likelihood; by_ais: {name: numbers of `ais_numbers`}."""
    return max(rbms, key=lambda name: -rbms[name].free_energy(validation).mean() - by_ais[name][0])


def best_likelihoods(
    rbm: RBM, trace: xr.Dataset, test: Array, *, base: Array, by_ais: AisNumbers, chains: int
) -> xr.Dataset:
    """Mean test log-likelihood of an RBM under the tracked log Z and under AIS, as a Dataset of scalars.

    rbm: the parameters that early stopping took. by_ais: numbers of `ais_numbers`, from `chains` chains.
    """
    stopped = trace.sel(update=trace.attrs["best_update"])
    log_f = float(-rbm.free_energy(test).mean())
    independent = float((test @ base).mean() - np.logaddexp(0.0, base).sum())
    log_z, std_error, low, high = by_ais
    numbers = {
        "test_log_likelihood_tracked": (log_f - float(stopped["log_z"]), "mean test log-likelihood, log Z tracked"),
        "tracked_std_dev": (float(stopped["log_z_std_dev"]), "standard deviation of the tracked log Z"),
        "test_log_likelihood_ais": (log_f - log_z, "mean test log-likelihood, log Z by AIS"),
        "ais_std_error": (std_error, "standard error of log Z by AIS"),
        "ais_low": (log_f - high, "lower end of the 95% interval by AIS"),
        "ais_high": (log_f - low, "upper end of the 95% interval by AIS"),
        "ais_weight_spread": (std_error * np.sqrt(chains), "standard deviation of the AIS weights over their mean"),
        "test_log_likelihood_independent": (independent, "mean test log-likelihood of independent units"),
        "validation_log_likelihood": (trace.attrs["best_log_likelihood"], "tracked mean validation log-likelihood"),
    }
    size = {"visible": rbm.visible, "hidden": rbm.hidden, "best_update": trace.attrs["best_update"]}
    # The spread of the weights is relative to their mean.
    units = dict.fromkeys(numbers, "nat") | {"ais_weight_spread": "1"}
    variables = {name: labelled((), value, text, units[name]) for name, (value, text) in numbers.items()}
    return xr.Dataset(variables, attrs=size)
