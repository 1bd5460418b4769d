"""RBMs of Ising spins on a chessboard: a torus, and a free lattice.

White squares are visible units, and black squares are hidden units. log Z of the ferromagnet on a square torus has a
closed form. On a free square lattice log Z is a determinant for any signs of the couplings (spin glass).
"""

from functools import partial

import numpy as np

from logzoo.checks import as_float, finite_array, one_of, positive_number, whole_number
from logzoo.models.rbm import RBM
from logzoo.types import Array, ArrayLike, Floats, Generator


def checkerboard(rows: int, columns: int, first: Array, second: Array, couplings: Floats) -> RBM:
    """The RBM of spins s = 2 x - 1 with log f = sum over bonds of K s s', without field.

    first, second (bond,): numbers row * columns + column of the two squares that a bond joins. The two squares have
    different colours. couplings (bond,): the K. A bond contributes 4 K x x' - 2 K x - 2 K x' + K, so log Z of the RBM
    is log Z of the spins minus sum K.
    """
    hidden = np.indices((rows, columns)).sum(axis=0).ravel() % 2
    # Number of each square within its layer.
    unit = np.where(hidden, np.cumsum(hidden), np.cumsum(1 - hidden)) - 1
    white = np.where(hidden[first], second, first)
    weights = np.zeros((hidden.size - hidden.sum(), hidden.sum()))
    # On a torus of side 2 two bonds join the same squares.
    np.add.at(weights, (unit[white], unit[first + second - white]), 4.0 * couplings)
    return RBM(weights, -0.5 * weights.sum(axis=1), -0.5 * weights.sum(axis=0))


# Beyond this coupling, sinh 2K soon overflows float64.
LARGEST_COUPLING = 300.0
# A coupling below this has no effect in float64, and the formula would be a difference of large numbers.
_FREE = 1e-9


def ising_torus(side: int = 28, coupling: float = 0.4406868) -> tuple[RBM, float]:
    """The RBM (side^2 / 2 units per layer) of the spins of `log_z_torus`, and its log Z in nats.

    At inverse temperature beta on the path from the uniform base the RBM is the same model at beta * coupling:
    log Z = log_z_torus(side, beta * coupling) - 2 beta coupling side^2. Raises ValueError as `log_z_torus` does.
    """
    log_z = log_z_torus(side, coupling)
    sites = np.arange(side * side).reshape(side, side)
    neighbours = np.concatenate([np.roll(sites, -1, axis=axis).ravel() for axis in (0, 1)])
    couplings = np.full(neighbours.size, float(coupling))
    return checkerboard(side, side, np.tile(sites.ravel(), 2), neighbours, couplings), log_z - couplings.sum()


def log_z_torus(side: int, coupling: float) -> float:
    """log Z in nats of side x side spins with log f = coupling * sum over the 2 side^2 bonds of s s'.

    The side is even, so that log Z does not depend on the sign of the coupling. The formula is due to Kaufman (1949),
    in the form of Ferdinand & Fisher (1969): Z is proportional to a sum of four products. One product is negative below
    the critical coupling 0.44069. Raises ValueError unless the side is an even whole number from 2 and the coupling is
    a number from -300 to 300.
    """
    if whole_number("side", side, minimum=2) % 2:
        raise ValueError(f"side: expected an even number, found {side}")
    k = abs(as_float(coupling))
    if not k <= LARGEST_COUPLING:
        raise ValueError(f"coupling: expected an absolute value of at most {LARGEST_COUPLING:g}, found {coupling!r}")
    if k < _FREE:
        return side * side * np.log(2.0)
    s = np.sinh(2.0 * k)
    excess = (s - 1.0) / s * (s - 1.0) + 2.0 * np.sin(0.5 * np.pi * np.arange(2 * side) / side) ** 2
    # arccosh(1 + excess), without loss of digits for a small excess.
    gamma = np.log1p(excess + np.sqrt(excess) * np.sqrt(excess + 2.0))
    # 2 k + log tanh k: the only term that can be negative; 0 at the critical coupling.
    gamma[0] = 2.0 * k + np.log(-np.expm1(-2.0 * k)) - np.log1p(np.exp(-2.0 * k))
    x = 0.5 * side * gamma
    with np.errstate(divide="ignore"):
        log_sinh = np.abs(x) + np.log(-np.expm1(-2.0 * np.abs(x)))
        log_cosh = np.abs(x) + np.log1p(np.exp(-2.0 * np.abs(x)))
        (even_cosh, odd_cosh), (even_sinh, odd_sinh) = (
            [terms[parity::2].sum() for parity in (0, 1)] for terms in (log_cosh, log_sinh)
        )
        # sinh exceeds cosh only by rounding: the ratio is at most 1. Below the critical coupling the two nearly cancel.
        ratio = np.exp(min(even_sinh - even_cosh, 0.0))
        even = even_cosh + np.log1p(np.sign(x[0]) * ratio)
    total = np.logaddexp(even, np.logaddexp(odd_cosh, odd_sinh))
    log_two_sinh = 2.0 * k + np.log(-np.expm1(-4.0 * k))
    return float(0.5 * side * side * log_two_sinh + total - np.log(2.0))


# {turn to the left in quarters: exp(i turn / 2)}.
_PHASES = {0: 1.0, 1: np.exp(0.25j * np.pi), -1: np.exp(-0.25j * np.pi)}
# Largest difference between log |det| of a matrix and of its transpose, which measures the effect of rounding.
LARGEST_ERROR = 1e-8
# Smallest pivot. Rounding errors of 1e-16 move log |det| by their ratio to a pivot, and may move both values equally.
_SMALLEST_PIVOT = 1e-8


def planar_glass(
    generator: Generator, *, rows: int = 28, columns: int = 28, couplings: str = "gaussian", scale: float = 1.0
) -> tuple[RBM, float]:
    """An RBM of rows x columns spins on a chessboard with random couplings, and its log Z in nats.

    couplings: "gaussian" for draws from N(0, scale^2), or "signs" for +scale and -scale with equal probability. Raises
    ValueError for an impossible argument.
    """
    rows, columns = whole_number("rows", rows, minimum=2), whole_number("columns", columns, minimum=2)
    one_of("couplings", couplings, ("gaussian", "signs"))
    scale = positive_number("scale", scale)
    draw = generator.standard_normal if couplings == "gaussian" else partial(generator.choice, [-1.0, 1.0])
    return planar(*(scale * draw(shape) for shape in ((rows, columns - 1), (rows - 1, columns))))


def planar(horizontal: ArrayLike, vertical: ArrayLike) -> tuple[RBM, float]:
    """The RBM with the couplings of `log_z_planar`, and its log Z in nats.

    At inverse temperature beta on the path from the uniform base the RBM is the same model with couplings times beta.
    """
    log_z = log_z_planar(horizontal, vertical)
    first, second, couplings, shape = _bonds(horizontal, vertical)
    return checkerboard(*shape, first, second, couplings), log_z - couplings.sum()


def log_z_planar(horizontal: ArrayLike, vertical: ArrayLike) -> float:
    """log Z in nats of spins on a free square lattice, log f = sum over bonds of K s s'.

    horizontal (rows, columns - 1), vertical (rows - 1, columns): K between neighbours; at least 2 x 2 spins.
    Z = 2^spins prod cosh K sqrt(det(1 - T)), with a matrix T over directed bonds. From bond e to a bond e' that starts
    where e ends and does not turn back, T is tanh(K_e) exp(i turn / 2) (Kac & Ward 1952; Cimasoni 2010). Cost: two LU
    factorisations; 40 x 40 spins take 0.1 s. Raises ValueError for shapes that do not match, and for couplings so
    strong that rounding changes the determinant.
    """
    first, second, couplings, (rows, columns) = _bonds(horizontal, vertical)
    log_cosh = np.abs(couplings) + np.log1p(np.exp(-2.0 * np.abs(couplings))) - np.log(2.0)
    log_root = 0.5 * _log_determinant(_without_turning_back(first, second, np.tanh(couplings)))
    return float(rows * columns * np.log(2.0) + log_cosh.sum() + log_root)


def _bonds(horizontal, vertical):
    """The first and second square of each bond (bond,), couplings (bond,), and (rows, columns)."""
    horizontal = finite_array("horizontal", horizontal, dimensions=2)
    vertical = finite_array("vertical", vertical, dimensions=2)
    rows, columns = len(horizontal), vertical.shape[1]
    if horizontal.shape[1] != columns - 1 or len(vertical) != rows - 1:
        raise ValueError(
            f"couplings: expected horizontal (rows, columns - 1) and vertical (rows - 1, columns), "
            f"found {horizontal.shape} and {vertical.shape}"
        )
    sites = np.arange(rows * columns).reshape(rows, columns)
    first = np.concatenate([sites[:, :-1].ravel(), sites[:-1].ravel()])
    second = np.concatenate([sites[:, 1:].ravel(), sites[1:].ravel()])
    return first, second, np.concatenate([horizontal.ravel(), vertical.ravel()]), (rows, columns)


def _without_turning_back(first, second, tanh):
    """The sparse complex matrix 1 - T over directed bonds: the bonds from `first` to `second`, then their reverses."""
    # This import takes long.
    from scipy.sparse import coo_array, eye_array

    start, end = np.concatenate([first, second]), np.concatenate([second, first])
    # Directions are numbered in quarter turns to the left: right, up, left, down; rows are numbered downwards.
    direction = np.where(second - first == 1, 0, 3)
    direction = np.concatenate([direction, (direction + 2) % 4])
    leaving = np.full((4, end.max() + 1), -1)
    leaving[direction, start] = np.arange(start.size)
    transitions = eye_array(start.size, dtype=np.complex128, format="csc")
    for quarters, phase in _PHASES.items():
        onward = leaving[(direction + quarters) % 4, end]
        bonds = np.flatnonzero(onward >= 0)
        values = phase * np.tile(tanh, 2)[bonds]
        transitions = transitions - coo_array((values, (bonds, onward[bonds])), transitions.shape)
    return transitions.tocsc()


def _log_determinant(matrix):
    """log |det| of a sparse matrix.

    Raises ValueError if the value from the transposed matrix differs by more than 1e-8, and for pivots below 1e-8.
    """
    from scipy.sparse.linalg import splu

    try:
        # The lower factor has ones on its diagonal, and permutations do not change |det|.
        pivots = [np.abs(splu(square.tocsc()).U.diagonal()) for square in (matrix, matrix.T)]
    except RuntimeError:  # the matrix is singular
        pivots = [np.zeros(1)]
    if min(map(np.min, pivots)) >= _SMALLEST_PIVOT:
        logs = [np.log(sizes).sum() for sizes in pivots]
        if abs(logs[0] - logs[1]) <= LARGEST_ERROR:
            return logs[0]
    raise ValueError("couplings: too strong, rounding destroys the determinant that gives log Z; scale them down")
