"""AIS: annealed importance sampling, hidden units summed out of the weights.

Neal (2001); Salakhutdinov & Murray (2008), eqs 10 to 12. log Z = log Z_1 + log mean exp(log w): below log Z on average.
Cost: one sweep a rung, and log f at two rungs.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.bootstrap import bootstrapped
from logzoo.estimators.intervals import (
    check_spread,
    effective_number,
    jackknife_error,
    log_sums_left_out,
    student_interval,
)
from logzoo.estimators.options import merged
from logzoo.estimators.result import Estimate
from logzoo.samplers import annealed

DEFAULTS = {"base": None, "ladder": "linear", "threads": 1, "progress": False}
# Effective chains below which the log-mean-exp rests on a few weights and its interval means nothing.
_FEWEST_EFFECTIVE = 2.0


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by AIS; options: base, ladder. Returns Estimate, its error by the jackknife over chains."""
    options = merged("ais", DEFAULTS, options)
    check_spread(ledger)
    draws = annealed.run(rbm, ledger, stream, **options)
    log_w = draws.log_weight
    log_z = draws.log_z_base + float(logsumexp(log_w)) - np.log(log_w.size)
    std_error = jackknife_error(log_sums_left_out(log_w))
    effective = float(effective_number(log_w))
    # A resample can miss every weight that counts; the smallest positive number stands for "nothing left".
    bootstrap_error, quantiles = bootstrapped(
        np.exp(log_w - log_w.max()),
        lambda total: log_z - logsumexp(log_w) + log_w.max() + np.log(np.maximum(total, np.finfo(float).tiny)),
        stream.child("bootstrap").generator(),
    )
    return Estimate(
        method="ais",
        log_z=float(log_z),
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_w.size),
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=effective >= _FEWEST_EFFECTIVE,
        diagnostics={"effective_sample_size": effective, "bootstrap_std_error": bootstrap_error},
        profiles={"bootstrap_quantiles": quantiles},
    )
