"""Ising spins on a free square lattice, couplings of any sign: a spin glass whose log Z is a determinant."""

import numpy as np

from logzoo.checks import finite_array, one_of, positive_number, whole_number
from logzoo.models.known.lattice import checkerboard

# exp(i turn / 2) of going straight on and of a quarter turn to the left and to the right, in quarters.
_PHASES = {0: 1.0, 1: np.exp(0.25j * np.pi), -1: np.exp(-0.25j * np.pi)}
# Largest difference in nats between two ways to factor the same matrix: what rounding may do to log Z.
LARGEST_ERROR = 1e-8


def planar_glass(generator, *, rows=28, columns=28, couplings="gaussian", scale=1.0):
    """An RBM of rows x columns spins, by the colours of a chessboard, with random couplings, and its log Z in nats.

    couplings: "gaussian", N(0, scale^2), or "signs", +-scale with equal odds. Raises ValueError naming the argument.
    """
    rows, columns = whole_number("rows", rows, minimum=2), whole_number("columns", columns, minimum=2)
    one_of("couplings", couplings, ("gaussian", "signs"))
    scale = positive_number("scale", scale)
    shapes = (rows, columns - 1), (rows - 1, columns)
    if couplings == "gaussian":
        return planar(*(scale * generator.standard_normal(shape) for shape in shapes))
    return planar(*(scale * generator.choice([-1.0, 1.0], shape) for shape in shapes))


def planar(horizontal, vertical):
    """The RBM of given couplings, those of `log_z_planar`, and its log Z in nats.

    At beta on the path from the uniform base it is the same model with beta times all couplings.
    """
    log_z = log_z_planar(horizontal, vertical)
    first, second, couplings, shape = _bonds(horizontal, vertical)
    return checkerboard(*shape, first, second, couplings), log_z - couplings.sum()


def log_z_planar(horizontal, vertical):
    """log Z in nats of spins on a free square lattice, log f = sum over bonds of K s s'.

    horizontal (rows, columns - 1), vertical (rows - 1, columns): K between neighbours; at least 2 x 2 spins.
    Z = 2^spins prod cosh K sqrt(det(1 - T)), T over directed bonds: from e to a bond e' that goes on where e ends, not
    back, tanh(K_e) exp(i turn / 2) (Kac & Ward 1952; Cimasoni 2010). Two sparse LUs: 40 x 40 spins take 0.1 s.
    Raises ValueError for shapes that do not match and couplings so strong that rounding would show.
    """
    first, second, couplings, (rows, columns) = _bonds(horizontal, vertical)
    log_cosh = np.abs(couplings) + np.log1p(np.exp(-2.0 * np.abs(couplings))) - np.log(2.0)
    log_root = 0.5 * _log_determinant(_without_turning_back(first, second, np.tanh(couplings)))
    return float(rows * columns * np.log(2.0) + log_cosh.sum() + log_root)


def _bonds(horizontal, vertical):
    """Squares that each bond joins (bond,) twice, couplings (bond,), and (rows, columns)."""
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
    """The sparse complex matrix 1 - T over directed bonds: all from first to second, then all from second to first."""
    # Imported where it is used, as it takes long.
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
    """log |det| of a sparse matrix, from it and its transpose; ValueError if the two differ by more than rounding."""
    from scipy.sparse.linalg import splu

    try:
        # One triangular factor has ones on its diagonal, and permutations do not change the size.
        logs = [np.log(np.abs(splu(each.tocsc()).U.diagonal())).sum() for each in (matrix, matrix.T)]
    except RuntimeError:
        logs = [0.0, np.inf]
    if not abs(logs[0] - logs[1]) <= LARGEST_ERROR:
        raise ValueError("couplings: too strong, the determinant that gives log Z is lost in rounding; scale them down")
    return logs[0]
