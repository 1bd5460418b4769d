"""What the estimators that adjust log Zhat in groups of chains share: the spread over groups, diagnostics."""

import numpy as np

from logzoo.estimators.intervals import student_interval
from logzoo.estimators.result import Estimate
from logzoo.estimators.simulated_tempering import diagnostics, transition_matrix, travelled


def from_groups(draws, ledger, *, settled=True):
    """Estimate from AdjustedDraws: the mean over groups of log Z_1 + log Zhat_K, with a t interval over groups.

    `converged` says that the chains travelled the ladder, a round trip each on average, and that the method settled.
    """
    log_z_of_groups = draws.log_z_base + draws.log_z_hats[:, -1]
    log_z = float(log_z_of_groups.mean())
    std_error = float(log_z_of_groups.std(ddof=1) / np.sqrt(log_z_of_groups.size))
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_z_of_groups.size),
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=bool(travelled(draws) and settled),
        form=draws.form,
        diagnostics=diagnostics(draws),
        profiles={"transition_matrix": transition_matrix(draws.transitions)},
    )
