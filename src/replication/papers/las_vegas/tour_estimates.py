"""log Z by tours as they accumulate, beside other estimators at the same number of chain-sweeps.

Savarese et al. (2018), corollary 2 and figure 4.
"""

import logging

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.datasets.build import visible_matrix
from logzoo.estimators.intervals import student_interval
from logzoo.estimators.las_vegas import mean_length
from logzoo.estimators.registry import estimator
from logzoo.io.labels import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters, log_odds
from logzoo.samplers.stopping_sets import stopping_set
from logzoo.samplers.tour_chains import Tours, TourSampler

LOG = logging.getLogger(__name__)
# The fewest tours that log Z is looked at.
_FIRST = 10


def run(artifacts, **settings):
    """The experiment on a model, from the base matched to its training data."""
    data = visible_matrix(artifacts["dataset"], "train")
    return tour_estimates(RBM.from_dataset(artifacts["model"]), data, log_odds(data), **settings)


def tour_estimates(rbm, data, base, others, *, tours, cap, sweeps, points, replicates, chains, shares, stream):
    """Estimates of log Z by 10, ..., `tours` tours cut after `cap` sweeps, from a set of one draw for each example.

    data (examples, visible): what the stopping sets are drawn from. sweeps: of all tours of a replicate together, at
    most; they are cut, equally long, when these are spent. others: {name: (method, options)}, run from the
    log-odds `base` with `chains` chains at `shares` of the chain-sweeps that all tours and their set cost on average.
    Returns a Dataset over (replicate, tours) and (estimator, share, replicate), in nats.
    """
    counts = np.unique(np.geomspace(_FIRST, tours, points).round().astype(int))
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    log_z, low, high, spent = np.empty((4, replicates, counts.size))
    cut = np.empty(replicates, np.int64)
    for replicate in range(replicates):
        own = stream.child("tours", replicate)
        stopping = stopping_set(parameters, data, len(data), own.child("stopping"))
        made = TourSampler(parameters, stopping, own.child("tours")).run(tours, sweeps, cap)
        cut[replicate] = np.count_nonzero(~made.finished)
        if cut[replicate]:
            LOG.warning("replicate %d: %d of %d tours were cut", replicate, cut[replicate], tours)
        for column, count in enumerate(counts):
            mean, error = mean_length(Tours(*(field[:count] for field in (made.start, made.length, made.finished))))
            log_z[replicate, column] = stopping.log_z + np.log(mean)
            interval = student_interval(log_z[replicate, column], error, count + 1)
            low[replicate, column], high[replicate, column] = interval
            spent[replicate, column] = len(data) + made.length[:count].sum()
    over = ("replicate", "tours")
    budgets = [max(2, int(share * spent[:, -1].mean() / chains)) for share in shares]
    return xr.Dataset(
        {
            "log_z": labelled(over, log_z, "log Z by tours", "nat"),
            "low": labelled(over, low, "lower end of its 95% interval", "nat"),
            "high": labelled(over, high, "upper end of its 95% interval", "nat"),
            "chain_sweeps": labelled(over, spent, "sweeps of tours and draws of the stopping set", "sweep"),
            "tours_cut": labelled("replicate", cut, "tours that were cut", "1"),
            **_others(rbm, base, others, budgets, chains, replicates, stream),
        },
        coords={
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
            "tours": coordinate("tours", counts, "tours made"),
            "estimator": coordinate("estimator", others, "estimator"),
            "share": coordinate("share", shares, "share of the chain-sweeps of all tours"),
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
                own = stream.child(name, budget, replicate)
                estimate = estimator(method)(rbm, SweepLedger(budget, chains), own, {**options, "base": base})
                log_z[row, column, replicate] = estimate.log_z
                low[row, column, replicate], high[row, column, replicate] = estimate.interval
                spent[row, column, replicate] = estimate.sweeps * chains
    over = ("estimator", "share", "replicate")
    return {
        "other_log_z": labelled(over, log_z, "log Z by another estimator", "nat"),
        "other_low": labelled(over, low, "lower end of its 95% interval", "nat"),
        "other_high": labelled(over, high, "upper end of its 95% interval", "nat"),
        "other_chain_sweeps": labelled(over, spent, "Gibbs sweeps, summed over chains", "sweep"),
    }
