"""Log-likelihoods of trained RBMs over runs and learning rates (Savarese et al. 2018, tables 1 and 2).

log Z is enumerated; of larger RBMs it is that of AIS, which is held against enumeration once.
"""

import logging

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, grey_matrix
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.estimators.weights import from_weights
from logzoo.io.labels import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.paths import log_odds
from logzoo.samplers import annealed as sampler
from logzoo.trainers.registry import trainer

LOG = logging.getLogger(__name__)
# How a training that ran away begins its complaint.
_DIVERGED = "learning_rate: diverged"
_VALUES = {"grey": grey_matrix, "binary": binary_matrix}
# Standard errors by which AIS may be off where it is checked.
_FAR = 4.0


def run(artifacts, *, method, train, stream, checkpoint, annealed, **settings):
    """The experiment on a data set: runs of a trainer with settings `train`, which say what `values` it takes.

    annealed: {"sweeps", "chains"} of AIS; None: log Z is enumerated.
    """
    check = _VALUES[train["values"]]
    splits = {split: check(split, visible_matrix(artifacts["dataset"], split)) for split in SPLITS}

    def trained(rate, number):
        saved = {"checkpoint": checkpoint(f"{rate}.{number}"), "progress": False}
        return trainer(method)(splits["train"], stream=stream.child(number), learning_rate=rate, **saved, **train)

    def estimated(rbm, rate, number):
        ledger = SweepLedger(annealed["sweeps"], annealed["chains"])
        own = stream.child("ais", rate, number)
        draws = sampler.run(rbm, ledger, own, base=log_odds(splits["train"]))
        return from_weights(rbm, draws, ledger, own)

    return trained_likelihoods(trained, splits, estimate=estimated if annealed else None, **settings)


def trained_likelihoods(train, splits, *, rates, runs, estimate=None):
    """Mean log-likelihoods, in nats, of RBMs trained by train(rate, run) -> TrainingRun, as a Dataset.

    splits: {name: visible values (examples, visible) from 0 to 1}. A training that diverged has NaN. estimate(rbm,
    rate, run) -> Estimate in the place of enumeration: the first RBM is enumerated, too; all are if the two disagree,
    and each whose estimate did not converge. Returns a Dataset over (rate, run, split).
    """
    likelihood = np.full((len(rates), runs, len(splits)), np.nan)
    log_z, std_error, sweeps = np.full((3, len(rates), runs), np.nan)
    disagreement = np.nan
    for row, rate in enumerate(rates):
        for run in range(runs):
            try:
                trained = train(rate, run)
            except ValueError as error:
                if not str(error).startswith(_DIVERGED):
                    raise
                LOG.warning("run %d: %s", run, error)
                continue
            guess, first = estimate and estimate(trained.rbm, rate, run), np.isnan(disagreement)
            if guess and guess.converged and not first:
                log_z[row, run], std_error[row, run] = guess.log_z, guess.std_error
            else:
                log_z[row, run], std_error[row, run] = exact_log_z(trained.rbm), 0.0
            if guess and first:
                disagreement = guess.log_z - log_z[row, run]
                if abs(disagreement) > _FAR * guess.std_error:
                    LOG.warning("AIS is %.3g nats from log Z: every RBM is enumerated", disagreement)
                    estimate = None
            sweeps[row, run] = trained.trace["chain_sweeps"].values[-1]
            means = [trained.rbm.log_f(data).mean() for data in splits.values()]
            likelihood[row, run] = np.array(means) - log_z[row, run]
    over = ("rate", "run")
    return xr.Dataset(
        {
            "log_likelihood": labelled((*over, "split"), likelihood, "mean log-likelihood of the split", "nat"),
            "log_z": labelled(over, log_z, "log partition function", "nat"),
            "log_z_std_error": labelled(over, std_error, "standard error of log Z: 0 where it was enumerated", "nat"),
            "disagreement": labelled((), disagreement, "log Z of the first RBM by AIS less the enumerated one", "nat"),
            "chain_sweeps": labelled(over, sweeps, "Gibbs sweeps of the training, summed over chains", "sweep"),
        },
        coords={
            "rate": coordinate("rate", map(float, rates), "initial learning rate"),
            "run": coordinate("run", range(runs), "independent training"),
            "split": coordinate("split", splits, "split of the data"),
        },
    )
