"""Sums over all one-to-one assignments of K particles to K temperatures (permanents), by recursion over subsets.

Legend: m[i, k] is the log weight of particle i at temperature k; an assignment s has the weight exp(sum_i m[i, s(i)]).
Sets S hold temperatures other than the last. F(S) sums the weights of all ways to give the first |S| particles the
temperatures S; B(S) does the same for the last |S| particles. If the first |S| particles have S and the next particle
has the last temperature, the other particles have the remaining set R. The terms F(S) exp(m[|S|, K - 1]) B(R) add up to
the sum over all assignments. In this sum, the share of the terms with |S| = i is the probability that particle i has
the last temperature. F and B take (K - 1) 2**(K - 2) multiplications each, although there are K! assignments.

Sums are float64, without logarithms. The dual variables (potentials) u_i and w_k of the assignment problem satisfy
u_i + w_k >= m[i, k], with equality along the best assignment. The scaled weights exp(m[i, k] - u_i - w_k) are at most
1. Their products, one for each assignment, add up to between 1 and K!. Products that underflow are below the rounding
error of this sum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part

if TYPE_CHECKING:
    from logzoo.types import Array


# Largest K: three arrays of 2**(K - 1) numbers take 13 MB.
LARGEST = 20
# A scaled weight below exp(-100) does not change the sum over all assignments: 20! exp(-100) is 9e-26. Setting it to 0
# avoids most subnormal products.
_LOWEST = -100.0
# The sums of the eight sets that differ only in their first _LOW elements are computed together: the processor adds
# separate sums in parallel.
_LOW = 3


class AssignmentScratch(NamedTuple):
    """Scratch for K particles. `sum_assignments` fills it, and `draw_assignment` reads it."""

    table: np.ndarray  # (K, K) float64: scaled weights
    rows: np.ndarray  # (K - 1, K - 1), at least (3, 3), float64: weights, one row per particle, reversed for B
    forward: np.ndarray  # (2**(K - 1),), at least 8, float64: F
    backward: np.ndarray  # like `forward`: B
    sizes: np.ndarray  # like `forward`, int64: |S|
    shares: np.ndarray  # (K,) float64: P(particle i has the last temperature)
    total: np.ndarray  # (1,) float64: sum over all assignments, with scaled weights
    potentials: np.ndarray  # (3, K + 1) float64: -u, -w and the slack of each temperature; entry 0 is artificial
    paths: np.ndarray  # (3, K + 1) int64, by temperature: its particle (from 1), previous temperature, 1 if reached


@kernel
def assignment_scratch(particles: int) -> AssignmentScratch:
    """Scratch for sums over at most `particles` particles."""
    elements = max(particles - 1, _LOW)
    subsets = 1 << elements
    sizes = np.zeros(subsets, np.int64)
    for subset in range(1, subsets):
        sizes[subset] = sizes[subset >> 1] + (subset & 1)
    table, rows = np.zeros((particles, particles)), np.zeros((elements, elements))
    forward, backward, shares = np.zeros(subsets), np.zeros(subsets), np.zeros(particles)
    potentials, paths = np.zeros((3, particles + 1)), np.zeros((3, particles + 1), np.int64)
    return AssignmentScratch(table, rows, forward, backward, sizes, shares, np.zeros(1), potentials, paths)


@part
def _find_potentials(m: Array, count: int, scratch: AssignmentScratch) -> None:
    """Find the potentials u and w by shortest augmenting paths over costs -m (Jonker & Volgenant 1987)."""
    u, w, slack = scratch.potentials
    matched, before, reached = scratch.paths
    u[:] = 0.0
    w[:] = 0.0
    matched[:] = 0
    for particle in range(1, count + 1):
        matched[0] = particle
        slack[:] = np.inf
        reached[:] = 0
        last = 0
        while True:
            reached[last] = 1
            at = matched[last]
            nearest, step = 0, np.inf
            for k in range(1, count + 1):
                if not reached[k]:
                    cost = -m[at - 1, k - 1] - u[at] - w[k]
                    if cost < slack[k]:
                        slack[k] = cost
                        before[k] = last
                    if slack[k] < step:
                        step = slack[k]
                        nearest = k
            for k in range(count + 1):
                if reached[k]:
                    u[matched[k]] += step
                    w[k] -= step
                else:
                    slack[k] -= step
            last = nearest
            if matched[last] == 0:
                break
        while last != 0:
            matched[last] = matched[before[last]]
            last = before[last]


@part
def _fill_table(m: Array, count: int, scratch: AssignmentScratch) -> float:
    """Fill the table with the weights, scaled to at most 1 by the potentials; returns the log of the common scale."""
    _find_potentials(m, count, scratch)
    u, w, _ = scratch.potentials
    log_scale = 0.0
    for i in range(count):
        log_scale -= u[i + 1] + w[i + 1]
        for k in range(count):
            scaled = min(m[i, k] + u[i + 1] + w[k + 1], 0.0)
            scratch.table[i, k] = math.exp(scaled) if scaled > _LOWEST else 0.0
    return log_scale


@part
def _fill_rows(count: int, reverse: bool, scratch: AssignmentScratch) -> None:
    """Fill `rows` with the weights at all temperatures except the last. `reverse` puts the last particle first."""
    rows, elements = scratch.rows, count - 1
    for i in range(max(elements, _LOW)):
        particle = elements - i if reverse else i
        for k in range(max(elements, _LOW)):
            rows[i, k] = scratch.table[particle, k] if i < elements and k < elements else 0.0


@part
def _sum_over_sets(rows: Array, elements: int, sizes: Array, sums: Array) -> None:
    """Set sums[S] to the sum of prod_i rows[i, s(i)] over all orders s of the elements of S."""
    for high in range(1 << max(elements - _LOW, 0)):
        size = sizes[high]
        f0 = 0.0 if high else 1.0
        f1 = f2 = f3 = f4 = f5 = f6 = f7 = 0.0
        left = high
        while left:
            lowest = left & -left
            left ^= lowest
            k = sizes[lowest - 1] + _LOW
            start = (high ^ lowest) << _LOW
            f0 += sums[start] * rows[size - 1, k]
            weight = rows[size, k]
            f1 += sums[start + 1] * weight
            f2 += sums[start + 2] * weight
            f4 += sums[start + 4] * weight
            weight = rows[size + 1, k]
            f3 += sums[start + 3] * weight
            f5 += sums[start + 5] * weight
            f6 += sums[start + 6] * weight
            f7 += sums[start + 7] * rows[size + 2, k]
        first, second, third = rows[size], rows[size + 1], rows[size + 2]
        f1 += f0 * first[0]
        f2 += f0 * first[1]
        f4 += f0 * first[2]
        f3 += f2 * second[0] + f1 * second[1]
        f5 += f4 * second[0] + f1 * second[2]
        f6 += f4 * second[1] + f2 * second[2]
        f7 += f6 * third[0] + f5 * third[1] + f3 * third[2]
        start = high << _LOW
        sums[start], sums[start + 1], sums[start + 2], sums[start + 3] = f0, f1, f2, f3
        sums[start + 4], sums[start + 5], sums[start + 6], sums[start + 7] = f4, f5, f6, f7


@kernel
def sum_assignments(m: Array, count: int, scratch: AssignmentScratch) -> float:
    """Return the log of the sum over all assignments of `count` particles, the permanent of exp(m); fill `scratch`.

    m must be finite. Only its first `count` rows and columns are read. The scratch may be for more than `count`
    particles.
    """
    log_scale = _fill_table(m, count, scratch)
    forward, backward, sizes, shares = scratch.forward, scratch.backward, scratch.sizes, scratch.shares
    for reverse in (False, True):
        _fill_rows(count, reverse, scratch)
        _sum_over_sets(scratch.rows, count - 1, sizes, backward if reverse else forward)
    whole = (1 << (count - 1)) - 1
    shares[:count] = 0.0
    for subset in range(whole + 1):
        shares[sizes[subset]] += forward[subset] * backward[whole ^ subset]
    total = 0.0
    for i in range(count):
        shares[i] *= scratch.table[i, count - 1]
        total += shares[i]
    for i in range(count):
        shares[i] /= total
    scratch.total[0] = total
    return log_scale + math.log(total)


@kernel
def draw_assignment(uniforms: Array, scratch: AssignmentScratch, drawn: Array) -> None:
    """Draw an assignment, in proportion to its weight, into drawn (K,): the temperature of each particle.

    The scratch must come from `sum_assignments`. uniforms (at least K,) in [0, 1): number K - 1 draws the particle with
    the last temperature and the set of temperatures of the particles before it. Each earlier number draws the
    temperature of one other particle.
    """
    count = drawn.size
    whole = (1 << (count - 1)) - 1
    level = uniforms[count - 1] * scratch.total[0]
    chosen = 0
    for subset in range(whole + 1):
        weight = scratch.table[scratch.sizes[subset], count - 1]
        weight *= scratch.forward[subset] * scratch.backward[whole ^ subset]
        # Choices of weight 0 are skipped, so a rounding error of the level cannot select an impossible assignment.
        if weight > 0.0:
            chosen = subset
            level -= weight
            if level < 0.0:
                break
    last = scratch.sizes[chosen]
    drawn[last] = count - 1
    left = chosen
    for i in range(last - 1, -1, -1):
        drawn[i] = _draw_element(uniforms[i], scratch.table[i], left, scratch.forward)
        left ^= 1 << drawn[i]
    left = whole ^ chosen
    for i in range(last + 1, count):
        drawn[i] = _draw_element(uniforms[i - 1], scratch.table[i], left, scratch.backward)
        left ^= 1 << drawn[i]


@part
def _draw_element(uniform: float, weights: Array, left: int, sums: Array) -> int:
    """Draw an element k of the set `left`, in proportion to weights[k] times the sum over the remaining set."""
    level = uniform * sums[left]
    chosen = 0
    remaining = left
    k = 0
    while remaining:
        if remaining & 1:
            weight = sums[left ^ (1 << k)] * weights[k]
            if weight > 0.0:
                chosen = k
                level -= weight
                if level < 0.0:
                    break
        remaining >>= 1
        k += 1
    return chosen
