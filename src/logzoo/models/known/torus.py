"""The Ising model on a square torus: log Z in closed form, at every coupling."""

import numpy as np

from logzoo.checks import as_float, whole_number
from logzoo.models.known.lattice import checkerboard

# Beyond it sinh 2K comes near the largest float64.
LARGEST_COUPLING = 300.0
# Below it spins are free to more digits than float64 has, and the formula is a difference of large numbers.
_FREE = 1e-9


def ising_torus(side=28, coupling=0.4406868):
    """The RBM (side^2 / 2 units a layer) of `log_z_torus`, by the colours of a chessboard, and its log Z in nats.

    At beta on the path from the uniform base it is the same model at beta * coupling:
    log Z = log_z_torus(side, beta * coupling) - 2 beta coupling side^2. Raises ValueError for an odd side.
    """
    log_z = log_z_torus(side, coupling)
    sites = np.arange(side * side).reshape(side, side)
    neighbours = np.concatenate([np.roll(sites, -1, axis=axis).ravel() for axis in (0, 1)])
    couplings = np.full(neighbours.size, float(coupling))
    return checkerboard(side, side, np.tile(sites.ravel(), 2), neighbours, couplings), log_z - couplings.sum()


def log_z_torus(side, coupling):
    """log Z in nats of side x side spins with log f = coupling * sum over the 2 side^2 bonds of s s'.

    The side is even, so that log Z does not depend on the sign of the coupling. Kaufman (1949), as written by Ferdinand
    & Fisher (1969): half a sum of four products, one of which is negative below the critical coupling 0.44069.
    Raises ValueError for an odd side and for a coupling that is no number up to 300.
    """
    if whole_number("side", side, minimum=2) % 2:
        raise ValueError(f"side: expected an even number, found {side}")
    k = abs(as_float(coupling))
    if not k <= LARGEST_COUPLING:
        raise ValueError(f"coupling: expected a number of at most {LARGEST_COUPLING:g} in size, found {coupling!r}")
    if k < _FREE:
        return side * side * np.log(2.0)
    s = np.sinh(2.0 * k)
    excess = (s - 1.0) / s * (s - 1.0) + 2.0 * np.sin(0.5 * np.pi * np.arange(2 * side) / side) ** 2
    # arccosh(1 + excess), without loss where the excess is small.
    gamma = np.log1p(excess + np.sqrt(excess) * np.sqrt(excess + 2.0))
    # 2 k + log tanh k: the only one with a sign, 0 at the critical coupling.
    gamma[0] = 2.0 * k + np.log(-np.expm1(-2.0 * k)) - np.log1p(np.exp(-2.0 * k))
    x = 0.5 * side * gamma
    with np.errstate(divide="ignore"):
        log_sinh = np.abs(x) + np.log(-np.expm1(-2.0 * np.abs(x)))
        log_cosh = np.abs(x) + np.log1p(np.exp(-2.0 * np.abs(x)))
        (even_cosh, odd_cosh), (even_sinh, odd_sinh) = (
            [terms[parity::2].sum() for parity in (0, 1)] for terms in (log_cosh, log_sinh)
        )
        # No sinh is above its cosh, but by rounding; below the critical coupling two that are alike cancel.
        ratio = np.exp(min(even_sinh - even_cosh, 0.0))
        even = even_cosh + np.log1p(np.sign(x[0]) * ratio)
    total = np.logaddexp(even, np.logaddexp(odd_cosh, odd_sinh))
    log_two_sinh = 2.0 * k + np.log(-np.expm1(-4.0 * k))
    return float(0.5 * side * side * log_two_sinh + total - np.log(2.0))
