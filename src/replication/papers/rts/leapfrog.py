"""Hamiltonian Monte Carlo on a tempered path between two Gaussian mixtures, alone and within simulated tempering.

Legend: log f_beta(x) = beta log f(x) + (1 - beta) log p_1(x), with base p_1; Delta = log f - log p_1; q(k | x)
proportional to exp(offset_k + beta_k Delta) with offset_k = log r_k - log Zhat_k and prior r.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import copy_into, exponentiate
from logzoo.kernels.random import RUNG, cell_centre, philox, stream_words, uniform
from logzoo.kernels.tempering import RUNGS_PER_END, count_crossing

if TYPE_CHECKING:
    from logzoo.kernels.tempering import RungSums
    from logzoo.types import Array


MOMENTUM = np.uint64(4)
ACCEPTANCE = np.uint64(5)
STEP_SIZE = np.uint64(6)


class Mixture(NamedTuple):
    """An unnormalised mixture of spherical Gaussians: log f(x) = log sum_j exp(a_j - precision |x - mean_j|^2 / 2)."""

    log_weights: np.ndarray  # (component,) a_j
    means: np.ndarray  # (component, dimension)
    precision: float  # 1 / variance of each coordinate


class Walkers(NamedTuple):
    """The state of chains in continuous space."""

    x: np.ndarray  # (chain, dimension) float64
    number: np.ndarray  # (chain,) uint64: selects the chain's random stream


class Moves(NamedTuple):
    """Record of each draw in one call of `run_tempered`."""

    delta: np.ndarray  # (chain, draw) Delta of x after the move, nats
    rungs: np.ndarray  # (chain, draw + 1) int64: draw i draws x at rungs[:, i], then rungs[:, i + 1] given x
    step: np.ndarray  # (chain, draw) leapfrog step size
    accepted: np.ndarray  # (chain, draw) uint8


@part
def log_f_and_gradient(mixture: Mixture, x: Array, gradient: Array) -> float:
    """Return log f(x) in nats, and set `gradient` (dimension,) to its gradient."""
    components, dimension = mixture.means.shape
    largest, total = -np.inf, 0.0
    for i in range(dimension):
        gradient[i] = 0.0
    for j in range(components):
        square = 0.0
        for i in range(dimension):
            square += (x[i] - mixture.means[j, i]) ** 2
        exponent = mixture.log_weights[j] - 0.5 * mixture.precision * square
        # One pass: the sum is rescaled whenever a larger exponent appears.
        if exponent > largest:
            scale, weight = math.exp(largest - exponent), 1.0
            largest = exponent
        else:
            scale, weight = 1.0, math.exp(exponent - largest)
        total = total * scale + weight
        for i in range(dimension):
            gradient[i] = gradient[i] * scale + weight * (mixture.means[j, i] - x[i])
    for i in range(dimension):
        gradient[i] *= mixture.precision / total
    return largest + math.log(total)


@kernel
def log_f_many(mixture: Mixture, x: Array) -> tuple[Array, Array]:
    """log f (point,) and its gradient (point, dimension) at the points x (point, dimension)."""
    log_f, gradient = np.empty(len(x)), np.empty(x.shape)
    for point in range(len(x)):
        log_f[point] = log_f_and_gradient(mixture, x[point], gradient[point])
    return log_f, gradient


@part
def tempered_gradient(target: Mixture, base: Mixture, beta: float, x: Array, gradient: Array, spare: Array) -> float:
    """Return log f_beta(x) in nats, and set `gradient` to its gradient; `spare` is scratch of the same size."""
    at_target = log_f_and_gradient(target, x, gradient)
    at_base = log_f_and_gradient(base, x, spare)
    for i in range(x.size):
        gradient[i] = beta * gradient[i] + (1.0 - beta) * spare[i]
    return beta * at_target + (1.0 - beta) * at_base


@part
def leapfrog(
    target: Mixture,
    base: Mixture,
    beta: float,
    step: float,
    steps: int,
    x: Array,
    momentum: Array,
    gradient: Array,
    spare: Array,
) -> float:
    """Follow Hamilton's equations for `steps` leapfrog steps in place; returns the rise of the energy in nats.

    The first and last updates of the momentum are half steps (Neal 2011, section 5.2.3.3). Half steps between them are
    merged in pairs into full steps. All masses are 1.
    """
    before = -tempered_gradient(target, base, beta, x, gradient, spare) + _kinetic_energy(momentum)
    log_f = 0.0
    for i in range(x.size):
        momentum[i] += 0.5 * step * gradient[i]
    for number in range(steps):
        for i in range(x.size):
            x[i] += step * momentum[i]
        log_f = tempered_gradient(target, base, beta, x, gradient, spare)
        kick = step if number < steps - 1 else 0.5 * step
        for i in range(x.size):
            momentum[i] += kick * gradient[i]
    return -log_f + _kinetic_energy(momentum) - before


@part
def _kinetic_energy(momentum: Array) -> float:
    total = 0.0
    for component in momentum:
        total += component * component
    return 0.5 * total


@part
def fill_normals(key: np.uint64, chain: np.uint64, draw: int, normals: Array) -> None:
    """Fill `normals` (dimension,) with standard normals by Box & Muller (1958), two from each block of random words."""
    c2, c3, k0, k1 = stream_words(key, draw, MOMENTUM)
    for pair in range((normals.size + 1) // 2):
        w0, w1, w2, w3 = philox(np.uint64(pair), np.uint64(chain), c2, c3, k0, k1)
        radius = math.sqrt(-2.0 * math.log(cell_centre(w0, w1)))
        angle = 2.0 * math.pi * cell_centre(w2, w3)
        normals[2 * pair] = radius * math.cos(angle)
        if 2 * pair + 1 < normals.size:
            normals[2 * pair + 1] = radius * math.sin(angle)


@part
def move(
    target: Mixture,
    base: Mixture,
    beta: float,
    step: float,
    steps: int,
    key: np.uint64,
    chain: np.uint64,
    draw: int,
    x: Array,
    scratch: Array,
) -> tuple[float, bool]:
    """Make one draw of Hamiltonian Monte Carlo at beta, in place; returns (probability of acceptance, accepted).

    scratch: (4, dimension). A trajectory that overflows is rejected.
    """
    proposal, momentum = scratch[0], scratch[1]
    copy_into(proposal, x)
    fill_normals(key, chain, draw, momentum)
    rise = leapfrog(target, base, beta, step, steps, proposal, momentum, scratch[2], scratch[3])
    probability = math.exp(-max(rise, 0.0)) if math.isfinite(rise) else 0.0
    accepted = uniform(key, chain, draw, ACCEPTANCE) < probability
    if accepted:
        copy_into(x, proposal)
    return probability, accepted


@kernel
def run_at(
    target: Mixture,
    base: Mixture,
    steps: int,
    key: np.uint64,
    first: int,
    last: int,
    beta: float,
    low: float,
    high: float,
    walkers: Walkers,
    probability: Array,
) -> None:
    """Make draws `first` to `last - 1` at one beta; add the acceptance probabilities to `probability` (chain,).

    Step sizes are uniform between low and high.
    """
    scratch = np.empty((4, walkers.x.shape[1]))
    for chain in range(len(walkers.x)):
        x, number = walkers.x[chain], walkers.number[chain]
        for draw in range(first, last):
            step = low + (high - low) * uniform(key, number, draw, STEP_SIZE)
            probability[chain] += move(target, base, beta, step, steps, key, number, draw, x, scratch)[0]


@part
def draw_rung_given(delta: float, betas: Array, offset: Array, uniform_draw: float, q: Array) -> int:
    """Write q(k | x) into `q` (rung,) and return the rung that the uniform draw selects."""
    for k in range(q.size):
        q[k] = offset[k] + betas[k] * delta
    _, total = exponentiate(q)
    left, rung = uniform_draw, q.size - 1
    for k in range(q.size):
        q[k] /= total
        left -= q[k]
        if left < 0.0 and rung == q.size - 1:
            rung = k
    return rung


@kernel
def run_tempered(
    target: Mixture,
    base: Mixture,
    betas: Array,
    low: Array,
    high: Array,
    steps: int,
    offset: Array,
    key: np.uint64,
    first: int,
    last: int,
    walkers: Walkers,
    rung: Array,
    heading: Array,
    sums: RungSums,
    moves: Moves,
) -> None:
    """Make draws `first` to `last - 1` of simulated tempering in place: move x at the rung, then draw the rung given x.

    Step sizes are uniform between low (rung,) and high (rung,). Occupancies, visits and round trips are added to
    `sums`.
    """
    rungs = betas.size
    end = max(1, rungs // RUNGS_PER_END)
    scratch = np.empty((4, walkers.x.shape[1]))
    q = np.empty(rungs)
    for chain in range(len(walkers.x)):
        x, number = walkers.x[chain], walkers.number[chain]
        moves.rungs[chain, 0] = rung[chain]
        for draw in range(first, last):
            k, row = rung[chain], draw - first
            step = low[k] + (high[k] - low[k]) * uniform(key, number, draw, STEP_SIZE)
            _, accepted = move(target, base, betas[k], step, steps, key, number, draw, x, scratch)
            delta = log_f_and_gradient(target, x, scratch[2]) - log_f_and_gradient(base, x, scratch[3])
            drawn = draw_rung_given(delta, betas, offset, uniform(key, number, draw, RUNG), q)
            rung[chain] = drawn
            moves.delta[chain, row] = delta
            moves.rungs[chain, row + 1] = drawn
            moves.step[chain, row] = step
            moves.accepted[chain, row] = accepted
            for i in range(rungs):
                sums.occupancy[chain, i] += q[i]
            sums.visits[chain, drawn] += 1
            heading[chain], completed = count_crossing(drawn, end - 1, rungs - end, heading[chain])
            sums.round_trips[chain] += completed
