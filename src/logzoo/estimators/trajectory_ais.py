"""AIS along a path of RBMs, such as snapshots of the training, hidden units summed out of the weights.

Béreux, Decelle, Furtlehner, Rosset & Seoane (2024). log Z = log Z_1 + log mean exp(log w), exact on average in Z
whatever the path. Cost: an annealing sweep costs about two, because inputs of two RBMs are kept. Without snapshots the
path is that of tempering, and the estimate is that of AIS.
"""

from logzoo.estimators import ais
from logzoo.estimators.weights import from_weights
from logzoo.samplers import trajectory


def estimate(rbm, ledger, stream, *, snapshots=None, **options):
    """Estimate log Z by AIS along a trajectory, with the options of `logzoo.samplers.trajectory.anneal_up`.

    Returns Estimate. Raises ValueError for bad snapshots.
    """
    if snapshots is None:
        return ais.estimate(rbm, ledger, stream, **trajectory.of_tempering(options))
    draws = trajectory.anneal_up(rbm, ledger, stream, snapshots=snapshots, **options)
    return from_weights(rbm, draws, ledger, stream)
