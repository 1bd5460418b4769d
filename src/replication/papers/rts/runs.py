"""What figures read of estimates: log Z of every run, and how the chains of tempered ones passed the ladder.

An estimate keeps the transition matrix of every run: a hundred times what a figure, and whoever checks it, can use.
"""

import numpy as np


def runs_of(here, model, estimators):
    """Experiments {estimator: Experiment} that take this from estimates of log Z of a model."""
    return {
        name: here.experiment("replication.papers.rts.runs:run", {"estimate": path}, {}, f"runs/{model}.{name}")
        for name, path in here.estimates(model, estimators).items()
    }


def run(artifacts):
    """The experiment: Dataset over (budget, replicate) of log Z and, where a ladder was travelled, of how.

    The transition matrix is the mean over the runs that left a part.
    """
    estimate = artifacts["estimate"]
    if "transition_matrix" not in estimate:
        return estimate[["log_z"]].drop_attrs(deep=False)
    matrix = estimate["transition_matrix"]
    # Chains of a run may leave some part of the ladder never: its row is all zeros, and no part of the mean.
    left = (matrix > 0.0).any("part_after").sum("replicate")
    mean = (matrix.sum("replicate", dtype=np.float64) / np.maximum(left, 1)).astype(matrix.dtype)
    kept = estimate[["log_z", "initial_iterations"]].drop_attrs(deep=False)
    return kept.assign(transition_matrix=mean.assign_attrs(matrix.attrs))
