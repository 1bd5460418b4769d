"""What the estimators that adjust log Zhat in groups of chains share: the run, and the spread over groups."""

import numpy as np

from logzoo.estimators.intervals import student_interval
from logzoo.estimators.result import Estimate
from logzoo.estimators.simulated_tempering import diagnostics, transition_matrix, travelled
from logzoo.samplers import adjusted
from logzoo.samplers.observers import GroupedMoves


def from_groups(recursion, rbm, ledger, stream, **options):
    """Estimate by a recursion: the mean over groups of log Z_1 + log Zhat_K, with a t interval over groups.

    `converged` says that the chains travelled the ladder, a round trip each on average, and that the recursion settled.
    """
    moves = GroupedMoves()
    draws = adjusted.run(rbm, ledger, stream, recursion, (moves,), **options)
    log_z_of_groups = draws.log_z_base + draws.log_z_hats[:, -1]
    log_z = float(log_z_of_groups.mean())
    std_error = float(log_z_of_groups.std(ddof=1) / np.sqrt(log_z_of_groups.size))
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_z_of_groups.size),
        converged=travelled(draws) and recursion.settled(),
        form=draws.form,
        diagnostics=diagnostics(draws),
        profiles={"transition_matrix": transition_matrix(moves.sums[0])},
    )
