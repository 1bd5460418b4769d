"""Bootstrap over independent chains: never over the correlated sweeps of one."""

import numpy as np

RESAMPLES = 1000
_LEVEL = 0.95


def resampled_sums(values, generator, resamples=RESAMPLES):
    """Sums (resample, ...) of `values` (chain, ...) over chains drawn with replacement.

    Raises ValueError for fewer than two chains, which have no spread to resample.
    """
    chains = len(values)
    if chains < 2:
        raise ValueError("chains: expected at least 2, the bootstrap over chains needs a spread")
    counts = generator.multinomial(chains, np.full(chains, 1.0 / chains), size=resamples)
    return counts @ values.reshape(chains, -1)


def error_and_interval(log_z_resampled):
    """Standard error and central 95% interval of bootstrapped log Z (resample,) in nats."""
    tail = 100 * (1 - _LEVEL) / 2
    low, high = np.percentile(log_z_resampled, [tail, 100 - tail])
    return float(np.std(log_z_resampled, ddof=1)), (float(low), float(high))
