"""Parameters of the RBM that equals an Ising model or a deep Boltzmann machine.

The functions take and return arrays; `RBM` has a constructor for each conversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from logzoo.checks import finite_array, shown

if TYPE_CHECKING:
    from logzoo.types import Array, Floats


def two_layers(couplings: Any, field: Any) -> tuple[tuple[Floats, Floats, Floats], Array]:
    """Split an Ising model into two layers; return (couplings, visible field, hidden field) and the visible spins.

    log f(s) = sum over pairs i < j of J_ij s_i s_j + field.s. The couplings J (n, n) are a symmetric matrix or one
    triangle of it. A spin is hidden if its distance from the first spin of its connected component is odd. Without
    couplings, only the last spin is hidden. Raises ValueError for other arrays, and for a loop of odd length, which
    would have a coupling within a layer.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, dijkstra

    matrix = finite_array("couplings", couplings, dimensions=2)
    field = finite_array("field", field, dimensions=1)
    if matrix.shape != (field.size, field.size) or field.size < 2:
        expected = "a square matrix (n, n) and a field (n,) of at least 2 spins"
        raise ValueError(f"couplings: expected {expected}, found {matrix.shape} and {field.shape}")
    if matrix.diagonal().any():
        raise ValueError("couplings: expected zeros on the diagonal, as s_i s_i = 1 adds only a constant to log f")
    if np.array_equal(matrix, matrix.T):
        matrix = np.triu(matrix)
    elif np.logical_and(matrix, matrix.T).any():
        raise ValueError("couplings: expected a symmetric matrix or one triangle of it: pass (J + J.T) / 2")
    matrix = matrix + matrix.T
    graph = csr_array(matrix != 0)
    roots = np.unique(connected_components(graph, directed=False)[1], return_index=True)[1]
    hidden = dijkstra(graph, indices=roots, unweighted=True, min_only=True) % 2 == 1
    inside = np.argwhere(np.logical_and(matrix, hidden == hidden[:, None]))
    if inside.size:
        pair = f"spins {inside[0][0]} and {inside[0][1]} close a loop of odd length"
        raise ValueError(f"couplings: expected a bipartite model, whose spins form two layers; {pair}")
    if not hidden.any():
        hidden[-1] = True  # without couplings no spin is hidden, but an RBM needs both layers
    visible = np.flatnonzero(~hidden)
    return (matrix[np.ix_(visible, np.flatnonzero(hidden))], field[visible], field[hidden]), visible


def odd_against_even(layers: Sequence[Any]) -> tuple[Floats, Floats, Floats]:
    """Parameters of the RBM that equals a deep Boltzmann machine; arguments and errors as in `RBM.from_dbm`."""
    if not isinstance(layers, Sequence | np.ndarray):
        raise ValueError(f"layers: expected a list of arrays, found {shown(layers)}")
    arrays = [finite_array(f"layers[{i}]", array, dimensions=1 + i % 2) for i, array in enumerate(layers)]
    biases, weights = arrays[::2], arrays[1::2]
    if not weights or len(biases) != len(weights) + 1:
        expected = "biases and weights in turn from the visible layer up: [bias, weights, bias, ...]"
        raise ValueError(f"layers: expected {expected}, found {len(arrays)} arrays")
    blocks = [[np.zeros((low.size, high.size)) for high in biases[1::2]] for low in biases[::2]]
    for i, matrix in enumerate(weights):
        shape = (biases[i].size, biases[i + 1].size)
        if matrix.shape != shape:
            raise ValueError(
                f"layers[{2 * i + 1}]: expected shape {shape} of the biases next to it, found {matrix.shape}"
            )
        blocks[(i + 1) // 2][i // 2] = matrix.T if i % 2 else matrix
    return np.block(blocks), np.concatenate(biases[::2]), np.concatenate(biases[1::2])
