"""Log-probabilities of visible states with the hidden units summed out, along a tempered path.

Legend: a = b + v W (H,); log f_beta(v) = beta c.v + (1 - beta) c0.v + sum_j softplus(beta a_j).

With x = beta a_j, softplus(x) = max(x, 0) + log(1 + exp(-|x|)). The sum of the first part is beta times a number that does
not depend on beta; of the second, the smooth part, only products of factors in (1, 2] are formed and few logarithms taken.
"""

import math

import numpy as np
from numba import njit

from logzoo.kernels.elementary import exp_nonpositive

# Factors in (1, 2] multiplied together in one float32 lane before a logarithm: 2**64 is far from overflow.
_FACTORS = 64
_LANES = 16
_ONE = np.float32(1.0)


@njit(cache=True)
def load_magnitudes(hidden_input, unit, magnitudes):
    """magnitudes (H,) float32 = |a|; returns sum_j max(a_j, 0), from the integer inputs of one chain."""
    total = 0
    for j in range(magnitudes.size):
        a = np.int64(hidden_input[j])
        total += max(a, np.int64(0))
        magnitudes[j] = np.float32(abs(a)) * unit
    return float(total) * np.float64(unit)


@njit(cache=True)
def smooth_part(magnitudes, beta, factors):
    """sum_j log(1 + exp(-beta |a_j|)); scratch `factors` (64 * 16,) float32."""
    total = 0.0
    units = magnitudes.size
    for start in range(0, units, factors.size):
        count = min(factors.size, units - start)
        for j in range(count):
            factors[j] = _ONE + exp_nonpositive(-(beta * magnitudes[start + j]))
        # Fold in halves, each a vector multiply, down to one vector of lanes.
        while count > _LANES:
            half = (count + 1) // 2
            for j in range(count - half):
                factors[j] *= factors[half + j]
            count = half
        product = 1.0
        for j in range(count):
            product *= np.float64(factors[j])
        total += math.log(product)
    return total


@njit(cache=True)
def factor_scratch():
    """Scratch of `smooth_part`."""
    return np.empty(_FACTORS * _LANES, np.float32)


@njit(cache=True)
def dot_bits(state, vector):
    """The sum of the entries of `vector` (units,) where `state` (units,) is one, in float64."""
    total = 0.0
    for unit in range(state.size):
        total += np.float64(vector[unit]) * np.float64(state[unit])
    return total


@njit(cache=True)
def sum_bits(state, integers):
    """The sum of the entries of `integers` where `state` (units,) is one."""
    total = np.int64(0)
    for unit in range(state.size):
        total += np.int64(integers[unit]) * np.int64(state[unit])
    return total


@njit(cache=True)
def log_f_marginal(parameters, chains, out):
    """log f(v) of every chain (chains,) at beta = 1, hidden units summed out, in nats."""
    magnitudes = np.empty(chains.h.shape[1], np.float32)
    factors = factor_scratch()
    for chain in range(out.size):
        positive = load_magnitudes(chains.hidden_input[chain], parameters.unit, magnitudes)
        bias = float(sum_bits(chains.v[chain], parameters.visible_bias)) * np.float64(parameters.unit)
        out[chain] = bias + positive + smooth_part(magnitudes, _ONE, factors)


@njit(cache=True)
def smooth_parts(parameters, chains, betas, out):
    """smooth_part of every chain at every inverse temperature (float32), into `out` (chains, betas)."""
    magnitudes = np.empty(chains.h.shape[1], np.float32)
    factors = factor_scratch()
    for chain in range(out.shape[0]):
        load_magnitudes(chains.hidden_input[chain], parameters.unit, magnitudes)
        for k in range(betas.size):
            out[chain, k] = smooth_part(magnitudes, betas[k], factors)
