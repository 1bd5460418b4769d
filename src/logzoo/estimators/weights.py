"""What the annealing estimators share: log Z from importance weights of independent chains."""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.bootstrap import bootstrapped
from logzoo.estimators.intervals import effective_number, jackknife_error, log_sums_left_out, student_interval
from logzoo.estimators.result import Estimate

# Effective chains below which the log-mean-exp rests on a few weights and its interval means nothing.
_FEWEST_EFFECTIVE = 2.0


def from_weights(method, draws, ledger, stream):
    """Estimate log Z = log Z_1 + log mean exp(log w) from AnnealedDraws, its error by the jackknife over chains."""
    log_w = draws.log_weight
    log_z = float(draws.log_z_base + logsumexp(log_w) - np.log(log_w.size))
    std_error = jackknife_error(log_sums_left_out(log_w))
    effective = float(effective_number(log_w))
    relative = np.exp(log_w - log_w.max())
    floor = np.finfo(float).tiny  # "nothing left", for resamples that miss every weight that counts
    bootstrap_error, quantiles = bootstrapped(
        relative,
        lambda totals: log_z + np.log(np.maximum(totals, floor) / relative.sum()),
        stream.child("bootstrap").generator(),
    )
    return Estimate(
        method=method,
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_w.size),
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=effective >= _FEWEST_EFFECTIVE,
        diagnostics={"effective_sample_size": effective, "bootstrap_std_error": bootstrap_error},
        profiles={"bootstrap_quantiles": quantiles},
    )
