"""Sufficient statistics of an RBM's likelihood gradient, without BLAS so that every machine gives the same bits.

Legend: v (n, V) uint8; p = sigmoid(b + v W) (n, H) float32.
"""

import numpy as np
from numba import njit

from logzoo.kernels.elementary import exp_nonpositive

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)


@njit(cache=True)
def hidden_probabilities(chains, unit, p):
    """p (n, H) = sigmoid of the hidden inputs, without overflow."""
    for row in range(p.shape[0]):
        for j in range(p.shape[1]):
            x = np.float32(chains.hidden_input[row, j]) * unit
            decay = exp_nonpositive(-abs(x))
            p[row, j] = (_ONE if x > _ZERO else decay) / (_ONE + decay)


@njit(cache=True)
def add_statistics(v, p, factor, weights, visible_bias, hidden_bias):
    """Add factor * sum_n (v_n p_n, v_n, p_n) to the three parts of a gradient: (V, H), (V,), (H,) float32."""
    for row in range(v.shape[0]):
        scaled = p[row] * factor
        for i in range(v.shape[1]):
            if v[row, i]:
                visible_bias[i] += factor
                target = weights[i]
                for j in range(scaled.size):
                    target[j] += scaled[j]
        for j in range(scaled.size):
            hidden_bias[j] += scaled[j]
