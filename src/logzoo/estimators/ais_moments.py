"""AIS along a path of averaged moments, hidden units summed out of the weights.

Grosse, Maddison & Salakhutdinov (2013). log Z = log Z_1 + log mean exp(log w), exact on average in Z whatever the path.
Cost: of the sweeps, a tenth estimates the model's moments and four tenths fit the path; an annealing sweep costs about
two, because inputs of two RBMs are kept.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.intervals import (
    check_spread,
    effective_number,
    jackknife_error,
    log_sums_left_out,
    student_interval,
)
from logzoo.estimators.options import merged
from logzoo.estimators.result import Estimate
from logzoo.samplers import averaged

DEFAULTS = {
    "base": None,
    "knots": 5,
    "moments": 0.1,
    "fitting": 0.4,
    "learning_rate": 0.05,
    "threads": 1,
    "progress": False,
}
# Effective chains below which the log-mean-exp rests on a few weights and its interval means nothing.
_FEWEST_EFFECTIVE = 2.0


def estimate(rbm, ledger, stream, options):
    """Estimate log Z by AIS along averaged moments; options as in `logzoo.samplers.averaged.run`. Returns Estimate."""
    options = merged("ais-moments", DEFAULTS, options)
    check_spread(ledger)
    draws = averaged.run(rbm, ledger, stream, **options)
    log_w = draws.log_weight
    log_z = float(draws.log_z_base + logsumexp(log_w) - np.log(log_w.size))
    std_error = jackknife_error(log_sums_left_out(log_w))
    effective = float(effective_number(log_w))
    return Estimate(
        method="ais-moments",
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, log_w.size),
        sweeps=ledger.spent,
        chains=ledger.chains,
        converged=effective >= _FEWEST_EFFECTIVE,
        diagnostics={"effective_sample_size": effective},
    )
