"""Log-probabilities of visible states with the hidden units summed out, along a tempered path.

Legend: a = b + v W (H,); log f_beta(v) = beta c.v + (1 - beta) c0.v + sum_j softplus(beta a_j).

With x = beta a_j, softplus(x) = max(x, 0) + log(1 + exp(-|x|)). The sum of the first part is beta times a number that
does not depend on beta; of the second, the smooth part, only products of factors in (1, 2] are formed and few
logarithms taken.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from logzoo.kernels.elementary import LOG2_E, exp2_constants, exp2_nonpositive

# Magnitudes come in four strips of this multiple, so that every loop over them is whole vectors.
_STRIP = 16
# Units whose factors, at most 2 each, are multiplied before a logarithm: 2**32 a lane in float32, 2**512 in float64.
_UNITS_PER_LOG = 512
_LANES = 16
_ONE = np.float32(1.0)
_LOG_2 = math.log(2.0)
# |a| of units that are not there: exp(-beta |a|) vanishes for every beta > 0.
_ABSENT = np.float32(1e30)


class EnergyScratch(NamedTuple):
    """Scratch of the functions below, allocated once a run."""

    magnitudes: np.ndarray  # (H rounded up,) float32: |a|
    factors: np.ndarray  # (_UNITS_PER_LOG / 4,) float32
    constants: np.ndarray  # of exp2_nonpositive


@njit(cache=True)
def energy_scratch(units):
    """Scratch for that many hidden units."""
    padded = -(-units // (4 * _STRIP)) * (4 * _STRIP)
    return EnergyScratch(np.full(padded, _ABSENT), np.empty(_UNITS_PER_LOG // 4, np.float32), exp2_constants())


@njit(cache=True)
def load_magnitudes(hidden_input, units, unit, scratch):
    """Load |a| of one chain's `units` integer inputs into the scratch; returns sum_j max(a_j, 0)."""
    total = 0
    for j in range(units):
        a = np.int64(hidden_input[j])
        total += max(a, np.int64(0))
        scratch.magnitudes[j] = np.float32(abs(a)) * unit
    return float(total) * np.float64(unit)


@njit(cache=True)
def smooth_part(units, beta, scratch):
    """sum_j log(1 + exp(-beta |a_j|)) over the magnitudes loaded for `units` units; beta float32 in [0, 1]."""
    if beta == 0.0:
        return units * _LOG_2
    total = 0.0
    for start in range(0, scratch.magnitudes.size, _UNITS_PER_LOG):
        total += _log_of_product(scratch.magnitudes[start : start + _UNITS_PER_LOG], -beta * LOG2_E, scratch)
    return total


@njit(cache=True)
def _log_of_product(magnitudes, scale, scratch):
    """log prod_j (1 + 2**(scale |a_j|)), four strips of factors at a time, then folded down to one vector."""
    factors = scratch.factors
    constants = scratch.constants
    rounder, lowest = constants[0], constants[1]
    c1, c2, c3, c4, c5 = constants[2], constants[3], constants[4], constants[5], constants[6]
    count = magnitudes.size // 4
    strip_0 = magnitudes[:count]
    strip_1 = magnitudes[count : 2 * count]
    strip_2 = magnitudes[2 * count : 3 * count]
    strip_3 = magnitudes[3 * count :]
    for j in range(count):
        f0 = _ONE + exp2_nonpositive(scale * strip_0[j], rounder, lowest, c1, c2, c3, c4, c5)
        f1 = _ONE + exp2_nonpositive(scale * strip_1[j], rounder, lowest, c1, c2, c3, c4, c5)
        f2 = _ONE + exp2_nonpositive(scale * strip_2[j], rounder, lowest, c1, c2, c3, c4, c5)
        f3 = _ONE + exp2_nonpositive(scale * strip_3[j], rounder, lowest, c1, c2, c3, c4, c5)
        factors[j] = (f0 * f1) * (f2 * f3)
    while count > _LANES:
        half = (count + 1) // 2
        upper = factors[half:count]
        for j in range(upper.size):
            factors[j] *= upper[j]
        count = half
    product = 1.0
    for j in range(count):
        product *= np.float64(factors[j])
    return math.log(product)


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
    units = chains.h.shape[1]
    scratch = energy_scratch(units)
    for chain in range(out.size):
        positive = load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
        bias = float(sum_bits(chains.v[chain], parameters.visible_bias)) * np.float64(parameters.unit)
        out[chain] = bias + positive + smooth_part(units, _ONE, scratch)


@njit(cache=True)
def smooth_parts(parameters, chains, betas, out):
    """smooth_part of every chain at every inverse temperature (float32), into `out` (chains, betas)."""
    units = chains.h.shape[1]
    scratch = energy_scratch(units)
    for chain in range(out.shape[0]):
        load_magnitudes(chains.hidden_input[chain], units, parameters.unit, scratch)
        for k in range(betas.size):
            out[chain, k] = smooth_part(units, betas[k], scratch)
