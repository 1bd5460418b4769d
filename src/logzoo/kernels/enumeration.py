"""The partition function by visiting every state of one layer, the other summed out.

Legend: W (S, E): the enumerated layer has E units with bias e, the other S units with bias s. For each enumerated state
g, log f(g) = e.g + sum_i softplus(s_i + (W g)_i). States are visited in Gray-code order: one row of W is added or
subtracted between neighbours, and the input is recomputed afresh every `_REFRESH` states against drift.
"""

import math

import numpy as np
from numba import njit

_REFRESH = 1024


@njit(cache=True)
def _softplus_sum(x):
    """sum_i softplus(x_i): sums of max(x, 0) and products of factors in (1, 2], one log per 512 units."""
    total = 0.0
    product = 1.0
    for i in range(x.size):
        total += max(x[i], 0.0)
        product *= 1.0 + math.exp(-abs(x[i]))
        if i % 512 == 511:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@njit(cache=True)
def _inputs_at(weights_by_unit, bias, enumerated_bias, code, x):
    """Input of the other layer and bias energy of the state whose bits are `code`, computed from scratch."""
    x[:] = bias
    energy = 0.0
    for unit in range(enumerated_bias.size):
        if (code >> unit) & 1:
            energy += enumerated_bias[unit]
            for i in range(x.size):
                x[i] += weights_by_unit[unit, i]
    return energy


@njit(cache=True)
def log_sum_states(weights_by_unit, bias, enumerated_bias, first, last, x):
    """(largest, sum exp(log f - largest)) over the states number first, ..., last - 1 in Gray-code order.

    weights_by_unit (E, S), bias (S,), enumerated_bias (E,), scratch x (S,): all float64.
    """
    largest = -np.inf
    total = 0.0
    energy = 0.0
    for number in range(first, last):
        code = number ^ (number >> 1)
        if number == first or number % _REFRESH == 0:
            energy = _inputs_at(weights_by_unit, bias, enumerated_bias, code, x)
        else:
            unit = 0
            while ((number >> unit) & 1) == 0:
                unit += 1
            sign = 1.0 if (code >> unit) & 1 else -1.0
            energy += sign * enumerated_bias[unit]
            for i in range(x.size):
                x[i] += sign * weights_by_unit[unit, i]
        value = energy + _softplus_sum(x)
        if value > largest:
            total = total * math.exp(largest - value) + 1.0
            largest = value
        else:
            total += math.exp(value - largest)
    return largest, total
