"""Standard errors and intervals of logarithms of sums, over few independent parts (chains, ladders, data vectors).

The jackknife errs on the wide side (Efron & Stein 1981). Student's quantiles allow for a spread that was estimated from
few parts. Percentiles of a bootstrap over few parts are too close together. A heavy tail of the parts makes all these
intervals too narrow. `tail_shape` measures the tail (Zhang & Stephens 2009; Vehtari et al. 2024).
"""

from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from logzoo.types import Floats, Generator

_LEVEL = 0.95
_QUANTILES = (0.025, 0.16, 0.5, 0.84, 0.975)
_RESAMPLES = 1000


def jackknife_error(left_out: Floats) -> float:
    """Standard error from the leave-one-out estimates (part,)."""
    parts = left_out.size
    return float(np.sqrt((parts - 1) / parts * np.sum((left_out - left_out.mean()) ** 2)))


def student_interval(center: float, std_error: float, parts: float) -> tuple[float, float]:
    """Central 95% interval (low, high) around `center`, whose error was estimated from `parts` parts."""
    reach = std_error * float(stdtrit(parts - 1, 0.5 + _LEVEL / 2))
    return float(center - reach), float(center + reach)


def sums_left_out(values: Floats, add: np.ufunc = np.add) -> Floats:
    """Leave-one-out sums (n, ...) of values (n, ...), without subtractions; n at least 2."""
    nothing = np.full((1, *values.shape[1:]), add.identity, float)
    before = np.concatenate([nothing, add.accumulate(values)[:-1]])
    after = np.concatenate([add.accumulate(values[::-1])[-2::-1], nothing])
    return add(before, after)


def effective_number(log_weights: Floats) -> Floats:
    """The effective sample size (sum w)^2 / sum w^2 of weights (..., n), from their logarithms."""
    relative = np.exp(log_weights - np.max(log_weights, axis=-1, keepdims=True))
    return relative.sum(axis=-1) ** 2 / np.square(relative).sum(axis=-1)


def bootstrapped(sums: Floats, statistic: Callable[[Floats], Floats], generator: Generator) -> tuple[float, Floats]:
    """Standard error and five quantiles of statistic(total), where a total sums over chains drawn with replacement.

    sums (chain, ...): the sums of each chain. statistic maps totals (..., *shape) to numbers (...,).
    """
    chains = len(sums)
    counts = generator.multinomial(chains, np.full(chains, 1.0 / chains), size=_RESAMPLES)
    totals = (counts @ sums.reshape(chains, -1)).reshape(_RESAMPLES, *sums.shape[1:])
    values = statistic(totals)
    return float(np.std(values, ddof=1)), np.quantile(values, _QUANTILES)


# Shape k of the tail beyond which a mean of weights is unreliable.
LARGEST_SHAPE = 0.7
# Two upper limits of the number of weights in the tail, and its lower limit. The upper limits are a share of the number
# of all weights, and a multiple of the square root of this number.
_SHARE, _ROOTS, _FEWEST = 0.2, 3.0, 5
# A few weights determine k poorly: a prior of ten weights draws it towards 0.5.
_PRIOR_SHAPE, _PRIOR_WEIGHTS = 0.5, 10
# Number of candidates for the scale, and the spread of the prior of the scale. The square root of the number of weights
# in the tail is added to the number of candidates.
_CANDIDATES, _SPREAD = 30, 3.0


def tail_shape(log_weights: Floats) -> float:
    """Generalised Pareto shape k of the largest weights, from logarithms (chain,); 0 for few weights or no tail."""
    count = int(min(_SHARE * log_weights.size, _ROOTS * np.sqrt(log_weights.size)))
    if count < _FEWEST:
        return 0.0
    ordered = np.sort(log_weights)
    weights = np.exp(ordered - ordered[-1])
    excess = weights[-count:] - weights[-count - 1]
    quartile = excess[int(count / 4 + 0.5) - 1]
    if not quartile > 0.0:
        return 0.0
    candidates = _CANDIDATES + int(np.sqrt(count))
    steps = np.sqrt(candidates / (np.arange(candidates) + 0.5))
    slopes = 1.0 / excess[-1] + (1.0 - steps) / (_SPREAD * quartile)
    shapes = np.log1p(-slopes[:, None] * excess).mean(axis=1)
    log_likelihoods = count * (np.log(-slopes / shapes) - shapes - 1.0)
    relative = np.exp(log_likelihoods - log_likelihoods.max())
    slope = relative @ slopes / relative.sum()
    shape = np.log1p(-slope * excess).mean()
    return float((count * shape + _PRIOR_WEIGHTS * _PRIOR_SHAPE) / (count + _PRIOR_WEIGHTS))
