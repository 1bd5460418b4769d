"""Exact log-likelihoods of trained RBMs over runs and learning rates (Savarese et al. 2018, tables 1 and 2)."""

import logging

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import coordinate, labelled
from logzoo.checks import binary_matrix, grey_matrix
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.models.exact import exact_log_z
from logzoo.trainers.registry import trainer

LOG = logging.getLogger(__name__)
# How a training that ran away begins its complaint.
_DIVERGED = "learning_rate: diverged"
_VALUES = {"grey": grey_matrix, "binary": binary_matrix}


def run(artifacts, *, method, train, stream, checkpoint, **settings):
    """The experiment on a data set: runs of a trainer with settings `train`, which say what `values` it takes."""
    check = _VALUES[train["values"]]
    splits = {split: check(split, visible_matrix(artifacts["dataset"], split)) for split in SPLITS}

    def trained(rate, number):
        saved = {"checkpoint": checkpoint(f"{rate}.{number}"), "progress": False}
        return trainer(method)(splits["train"], stream=stream.child(number), learning_rate=rate, **saved, **train)

    return trained_likelihoods(trained, splits, **settings)


def trained_likelihoods(train, splits, *, rates, runs):
    """Mean log-likelihoods, in nats, of RBMs trained by train(rate, run) -> TrainingRun, as a Dataset.

    splits: {name: visible values (examples, visible) from 0 to 1}. A training that diverged has NaN. Returns a Dataset
    over (rate, run, split), log Z by enumeration.
    """
    likelihood = np.full((len(rates), runs, len(splits)), np.nan)
    log_z, sweeps = np.full((2, len(rates), runs), np.nan)
    for row, rate in enumerate(rates):
        for run in range(runs):
            try:
                trained = train(rate, run)
            except ValueError as error:
                if not str(error).startswith(_DIVERGED):
                    raise
                LOG.warning("run %d: %s", run, error)
                continue
            log_z[row, run] = exact_log_z(trained.rbm)
            sweeps[row, run] = trained.trace["chain_sweeps"].values[-1]
            means = [trained.rbm.log_f(data).mean() for data in splits.values()]
            likelihood[row, run] = np.array(means) - log_z[row, run]
    over = ("rate", "run")
    return xr.Dataset(
        {
            "log_likelihood": labelled((*over, "split"), likelihood, "mean log-likelihood of the split, exact", "nat"),
            "log_z": labelled(over, log_z, "log partition function, exact", "nat"),
            "chain_sweeps": labelled(over, sweeps, "Gibbs sweeps of the training, summed over chains", "sweep"),
        },
        coords={
            "rate": coordinate("rate", map(float, rates), "initial learning rate"),
            "run": coordinate("run", range(runs), "independent training"),
            "split": coordinate("split", splits, "split of the data"),
        },
    )
