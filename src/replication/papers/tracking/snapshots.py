"""What log Z really was while a training went on: at the snapshots, by enumeration or AIS, beside what was tracked."""

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.checks import one_of
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.io.labels import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from replication.papers.configured import matched_base

CHECKS = ("exact", "ais")


def run(artifacts, **settings):
    """The experiment on the snapshots of a training, from the base matched to its training data."""
    snapshots, trace, dataset = (artifacts[name] for name in ("snapshots", "trace", "dataset"))
    monitored = int(trace.attrs.get("monitored", 2000))
    data = {split: visible_matrix(dataset, split) for split in SPLITS}
    data |= {split: data[split][:monitored] for split in ("train", "validation")}
    checks = check_snapshots(snapshots, trace, data, base=matched_base(dataset), **settings)
    return checks.assign_attrs(title=snapshots.attrs["title"])


def check_snapshots(snapshots, trace, data, *, check, base, stream, sweeps=None, chains=None):
    """log Z of every snapshot of a training, and the mean log f of data, as a Dataset over `update`, in nats.

    snapshots, trace: of a TrainingRun whose log Z was tracked. data: {split: 0/1 matrix (examples, visible)}. check:
    "exact", which reads neither sweeps nor chains, or "ais" of so many from the base log-odds (visible,). Raises
    ValueError for others.
    """
    one_of("check", check, CHECKS)
    updates = snapshots["update"].values
    log_z, log_f = np.empty((4, updates.size)), np.empty((updates.size, len(data)))
    for row, update in enumerate(updates):
        rbm = RBM.from_dataset(snapshots.sel(update=update))
        own = stream.child(update)
        log_z[:, row] = exact_numbers(rbm) if check == "exact" else ais_numbers(rbm, base, sweeps, chains, own)
        log_f[row] = [-rbm.free_energy(examples).mean() for examples in data.values()]
    tracked = trace.sel(update=updates)
    variables = {
        "log_z": labelled("update", log_z[0], "log partition function", "nat"),
        "std_error": labelled("update", log_z[1], "standard error of log Z", "nat"),
        "log_z_low": labelled("update", log_z[2], "lower end of its 95% interval", "nat"),
        "log_z_high": labelled("update", log_z[3], "upper end", "nat"),
        "mean_log_f": labelled(("update", "split"), log_f, "mean unnormalised log-probability of the split", "nat"),
        "tracked_log_z": labelled("update", tracked["log_z"].values, "tracked log partition function", "nat"),
        "tracked_std_dev": labelled("update", tracked["log_z_std_dev"].values, "its standard deviation", "nat"),
    }
    coords = {
        "update": coordinate("update", updates, "parameter updates made before"),
        "split": coordinate("split", data, "split of the data"),
    }
    method = {"exact": "enumeration", "ais": "ais"}[check]
    budget = {} if check == "exact" else {"sweeps": sweeps, "chains": chains}
    sizes = {**budget, "visible": rbm.visible, "hidden": rbm.hidden}
    return xr.Dataset(variables, coords, {"check_method": method, **sizes})


def exact_numbers(rbm):
    """log Z by enumeration, as `ais_numbers` has it."""
    log_z = exact_log_z(rbm)
    return log_z, 0.0, log_z, log_z


def ais_numbers(rbm, base, sweeps, chains, stream):
    """log Z by AIS, its standard error and the ends of its 95% interval, in nats."""
    from logzoo.estimators.estimator_registry import estimator  # takes long to import, and exact numbers need none

    estimate = estimator("ais")(rbm, SweepLedger(sweeps, chains), stream, {"base": base})
    return estimate.log_z, estimate.std_error, *estimate.interval
