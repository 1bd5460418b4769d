"""What the annealing estimators share: log Z from importance weights of independent chains."""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.intervals import (
    bootstrapped,
    effective_number,
    jackknife_error,
    log_sums_left_out,
    student_interval,
)
from logzoo.estimators.result import Estimate

# Effective chains below which the log-mean-exp rests on a few weights and its interval means nothing.
_FEWEST_EFFECTIVE = 2.0
# Nats by which log w may change in a sweep, on average; beyond, the chains cannot follow.
_LARGEST_STEP = 10.0
# Spread of equal log-weights relative to them: rounding.
_ROUNDING = 1e-12


def from_weights(rbm, draws, ledger, stream):
    """Estimate log Z = log Z_1 + log mean exp(log w) from AnnealedDraws, its error by the jackknife over chains.

    `converged` says that log Z rests on two chains at least, and that their weights can tell what they missed.
    """
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
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_w.size),
        converged=effective >= _FEWEST_EFFECTIVE and telling(rbm, log_w, ledger),
        diagnostics={"effective_sample_size": effective, "bootstrap_std_error": bootstrap_error},
        profiles={"bootstrap_quantiles": quantiles},
    )


def telling(rbm, log_w, ledger):
    """Whether the spread of the log-weights (chain,) of annealing measures its error.

    It does not if all chains went the same frozen way (only independent units have equal weights), or if single sweeps
    were to make up for changes by many nats.
    """
    differ = np.ptp(log_w) > _ROUNDING * max(1.0, np.abs(log_w).max()) or not rbm.weights.any()
    return bool(differ and np.abs(log_w).mean() <= _LARGEST_STEP * ledger.sweeps)
