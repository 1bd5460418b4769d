"""RTS beside the estimators from a transition matrix, on the same draws (Carlson et al. 2016, figure 8)."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.budgets import SweepLedger
from logzoo.estimators.simulated_tempering import SETTLING, end_ratio
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.models.rbm import RBM
from logzoo.papers.configured import matched_base
from logzoo.samplers import simulated_tempering
from logzoo.samplers.observers import GroupedMoves

ESTIMATORS = ("rts", "sd", "rsd")


def run(artifacts, **settings):
    """The experiment on a model, from the base matched to its training data."""
    return stationary_experiment(RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"]), **settings)


def stationary_experiment(rbm, base, *, rungs, budgets, replicates, chains, stream):
    """log Z (estimator, budget, replicate) by RTS, SD and RSD, all three from the same draws.

    base: log-odds (visible,); budgets in sweeps per chain. Returns a Dataset, log Z in nats.
    """
    log_z = np.empty((len(ESTIMATORS), len(budgets), replicates))
    for row, budget in enumerate(budgets):
        for replicate in range(replicates):
            ledger = SweepLedger(budget, chains)
            log_z[:, row, replicate] = _estimates(rbm, base, rungs, ledger, stream.child(budget, replicate))
    return xr.Dataset(
        {"log_z": labelled(("estimator", "budget", "replicate"), log_z, "estimate of log Z", "nat")},
        coords={
            "estimator": labelled("estimator", np.array(ESTIMATORS, dtype=object), "estimator of log Z", "1"),
            "budget": labelled("budget", np.array(budgets), "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": labelled("replicate", np.arange(replicates), "independent repeat", "1"),
        },
        attrs={"chains": chains, "hidden": rbm.hidden},
    )


def _estimates(rbm, base, rungs, ledger, stream):
    """log Z by each estimator from one run."""
    counted, weighed = GroupedMoves(1, rao_blackwell=False), GroupedMoves(1, rao_blackwell=True)
    settings = {"base": base, "rungs": rungs, "settling": SETTLING}
    draws = simulated_tempering.run(rbm, ledger, stream, observers=(counted, weighed), **settings)
    occupancies = (
        draws.occupancy.sum(axis=(0, 1)),
        stationary(smoothed(counted.sums[0])),
        stationary(smoothed(weighed.sums[0])),
    )
    return [end_ratio(draws, occupancy[[0, -1]]) for occupancy in occupancies]
