"""RAISE along a path of RBMs, such as snapshots of the training: annealing down from data (Burda et al. 2015).

The upper side of `trajectory_ais`, as RAISE is of AIS. Cost: as `trajectory_ais`.
"""

from logzoo.estimators.reverse import estimate_by
from logzoo.samplers import trajectory


def estimate(rbm, ledger, stream, *, data=None, vectors=None, **options):
    """Estimate log Z by RAISE along a trajectory. Returns Estimate.

    data, vectors: as in `logzoo.estimators.reverse.estimate`; the other options as in
    `logzoo.samplers.trajectory.anneal_down`. Raises ValueError for missing or bad data, and for bad snapshots.
    """
    return estimate_by("trajectory-raise", trajectory.anneal_down, rbm, ledger, stream, data, vectors, options)
