"""RTS beside the estimators from a transition matrix, on the same draws (Carlson et al. 2016, figure 8)."""

import numpy as np
import xarray as xr

from logzoo.budgets import SweepLedger
from logzoo.estimators.simulated_tempering import SETTLING, end_ratio
from logzoo.estimators.transitions import smoothed, stationary
from logzoo.io.labels import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.samplers import tempering_runs
from logzoo.samplers.observers import GroupedMoves
from replication.papers.configured import matched_base

ESTIMATORS = ("rts", "sd", "rsd")


def run(artifacts, *, rungs, budgets, replicates, chains, stream):
    """log Z (estimator, budget, replicate) by RTS, SD and RSD, all three from the same draws.

    The base is matched to the training data; budgets in sweeps per chain. Returns a Dataset, log Z in nats.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    log_z = np.empty((len(ESTIMATORS), len(budgets), replicates))
    for row, budget in enumerate(budgets):
        for replicate in range(replicates):
            ledger = SweepLedger(budget, chains)
            log_z[:, row, replicate] = _estimates(rbm, base, rungs, ledger, stream.child(budget, replicate))
    return xr.Dataset(
        {"log_z": labelled(("estimator", "budget", "replicate"), log_z, "estimate of log Z", "nat")},
        coords={
            "estimator": coordinate("estimator", ESTIMATORS, "estimator of log Z"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
        },
        attrs={"chains": chains, "hidden": rbm.hidden},
    )


def _estimates(rbm, base, rungs, ledger, stream):
    """log Z by each estimator from one run."""
    counted, weighed = GroupedMoves(1, rao_blackwell=False), GroupedMoves(1, rao_blackwell=True)
    settings = {"base": base, "rungs": rungs, "settling": SETTLING}
    draws = tempering_runs.run(rbm, ledger, stream, observers=(counted, weighed), **settings)
    occupancies = (
        draws.occupancy.sum(axis=(0, 1)),
        stationary(smoothed(counted.sums[0])),
        stationary(smoothed(weighed.sums[0])),
    )
    return [end_ratio(draws, occupancy[[0, -1]]) for occupancy in occupancies]
