"""SMC: annealing with resampling in independent islands of chains.

Del Moral, Doucet & Jasra (2006); as population annealing Hukushima & Iba (2003). log Z = log Z_1 + log of the mean
over islands of Zhat_g, each without bias: below log Z on average. Families: Wang, Machta & Katzgraber (2015); the error
from the families of one run: Lee & Whiteley (2018). Cost: that of AIS.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.intervals import effective_number, jackknife_error, log_sums_left_out, student_interval
from logzoo.estimators.result import Estimate, reasons_of
from logzoo.estimators.weights import fewest_effective, log_normal_error, untelling
from logzoo.samplers import resampled


def estimate(rbm, ledger, stream, **options):
    """Estimate log Z by SMC; options as in `logzoo.samplers.resampled.run`. Returns Estimate.

    Its error is the larger one of the spread over islands and over families. `converged` says that log Z rests on ten
    families at least.
    """
    draws = resampled.run(rbm, ledger, stream, **options)
    islands = draws.island[-1] + 1
    log_z = float(draws.log_z_base + logsumexp(draws.log_weight) - np.log(draws.log_weight.size))
    per_island = np.array([logsumexp(draws.log_weight[draws.island == number]) for number in range(islands)])
    spread = jackknife_error(log_sums_left_out(per_island))
    shares = family_shares(draws)
    effective = float(1.0 / np.sum(shares**2))
    of_families = float(np.sqrt(max(np.sum(shares**2) - 1.0 / shares.size, 0.0)))
    std_error = max(spread, of_families, log_normal_error(per_island))
    return Estimate(
        log_z=log_z,
        std_error=std_error,
        interval=student_interval(log_z, std_error, islands),
        reasons=reasons_of(
            {
                "few-effective": effective < fewest_effective(shares.size),
                **untelling(rbm, per_island, ledger),
            }
        ),
        diagnostics={"effective_sample_size": effective, "spread_error": spread},
    )


def family_shares(draws):
    """Share (chain,) of the sum of all weights that descends from each of the first states; zeros for those that died."""
    relative = np.exp(draws.log_weight - draws.log_weight.max())
    return np.bincount(draws.family, relative, minlength=relative.size) / relative.sum()
