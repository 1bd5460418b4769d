"""How heavy the tail of importance weights is: the shape k of a generalised Pareto law of the largest of them.

Vehtari, Simpson, Gelman, Yao & Gabry (2024), sections 3.1 and 3.2: weights have 1/k finite moments, and means of some
hundred weights hardly settle where k is above 0.7. The fit is that of Zhang & Stephens (2009).
"""

import numpy as np

# Shape beyond which a mean of weights is not to be trusted.
LARGEST_SHAPE = 0.7
# Share of the weights that is the tail, times the root of their number that it is at most, and the fewest to fit it to.
_SHARE, _ROOTS, _FEWEST = 0.2, 3.0, 5
# A few weights say little of k: it is drawn towards 0.5 as if ten more had been seen.
_PRIOR_SHAPE, _PRIOR_WEIGHTS = 0.5, 10
# Candidates for the scale, beside the root of the number of weights, and the spread of their prior.
_CANDIDATES, _SPREAD = 30, 3.0


def tail_shape(log_weights):
    """Shape k of the tail of weights given by their logarithms (chain,); 0 where there are too few, or no tail."""
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
