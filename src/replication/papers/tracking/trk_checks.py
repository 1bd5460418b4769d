"""Checks of log Z that was tracked during training: the experiments, and statistics of claims on them.

A check holds log Z by enumeration or AIS at some updates of a training, beside the tracked log Z. A trace has rows at
equal intervals of updates, and at the last update. A tracker is compared with AIS only at updates where the standard
error of AIS is at most KNOWN nats. Without such updates the statistics are NaN (not tested).
"""

from collections.abc import Iterable

import numpy as np

from logzoo.types import Array
from replication.papers.declaration import Here
from replication.papers.experiment import Experiment
from replication.types import Dataset

SIGMAS = 3.0
# Largest standard error of AIS, in nats, at which a tracker is compared with AIS.
KNOWN = 0.5
# Share of a training that counts as burn-in.
BURN_IN = 0.1


def after_burn_in(dataset: Dataset) -> Array:
    """Whether each row of a Dataset lies after the first tenth of the updates, bool (update,)."""
    return in_last(dataset, 1.0 - BURN_IN)


def in_last(dataset: Dataset, share: float) -> Array:
    """Whether each row of a Dataset lies in the last `share` of the updates, bool (update,)."""
    update = dataset["update"].values
    return update >= (1.0 - share) * update.max(initial=0)


def mean_of_groups(*groups: Array) -> Array:
    """Mean over groups, with equal weights, of the means over the trainings of each group (..., training)."""
    return np.mean([group.mean(axis=-1) for group in groups], axis=0)


def ratio_of_groups(*groups: Array) -> Array:
    """Ratio of the two numbers in groups (..., 2, training), each averaged by `mean_of_groups`."""
    above, below = np.moveaxis(mean_of_groups(*groups), -1, 0)
    return above / below


def mean_of_known(values: Array) -> float:
    """Mean of the finite values; NaN if there are none."""
    known = values[np.isfinite(values)]
    return known.mean() if known.size else np.nan


def known_likelihood(check: Dataset, split: str) -> Array:
    """Mean log-likelihood (update,) of a split by AIS, NaN where the standard error of AIS is above KNOWN nats."""
    return np.where(is_known(check), likelihood(check, split, "log_z"), np.nan)


def is_known(check: Dataset) -> Array:
    """Whether the standard error of AIS is at most KNOWN nats, bool (update,)."""
    return check["std_error"].values <= KNOWN


def likelihood(check: Dataset, split: str, log_z: str) -> Array:
    """Mean log-likelihood (update,) of a split; log_z: name of the log Z in the check."""
    column = list(check["split"].values).index(split)
    return check["mean_log_f"].values[:, column] - check[log_z].values


def apart(check: Dataset) -> Array:
    """|tracked - AIS| of log Z (update,), NaN where the standard error of AIS is above KNOWN nats."""
    return np.where(is_known(check), np.abs(check["tracked_log_z"].values - check["log_z"].values), np.nan)


def mean_distance(check: Dataset, last: float = 1.0 - BURN_IN) -> float:
    """Mean of the known values of `apart` in the last share `last` of the updates."""
    return mean_of_known(apart(check)[in_last(check, last)])


def trainings_of(here: Here, key: str) -> list[str]:
    """The trainings of all models that the setting `key` names."""
    here.expect(key, here.entry[key], "at least one model")
    return [name for model in here.entry[key] for name in here.trainings(model)]


def all_checked(here: Here, names: Iterable[str], check: str = "ais") -> dict[str, Experiment]:
    """The checks {training: Experiment} of these trainings."""
    return {name: checked(here, name, check) for name in names}


def checked(here: Here, model: str, check: str) -> Experiment:
    """The experiment that computes log Z at the snapshots of a training; check: "exact" or "ais"."""
    snapshots = here.train(model)["options"]["snapshots"]
    settings = {}
    if check == "exact":
        visible, hidden = here.shape(model)
        work = {"enumeration": snapshots * 2 ** min(visible, hidden) * max(visible, hidden)}
    else:
        settings = here.config["checks"]["ais"]
        work = {"sampling": here.visits(model, snapshots * settings["sweeps"] * settings["chains"])}
    return here.experiment(
        "replication.papers.tracking.trk_runs:checks",
        {
            "snapshots": here.snapshots(model),
            "trace": here.trace(model),
            "dataset": here.dataset(here.config["models"][model]["dataset"]),
        },
        {**settings, "check": check},
        f"checks/{model}.{check}",
        stream=("checks", model, check),
        kind="check",
        work=work,
        methods=() if check == "exact" else ("ais",),
    )
