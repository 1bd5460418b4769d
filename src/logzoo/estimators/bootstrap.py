"""Bootstrap over independent chains, beside the jackknife: never over the correlated sweeps of one."""

import numpy as np

QUANTILES = (0.025, 0.16, 0.5, 0.84, 0.975)
_RESAMPLES = 1000


def bootstrapped(sums, statistic, generator):
    """Standard error, and QUANTILES (quantile,), of statistic(total) over chains drawn with replacement.

    sums (chain, ...); statistic maps totals (..., *shape) to numbers (...,).
    """
    chains = len(sums)
    counts = generator.multinomial(chains, np.full(chains, 1.0 / chains), size=_RESAMPLES)
    totals = (counts @ sums.reshape(chains, -1)).reshape(_RESAMPLES, *sums.shape[1:])
    values = statistic(totals)
    return float(np.std(values, ddof=1)), np.quantile(values, QUANTILES)
