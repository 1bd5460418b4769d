"""What log Z really was while a training went on: at the snapshots, by enumeration or AIS, beside what was tracked."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.budgets import SweepLedger
from logzoo.checks import one_of
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.papers.configured import matched_base

CHECKS = ("exact", "ais")


def run(artifacts, **settings):
    """The experiment on the snapshots of a training, from the base matched to its training data."""
    snapshots, trace, dataset = (artifacts[name] for name in ("snapshots", "trace", "dataset"))
    monitored = int(trace.attrs.get("monitored", 2000))
    data = {split: visible_matrix(dataset, split) for split in SPLITS}
    data |= {split: data[split][:monitored] for split in ("train", "validation")}
    checks = check_snapshots(snapshots, trace, data, base=matched_base(dataset), **settings)
    return checks.assign_attrs(title=snapshots.attrs["title"])


def check_snapshots(snapshots, trace, data, *, check, base, sweeps, chains, stream):
    """log Z of every snapshot of a training, and the mean log f of data, as a Dataset over `update`, in nats.

    snapshots, trace: of a TrainingRun whose log Z was tracked. data: {split: 0/1 matrix (examples, visible)}. check:
    "exact", or "ais" of so many sweeps and chains from the base log-odds (visible,). Raises ValueError for others.
    """
    one_of("check", check, CHECKS)
    updates = snapshots["update"].values
    rows = []
    for update in updates:
        rbm = RBM.from_dataset(snapshots.sel(update=update))
        log_z = exact_numbers(rbm) if check == "exact" else ais_numbers(rbm, base, sweeps, chains, stream.child(update))
        rows.append((log_z, [-rbm.free_energy(examples).mean() for examples in data.values()]))
    log_z = np.array([row[0] for row in rows])
    tracked = trace.sel(update=updates)
    texts = ("log partition function", "standard error of log Z", "lower end of its 95% interval", "upper end")
    names = ("log_z", "std_error", "log_z_low", "log_z_high")
    variables = {
        name: labelled("update", column, text, "nat") for name, text, column in zip(names, texts, log_z.T, strict=True)
    }
    log_f = np.array([row[1] for row in rows])
    variables |= {
        "mean_log_f": labelled(("update", "split"), log_f, "mean unnormalised log-probability of the split", "nat"),
        "tracked_log_z": labelled("update", tracked["log_z"].values, "tracked log partition function", "nat"),
        "tracked_std_dev": labelled("update", tracked["log_z_std_dev"].values, "its standard deviation", "nat"),
    }
    coords = {
        "update": labelled("update", updates, "parameter updates made before", "1"),
        "split": labelled("split", np.array(list(data), dtype=object), "split of the data", "1"),
    }
    method = {"exact": "enumeration", "ais": "ais"}[check]
    size = {"visible": rbm.visible, "hidden": rbm.hidden}
    return xr.Dataset(variables, coords, {"check_method": method, "sweeps": sweeps, "chains": chains, **size})


def exact_numbers(rbm):
    """log Z by enumeration, as `ais_numbers` has it."""
    log_z = exact_log_z(rbm)
    return log_z, 0.0, log_z, log_z


def ais_numbers(rbm, base, sweeps, chains, stream):
    """log Z by AIS, its standard error and the ends of its 95% interval, in nats."""
    from logzoo.estimators.registry import estimator  # takes long to import, and exact numbers need none

    estimate = estimator("ais")(rbm, SweepLedger(sweeps, chains), stream, {"base": base})
    return estimate.log_z, estimate.std_error, *estimate.interval
