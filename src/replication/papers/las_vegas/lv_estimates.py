"""log Z by tours beside other estimators, and likelihoods of trained RBMs (Savarese et al. 2018).

`tour_estimates` computes log Z from growing numbers of tours (corollary 2, figure 4). `trained_likelihoods` computes
the log-likelihoods of tables 1 and 2 for all runs and learning rates. log Z is enumerated, or estimated by AIS for
larger RBMs. With AIS, the first RBM is enumerated as a check.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, grey_matrix
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.readers import SPLITS
from logzoo.estimators.estimator_registry import estimator
from logzoo.estimators.intervals import student_interval
from logzoo.estimators.las_vegas import mean_length
from logzoo.estimators.weights import from_weights
from logzoo.io.checkpoints import unfinished
from logzoo.io.schema import coordinate, labelled
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters, log_odds
from logzoo.samplers import annealed as sampler
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import Tours, TourSampler
from logzoo.training.trainers import trainer
from logzoo.types import Array
from replication.types import Artifacts, Checkpoint, Estimate, Settings, Stream, TrainingRun

LOG = logging.getLogger(__name__)
# The smallest number of tours at which log Z is estimated.
_FIRST = 10


def by_tours(artifacts: Artifacts, **settings: Any) -> xr.Dataset:
    """The experiment on a model: log Z by tours, and by other estimators from the matched base."""
    data = visible_matrix(artifacts["dataset"], "train")
    return tour_estimates(RBM.from_dataset(artifacts["model"]), data, log_odds(data), **settings)


def tour_estimates(
    rbm: RBM,
    data: Array,
    base: Array,
    others: Mapping[str, tuple[str, Settings]],
    *,
    tours: int,
    cap: int,
    sweeps: int,
    points: int,
    replicates: int,
    chains: int,
    shares: Sequence[float],
    stream: Stream,
) -> xr.Dataset:
    """Estimates of log Z from the first n tours of each replicate, at up to `points` values of n from 10 to `tours`.

    Tours are cut after `cap` sweeps. The stopping set has a hidden state drawn for each example of `data`. sweeps:
    limit on the sweeps of all tours of a replicate. others: other estimators {name: (method, options)}, run from `base`
    with `chains` chains. Their budgets are `shares` of the mean chain-sweeps of a replicate by tours.
    """
    counts = np.unique(np.geomspace(_FIRST, tours, points).round().astype(int))
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    log_z, low, high, spent = np.empty((4, replicates, counts.size))
    cut = np.empty(replicates, np.int64)
    for replicate in range(replicates):
        streams = stream.child("tours", replicate)
        stopping = stopping_set(parameters, data, len(data), streams.child("stopping"))
        sample = TourSampler(parameters, stopping, streams.child("tours")).run(tours, sweeps, cap)
        cut[replicate] = np.count_nonzero(~sample.finished)
        if cut[replicate]:
            LOG.warning("replicate %d: %d of %d tours were cut", replicate, cut[replicate], tours)
        for column, count in enumerate(counts):
            first = Tours(sample.start[:count], sample.length[:count], sample.finished[:count])
            mean, error = mean_length(first)
            log_z[replicate, column] = stopping.log_z + np.log(mean)
            interval = student_interval(log_z[replicate, column], error, count + 1)
            low[replicate, column], high[replicate, column] = interval
            spent[replicate, column] = len(data) + sample.length[:count].sum()
    over = ("replicate", "tours")
    budgets = [max(2, int(share * spent[:, -1].mean() / chains)) for share in shares]
    return xr.Dataset(
        {
            "log_z": labelled(over, log_z, "log Z by tours", "nat"),
            "low": labelled(over, low, "lower end of the 95% interval", "nat"),
            "high": labelled(over, high, "upper end of the 95% interval", "nat"),
            "chain_sweeps": labelled(over, spent, "sweeps of tours and draws of the stopping set", "sweep"),
            "tours_cut": labelled("replicate", cut, "tours that were cut", "1"),
            **_others(rbm, base, others, budgets, chains, replicates, stream),
        },
        coords={
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
            "tours": coordinate("tours", counts, "number of tours"),
            "estimator": coordinate("estimator", others, "estimator"),
            "share": coordinate("share", shares, "budget divided by the mean chain-sweeps of a replicate by tours"),
        },
        attrs={
            "visible_units": rbm.visible,
            "hidden_units": rbm.hidden,
            "draws": len(data),
            "cap": cap,
            "sweeps": sweeps,
        },
    )


def _others(rbm, base, others, budgets, chains, replicates, stream):
    shape = len(others), len(budgets), replicates
    log_z, low, high, spent = np.empty((4, *shape))
    for row, (name, (method, options)) in enumerate(others.items()):
        for column, budget in enumerate(budgets):
            for replicate in range(replicates):
                draws = stream.child(name, budget, replicate)
                estimate = estimator(method)(rbm, SweepLedger(budget, chains), draws, {**options, "base": base})
                log_z[row, column, replicate] = estimate.log_z
                low[row, column, replicate], high[row, column, replicate] = estimate.interval
                spent[row, column, replicate] = estimate.sweeps * chains
    over = ("estimator", "share", "replicate")
    return {
        "other_log_z": labelled(over, log_z, "log Z by another estimator", "nat"),
        "other_low": labelled(over, low, "lower end of the 95% interval", "nat"),
        "other_high": labelled(over, high, "upper end of the 95% interval", "nat"),
        "other_chain_sweeps": labelled(over, spent, "Gibbs sweeps, summed over chains", "sweep"),
    }


# Start of the error message of a training that diverged.
_DIVERGED = "learning_rate: the training diverged"
_VALUES = {"grey": grey_matrix, "binary": binary_matrix}
# Largest accepted error of AIS at its check against enumeration, in standard errors.
_FAR = 4.0


def likelihoods(
    artifacts: Artifacts,
    *,
    method: str,
    train: Settings,
    stream: Stream,
    checkpoint: Callable[..., Checkpoint],
    annealed: Any,
    **settings: Any,
) -> xr.Dataset:
    """Likelihoods of the runs of a trainer on a data set. `train["values"]` is "grey" or "binary".

    annealed: `sweeps` and `chains` of AIS, or None to enumerate log Z.
    """
    check = _VALUES[train["values"]]
    splits = {split: check(split, visible_matrix(artifacts["dataset"], split)) for split in SPLITS}

    def trained(rate, number):
        saved = {"checkpoint": checkpoint(f"{rate}.{number}"), "progress": False}
        return trainer(method)(splits["train"], stream=stream.child(number), learning_rate=rate, **saved, **train)

    def estimated(rbm, rate, number):
        ledger = SweepLedger(annealed["sweeps"], annealed["chains"])
        streams = stream.child("ais", rate, number)
        draws = sampler.run(rbm, ledger, streams, base=log_odds(splits["train"]))
        return from_weights(rbm, draws, ledger, streams)

    how = {"estimate": estimated if annealed else None, "checkpoint": checkpoint("runs")}
    return trained_likelihoods(trained, splits, **how, **settings)


def trained_likelihoods(
    train: Callable[[float, int], TrainingRun],
    splits: Mapping[str, Array],
    *,
    rates: Sequence[float],
    runs: int,
    estimate: Callable[[RBM, float, int], Estimate] | None = None,
    checkpoint: Checkpoint | None = None,
) -> xr.Dataset:
    """Mean log-likelihoods (rate, run, split), in nats, of RBMs trained by train(rate, run) -> TrainingRun.

    The values of a training that diverged are NaN. estimate(rbm, rate, run) -> Estimate replaces enumeration. The first
    RBM is enumerated as well. If its two values of log Z differ by more than four standard errors, all RBMs are
    enumerated. An RBM whose estimate did not converge is always enumerated. checkpoint: keeps the results of finished
    trainings.
    """
    likelihood = np.full((len(rates), runs, len(splits)), np.nan)
    log_z, std_error, sweeps, finished = np.full((4, len(rates), runs), np.nan)
    check = np.full(2, np.nan)  # of the first RBM: log Z by the estimate less the enumerated log Z, and standard error
    arrays = {"likelihood": likelihood, "log_z": log_z, "std_error": std_error, "sweeps": sweeps, "finished": finished}
    cells = [(row, run) for row in range(len(rates)) for run in range(runs)]
    for row, run in unfinished(checkpoint, cells, {**arrays, "check": check}):
        try:
            trained = train(rates[row], run)
        except ValueError as error:
            if not str(error).startswith(_DIVERGED):
                raise
            LOG.warning("run %d: %s", run, error)
            continue
        first = np.isnan(check[0])
        guess = None if estimate is None or _is_far(check) else estimate(trained.rbm, rates[row], run)
        if guess and guess.converged and not first:
            log_z[row, run], std_error[row, run] = guess.log_z, guess.std_error
        else:
            log_z[row, run], std_error[row, run] = exact_log_z(trained.rbm), 0.0
        if guess and first:
            check[:] = guess.log_z - log_z[row, run], guess.std_error
            if _is_far(check):
                LOG.warning("AIS is %.3g nats from log Z: every RBM is enumerated", check[0])
        sweeps[row, run] = trained.trace["chain_sweeps"].values[-1]
        if "tours_finished" in trained.trace:
            touring = trained.trace["stopping_states"] > 0
            finished[row, run] = trained.trace["tours_finished"].where(touring).mean()
        means = [trained.rbm.log_f(data).mean() for data in splits.values()]
        likelihood[row, run] = np.array(means) - log_z[row, run]
    over = ("rate", "run")
    return xr.Dataset(
        {
            "log_likelihood": labelled((*over, "split"), likelihood, "mean log-likelihood of the split", "nat"),
            "log_z": labelled(over, log_z, "log partition function", "nat"),
            "log_z_std_error": labelled(over, std_error, "standard error of log Z: 0 where it was enumerated", "nat"),
            "disagreement": labelled((), check[0], "log Z of the first RBM by AIS, less its enumerated log Z", "nat"),
            "chain_sweeps": labelled(over, sweeps, "Gibbs sweeps of the training, summed over chains", "sweep"),
            "tours_finished": labelled(over, finished, "share of tours that finished, after the warm-up", "1"),
        },
        coords={
            "rate": coordinate("rate", map(float, rates), "initial learning rate"),
            "run": coordinate("run", range(runs), "independent training"),
            "split": coordinate("split", splits, "split of the data"),
        },
    )


def _is_far(check):
    difference, std_error = check
    return abs(difference) > _FAR * std_error
