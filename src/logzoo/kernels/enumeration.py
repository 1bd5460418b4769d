"""The partition function and expectations by visiting every state of one layer, with the other layer summed out.

Legend: the enumerated layer has E units with bias e, the other layer S units with bias s; weights W (E, S). The bits of
a state g are a low part l and a high part m. With x_i = s_i + (g W)_i, log f(g) = e.g + sum_i log(1 + exp(x_i)). Given
g, unit i of the other layer is on with probability sigmoid(x_i).

Let t_i(l) = exp((l W)_i - L_i) with L_i the largest (l W)_i, and u_i(m) = s_i + (m W)_i + L_i, so x_i <= u_i. Then

    log(1 + exp(x_i)) = max(u_i, 0) + log(p_i + q_i t_i),   (p, q) = (exp(-u), 1) if u > 0 else (1, exp(u)).

t is computed once for each l, and p and q once for each m. Each state then takes one logarithm, one exponential, and
two multiplications and one addition for each unit. Factors p + q t lie between exp(-R_i) and 2, with R_i the range of
(l W)_i. A product of many factors therefore fits a float64. At the `stops` (numbers of units) the exponent of the
product is moved to an integer. `expectations` does not use this factorisation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import LOG_2, copy_into, exp_wide, sigmoid, softplus, split_exponent

if TYPE_CHECKING:
    from logzoo.types import Array


# Number of states of the low part that are handled together, as eight vectors of float64.
LANES = 32
# Number of units whose factors are multiplied in one pass over the lanes.
UNITS = 4


class LowPart(NamedTuple):
    """All states of the low bits, in blocks of LANES; S is rounded up to a multiple of UNITS."""

    t: np.ndarray  # (blocks, S, LANES) float64
    energy: np.ndarray  # (blocks, LANES) e.l; -inf for padding states
    largest: np.ndarray  # (S,) L_i
    stops: np.ndarray  # (stops,) int64: numbers of units, up to S, after which exponents are moved to integers


@part
def load_high_part(
    weights: Array, bias: Array, enumerated_bias: Array, largest: Array, code: int, p: Array, q: Array
) -> float:
    """Fill p, q (S,) for one state of the high bits; returns e.m + sum_i max(u_i, 0).

    weights (high bits, S), bias (S,), enumerated_bias (high bits,).
    """
    constant = 0.0
    for i in range(q.size):
        q[i] = bias[i] + largest[i]
    for bit in range(enumerated_bias.size):
        if (code >> bit) & 1:
            constant += enumerated_bias[bit]
            for i in range(q.size):
                q[i] += weights[bit, i]
    for i in range(q.size):
        u = q[i]
        constant += max(u, 0.0)
        p[i] = math.exp(-max(u, 0.0))
        q[i] = math.exp(min(u, 0.0))
    return constant


@part
def log_products(t: Array, p: Array, q: Array, stops: Array, product: Array, exponent: Array) -> None:
    """Write prod_i (p_i + q_i t_i) of one block of states (LANES,) as product * 2**exponent."""
    product[:] = 1.0
    exponent[:] = 0
    start = 0
    for stop in stops:
        for i in range(start, stop, UNITS):
            t0, t1, t2, t3 = t[i], t[i + 1], t[i + 2], t[i + 3]
            p0, p1, p2, p3 = p[i], p[i + 1], p[i + 2], p[i + 3]
            q0, q1, q2, q3 = q[i], q[i + 1], q[i + 2], q[i + 3]
            for lane in range(LANES):
                product[lane] *= ((p0 + q0 * t0[lane]) * (p1 + q1 * t1[lane])) * (
                    (p2 + q2 * t2[lane]) * (p3 + q3 * t3[lane])
                )
        for lane in range(LANES):
            mantissa, power = split_exponent(product[lane])
            product[lane] = mantissa
            exponent[lane] += power
        start = stop


@kernel
def log_sum_states(
    low: LowPart, weights: Array, bias: Array, enumerated_bias: Array, first: int, last: int, p: Array, q: Array
) -> tuple[float, float]:
    """Return (largest log f, sum of exp(log f - largest)) over high parts `first` to `last - 1` with every low part.

    weights (high bits, S), bias (S,), enumerated_bias (high bits,), float64. p, q (high parts handled together, S)
    float64: scratch.
    """
    together = p.shape[0]
    constants = np.empty(together)
    product = np.empty(LANES)
    exponent = np.empty(LANES, np.int64)
    largest = -np.inf
    total = 0.0
    for start in range(first, last, together):
        count = min(together, last - start)
        for n in range(count):
            constants[n] = load_high_part(weights, bias, enumerated_bias, low.largest, start + n, p[n], q[n])
        for block in range(low.t.shape[0]):
            for n in range(count):
                log_products(low.t[block], p[n], q[n], low.stops, product, exponent)
                peak = largest
                for lane in range(LANES):
                    product[lane] = (
                        math.log(product[lane]) + LOG_2 * exponent[lane] + constants[n] + low.energy[block, lane]
                    )
                    peak = max(peak, product[lane])
                if peak > largest:
                    total *= math.exp(largest - peak)
                    largest = peak
                for lane in range(LANES):
                    total += exp_wide(product[lane] - largest)
    return largest, total


@kernel
def expectations(weights: Array, enumerated_bias: Array, bias: Array) -> tuple[float, Array, Array, Array]:
    """Return log Z in nats, E[g y'] (E, S), E[g] (E,) and E[y] (S,), float64; y is the state of the other layer."""
    units = enumerated_bias.size
    p, products = np.empty(bias.size), np.zeros(weights.shape)
    enumerated, other = np.zeros(units), np.zeros(bias.size)
    largest = -np.inf
    total = 0.0
    for code in range(1 << units):
        log_f = 0.0
        copy_into(p, bias)
        # Rows are added by loops, because numba takes two seconds to compile the check of shapes in `p += row`.
        for unit in range(units):
            if code >> unit & 1:
                log_f += enumerated_bias[unit]
                for i in range(p.size):
                    p[i] += weights[unit, i]
        for i in range(p.size):
            log_f += softplus(p[i])
            p[i] = sigmoid(p[i])
        if log_f > largest:
            # The sums so far are relative to the earlier largest log f.
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
                for i in range(p.size):
                    products[unit, i] += p[i]
    products /= total
    enumerated /= total
    other /= total
    return largest + math.log(total), products, enumerated, other
