"""Sums over all assignments of K particles to K temperatures, each to one: permanents, by subsets of temperatures.

Legend: m (K, K) log weight of particle i at temperature k; an assignment s has the weight exp(sum_i m[i, s(i)]).
Sets S hold temperatures other than the last. F(S): the sum over all ways to give the first |S| particles the
temperatures S; B(S): over all ways to give the particles after the next one those that are not in S. So the next one
has the last temperature, and F(S) exp(m[|S|, K]) B(S) adds up to the sum over all assignments; by |S| it says who has
the last temperature. F and B take (K - 1) 2**(K - 2) multiplications each, where the assignments are K!.

Sums stay in float64 without logarithms: potentials u_i + w_k >= m[i, k], with equality along the best assignment, turn
the weights into exp(m[i, k] - u_i - w_k) <= 1, of which the best assignment has the product 1. So the sum over all
assignments lies between 1 and K!, and what underflows on the way could not have changed it.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

# 2**(K - 1) float64 twice: 8 MB at the largest K.
LARGEST = 20
# A scaled weight below exp(-100) changes no sum: 20! times it is 1e-25. As zero it makes no subnormal products.
_LOWEST = -100.0


class AssignmentScratch(NamedTuple):
    """Scratch for K particles; what `sum_assignments` leaves in it, the functions below it read."""

    table: np.ndarray  # (K, K) float64: scaled weights
    forward: np.ndarray  # (2**(K - 1),) float64: F
    backward: np.ndarray  # (2**(K - 1),) float64: B
    sizes: np.ndarray  # (2**(K - 1),) int64: |S|
    shares: np.ndarray  # (K,) float64: P(particle i has the last temperature)
    total: np.ndarray  # (1,) float64: sum over all assignments of the scaled weights
    potentials: np.ndarray  # (2, K + 1) float64: u and w, one entry to spare
    matched: np.ndarray  # (K + 1,) int64: the particle at each temperature, counted from 1
    before: np.ndarray  # (K + 1,) int64: the temperature before, on the path to each
    slack: np.ndarray  # (K + 1,) float64
    reached: np.ndarray  # (K + 1,) int64


@njit(cache=True)
def assignment_scratch(particles):
    """Scratch for that many particles."""
    subsets = 1 << (particles - 1)
    sizes = np.zeros(subsets, np.int64)
    for subset in range(1, subsets):
        sizes[subset] = sizes[subset >> 1] + (subset & 1)
    size = particles + 1
    return AssignmentScratch(
        np.zeros((particles, particles)),
        np.zeros(subsets),
        np.zeros(subsets),
        sizes,
        np.zeros(particles),
        np.zeros(1),
        np.zeros((2, size)),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
    )


@njit(cache=True)
def _find_potentials(m, count, scratch):
    """Potentials of the best assignment, by shortest augmenting paths over costs -m (Jonker & Volgenant 1987).

    Temperature 0 is a place outside, from which each particle starts in turn.
    """
    u, w = scratch.potentials
    u[:] = 0.0
    w[:] = 0.0
    scratch.matched[:] = 0
    for particle in range(1, count + 1):
        scratch.matched[0] = particle
        scratch.slack[:] = np.inf
        scratch.reached[:] = 0
        place = 0
        while True:
            scratch.reached[place] = 1
            at = scratch.matched[place]
            nearest, step = 0, np.inf
            for k in range(1, count + 1):
                if not scratch.reached[k]:
                    cost = -m[at - 1, k - 1] - u[at] - w[k]
                    if cost < scratch.slack[k]:
                        scratch.slack[k] = cost
                        scratch.before[k] = place
                    if scratch.slack[k] < step:
                        step = scratch.slack[k]
                        nearest = k
            for k in range(count + 1):
                if scratch.reached[k]:
                    u[scratch.matched[k]] += step
                    w[k] -= step
                else:
                    scratch.slack[k] -= step
            place = nearest
            if scratch.matched[place] == 0:
                break
        while place != 0:
            scratch.matched[place] = scratch.matched[scratch.before[place]]
            place = scratch.before[place]


@njit(cache=True)
def _fill_table(m, count, scratch):
    """The weights, scaled to at most 1 by the potentials; returns log of the scale of all assignments."""
    _find_potentials(m, count, scratch)
    u, w = scratch.potentials
    log_scale = 0.0
    for i in range(count):
        log_scale -= u[i + 1] + w[i + 1]
        for k in range(count):
            scaled = min(m[i, k] + u[i + 1] + w[k + 1], 0.0)
            scratch.table[i, k] = math.exp(scaled) if scaled > _LOWEST else 0.0
    return log_scale


@njit(cache=True)
def sum_assignments(m, count, scratch):
    """log of the sum over all assignments of `count` particles, the permanent of exp(m); fills `scratch`.

    m: finite, its first `count` rows and columns are read; the scratch may be for more particles.
    """
    log_scale = _fill_table(m, count, scratch)
    whole = (1 << (count - 1)) - 1
    forward, backward, sizes, shares = scratch.forward, scratch.backward, scratch.sizes, scratch.shares
    forward[0] = 1.0
    for subset in range(1, whole + 1):
        weights = scratch.table[sizes[subset] - 1]
        total = 0.0
        # Each element of the subset in turn, without a branch for those that are not in it.
        left = subset
        while left:
            lowest = left & -left
            total += forward[subset ^ lowest] * weights[sizes[lowest - 1]]
            left ^= lowest
        forward[subset] = total
    backward[whole] = 1.0
    for subset in range(whole - 1, -1, -1):
        weights = scratch.table[sizes[subset] + 1]
        total = 0.0
        left = whole ^ subset
        while left:
            lowest = left & -left
            total += backward[subset | lowest] * weights[sizes[lowest - 1]]
            left ^= lowest
        backward[subset] = total
    shares[:count] = 0.0
    for subset in range(whole + 1):
        shares[sizes[subset]] += forward[subset] * backward[subset]
    total = 0.0
    for i in range(count):
        shares[i] *= scratch.table[i, count - 1]
        total += shares[i]
    for i in range(count):
        shares[i] /= total
    scratch.total[0] = total
    return log_scale + math.log(total)


@njit(cache=True)
def draw_assignment(uniforms, scratch, drawn):
    """drawn (K,): the temperature of each particle, in proportion to the weights, after `sum_assignments`.

    uniforms (K,) in [0, 1): the last for what the particles before the one at the last temperature have, the others for
    the other particles in turn.
    """
    count = drawn.size
    subset = _draw_subset(uniforms[count - 1], count, scratch)
    one = scratch.sizes[subset]
    drawn[one] = count - 1
    left = subset
    for i in range(one - 1, -1, -1):
        level = uniforms[i] * scratch.forward[left]
        for k in range(count - 1):
            if left >> k & 1:
                weight = scratch.forward[left ^ (1 << k)] * scratch.table[i, k]
                # Rounding may leave the level at 0; what cannot be is not drawn even so.
                if weight > 0.0:
                    drawn[i] = k
                    level -= weight
                    if level < 0.0:
                        break
        left ^= 1 << drawn[i]
    taken = subset
    for i in range(one + 1, count):
        level = uniforms[i - 1] * scratch.backward[taken]
        for k in range(count - 1):
            if not taken >> k & 1:
                weight = scratch.backward[taken | (1 << k)] * scratch.table[i, k]
                if weight > 0.0:
                    drawn[i] = k
                    level -= weight
                    if level < 0.0:
                        break
        taken |= 1 << drawn[i]


@njit(cache=True)
def _draw_subset(uniform, count, scratch):
    """The temperatures of the particles before the one at the last temperature."""
    level = uniform * scratch.total[0]
    chosen = 0
    for subset in range(1 << (count - 1)):
        weight = scratch.table[scratch.sizes[subset], count - 1]
        weight *= scratch.forward[subset] * scratch.backward[subset]
        if weight > 0.0:
            chosen = subset
            level -= weight
            if level < 0.0:
                break
    return chosen
