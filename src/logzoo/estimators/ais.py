"""AIS: annealed importance sampling, hidden units summed out of the weights.

Neal (2001); Salakhutdinov & Murray (2008), eqs 10 to 12. log Z = log Z_1 + log mean exp(log w): below log Z on average.
Cost: one sweep a rung, and log f at two rungs.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.bootstrap import error_and_interval, resampled_sums
from logzoo.estimators.options import merged
from logzoo.estimators.result import Estimate
from logzoo.samplers import annealed

DEFAULTS = {"base": None, "ladder": "linear", "threads": 1, "progress": False}
# Effective chains below which the log-mean-exp rests on a few weights and its bootstrap interval means nothing.
_FEWEST_EFFECTIVE = 2.0


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by AIS; options: base, ladder. Returns Estimate."""
    draws = annealed.run(rbm, ledger, stream, **merged("ais", DEFAULTS, options))
    log_w = draws.log_weight
    largest = log_w.max()
    weights = np.exp(log_w - largest)
    sums = resampled_sums(weights, stream.child("bootstrap").generator())[:, 0]
    shift = draws.log_z_base + largest - np.log(log_w.size)
    # A resample can miss every weight that counts; the smallest positive number stands for "nothing left".
    std_error, interval = error_and_interval(shift + np.log(np.maximum(sums, np.finfo(float).tiny)))
    effective = float(np.exp(2.0 * logsumexp(log_w) - logsumexp(2.0 * log_w)))
    return Estimate(
        method="ais",
        log_z=float(shift + np.log(weights.sum())),
        std_error=std_error,
        interval=interval,
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=effective >= _FEWEST_EFFECTIVE,
        diagnostics={"effective_sample_size": effective},
    )
