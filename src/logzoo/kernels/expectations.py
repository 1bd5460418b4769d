"""Expectations under an RBM by visiting every state of one layer, the other summed out.

Legend: the enumerated layer has E units with bias e, the other S units with bias s, weights W (E, S). A state g has
log f(g) = e.g + sum_i softplus(x_i), x = s + g W; given g, unit i of the other layer is on with sigmoid(x_i).
"""

import math

import numpy as np

from logzoo.kernels.compiled import kernel


@kernel(nogil=True)
def expectations(weights, enumerated_bias, bias):
    """log Z in nats, E[g s'] (E, S), E[g] (E,) and E[s] (S,), float64."""
    units = enumerated_bias.size
    p, products = np.empty(bias.size), np.zeros(weights.shape)
    enumerated, other = np.zeros(units), np.zeros(bias.size)
    largest = -np.inf
    total = 0.0
    for code in range(1 << units):
        log_f = 0.0
        p[:] = bias
        for unit in range(units):
            if code >> unit & 1:
                log_f += enumerated_bias[unit]
                p += weights[unit]
        for i in range(p.size):
            decay = math.exp(-abs(p[i]))
            log_f += max(p[i], 0.0) + math.log1p(decay)
            p[i] = (1.0 if p[i] >= 0.0 else decay) / (1.0 + decay)
        if log_f > largest:
            # Everything so far was relative to the largest log f then.
            shrink = math.exp(largest - log_f)
            total *= shrink
            products *= shrink
            enumerated *= shrink
            other *= shrink
            largest = log_f
        weight = math.exp(log_f - largest)
        total += weight
        for i in range(p.size):
            p[i] *= weight
            other[i] += p[i]
        for unit in range(units):
            if code >> unit & 1:
                enumerated[unit] += weight
                products[unit] += p
    products /= total
    enumerated /= total
    other /= total
    return largest + math.log(total), products, enumerated, other
