"""log Z from both sides: annealing up from the base, and down from exact draws of the model."""

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator_registry import estimator
from logzoo.io.labels import coordinate, labelled
from logzoo.models.known.exact_draws import exact_draws
from logzoo.models.rbm import RBM
from logzoo.samplers import annealed
from replication.papers.configured import matched_base


def run(artifacts, *, lower, budgets, replicates, chains, stream):
    """log Z (side, budget, replicate) by the estimators `lower`, low on average, and `reverse` from exact draws, high.

    The base is matched to the training data; budgets in sweeps per chain. Returns a Dataset, log Z in nats. Raises
    ValueError for a model that has no way to exact draws.
    """
    rbm, base = RBM.from_dataset(artifacts["model"]), matched_base(artifacts["dataset"])
    shape = len(budgets), replicates, chains, rbm.visible
    # All at once: what they are drawn from is made once.
    starts = exact_draws(rbm, np.prod(shape[:3]), stream.child("starts").generator()).reshape(shape)
    log_z = np.empty((len(lower) + 1, *shape[:2]))
    for row, budget in enumerate(budgets):
        for replicate in range(replicates):
            path = stream.child(budget, replicate)
            for side, method in enumerate(lower):
                ledger, options = SweepLedger(budget, chains), {"base": base}
                log_z[side, row, replicate] = estimator(method)(rbm, ledger, path.child(method), options).log_z
            ledger = SweepLedger(budget, chains)
            log_z[-1, row, replicate] = upper_side(rbm, ledger, path.child("reverse"), starts[row, replicate], base)
    return xr.Dataset(
        {"log_z": labelled(("side", "budget", "replicate"), log_z, "estimate of log Z", "nat")},
        coords={
            "side": coordinate("side", [*lower, "reverse"], "annealing up by that estimator, or reverse: down"),
            "budget": coordinate("budget", budgets, "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": coordinate("replicate", range(replicates), "independent repeat"),
        },
        attrs={"chains": chains},
    )


def upper_side(rbm, ledger, stream, starts, base):
    """log Z by annealing down from `starts` (chain, visible): log Z_1 - log mean exp(-w), in nats.

    From exact draws the mean of exp(-w) is Z_1 / Z, so that by Jensen's inequality the estimate is above log Z on
    average (Burda, Grosse & Salakhutdinov 2015; Grosse, Ghahramani & Adams 2015).
    """
    drawn = annealed.run_reverse(rbm, ledger, stream, starts, base=base)
    return drawn.log_z_base + np.log(len(starts)) - float(logsumexp(-drawn.log_weight))
