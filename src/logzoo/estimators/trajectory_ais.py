"""AIS along a path of RBMs, such as snapshots of the training, hidden units summed out of the weights.

Béreux, Decelle, Furtlehner, Rosset & Seoane (2024). log Z = log Z_1 + log mean exp(log w), exact on average in Z
whatever the path. Cost: an annealing sweep costs about two, because inputs of two RBMs are kept.
"""

from logzoo.estimators.weights import from_weights
from logzoo.samplers import trajectory


def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by AIS along a trajectory, with the options of `logzoo.samplers.trajectory.anneal_up`.

    Returns Estimate. Raises ValueError for bad snapshots.
    """
    return from_weights(rbm, trajectory.anneal_up(rbm, ledger, stream, **options), ledger, stream)
