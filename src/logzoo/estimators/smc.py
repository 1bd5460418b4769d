"""SMC: annealing with resampling in independent islands of chains.

Del Moral, Doucet & Jasra (2006); as population annealing Hukushima & Iba (2003). log Z = log Z_1 + log of the mean
over islands of Zhat_g, each without bias: below log Z on average. Families: Wang, Machta & Katzgraber (2015); the error
from the families of one run: Lee & Whiteley (2018). Cost: that of AIS.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.estimators.intervals import jackknife_error, log_sums_left_out, student_interval
from logzoo.estimators.result import Estimate, reasons_of
from logzoo.estimators.weights import log_normal_error, untelling

# Families that must carry the sum, however few the chains are: resampled weights are alike and tell little.
_FEWEST_FAMILIES = 10.0
# Share of the sum of all islands that a single one may carry.
_LARGEST_SHARE = 0.5


def read(draws):
    """The Estimate of `Draws` whose sample is ResampledDraws.

    Its error is the largest of the spread over islands, that of log-normal weights of islands, and that over families.
    `converged` says that log Z rests on ten families at least, and that no island carries half of it.
    """
    rbm, ledger, draws = draws.rbm, draws.ledger, draws.sample
    count, islands = draws.log_weight.size, draws.island[-1] + 1
    total = float(logsumexp(draws.log_weight))
    log_z = draws.log_z_base + total - np.log(count)
    of_island = np.array([logsumexp(draws.log_weight[draws.island == number]) for number in range(islands)])
    shares = family_shares(draws)
    effective = float(1.0 / np.sum(shares**2))
    spread = jackknife_error(log_sums_left_out(of_island))
    of_families = float(np.sqrt(max(1.0 / effective - 1.0 / count, 0.0)))
    std_error = max(spread, of_families, log_normal_error(of_island))
    alone = islands > 2 and np.exp(of_island.max() - total) > _LARGEST_SHARE
    return Estimate(
        log_z=float(log_z),
        std_error=std_error,
        interval=student_interval(log_z, std_error, islands),
        reasons=reasons_of(
            {
                "few-effective": bool(alone) or effective < _FEWEST_FAMILIES,
                **untelling(rbm, of_island, ledger),
            }
        ),
        diagnostics={"effective_sample_size": effective, "spread_error": spread},
    )


def family_shares(draws):
    """Share (chain,) of the sum of all weights that descends from each first state; 0 for those that died out."""
    relative = np.exp(draws.log_weight - draws.log_weight.max())
    return np.bincount(draws.family, relative, minlength=relative.size) / relative.sum()
