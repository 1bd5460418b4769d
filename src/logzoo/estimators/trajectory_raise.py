"""RAISE along a path of RBMs, such as snapshots of the training: annealing down from data (Burda et al. 2015).

The upper side of `trajectory_ais`, as RAISE is of AIS; without snapshots it is RAISE. Cost: as `trajectory_ais`.
"""

from logzoo.estimators.reverse import estimate_by
from logzoo.samplers import annealed, trajectory


def estimate(rbm, ledger, stream, *, data=None, vectors=None, snapshots=None, **options):
    """Estimate log Z by RAISE along a trajectory. Returns Estimate.

    data, vectors: as in `logzoo.estimators.reverse.estimate`; the other options as in
    `logzoo.samplers.trajectory.anneal_down`. Raises ValueError for missing or bad data, and for bad snapshots.
    """
    if snapshots is None:
        run_down, options = annealed.run_reverse, trajectory.of_tempering(options)
    else:
        run_down, options = trajectory.anneal_down, {**options, "snapshots": snapshots}
    return estimate_by("trajectory-raise", run_down, rbm, ledger, stream, data, vectors, options)
