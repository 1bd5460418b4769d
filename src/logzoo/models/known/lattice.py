"""Ising spins on a board as an RBM: white squares are visible, black ones hidden."""

import numpy as np

from logzoo.models.rbm import RBM


def checkerboard(rows, columns, first, second, couplings):
    """The RBM of spins s = 2 x - 1 with log f = sum over bonds of K s s', without field.

    first, second (bond,): numbers row * columns + column of the squares that a bond joins, of different colours;
    couplings K (bond,). A bond is 4 K x x' - 2 K x - 2 K x' + K: log Z of the RBM is that of the spins less sum K.
    """
    hidden = np.indices((rows, columns)).sum(axis=0).ravel() % 2
    # Number of each square within its layer.
    unit = np.where(hidden, np.cumsum(hidden), np.cumsum(1 - hidden)) - 1
    white = np.where(hidden[first], second, first)
    weights = np.zeros((hidden.size - hidden.sum(), hidden.sum()))
    # On a torus of side 2 two bonds join the same squares.
    np.add.at(weights, (unit[white], unit[first + second - white]), 4.0 * couplings)
    return RBM(weights, -0.5 * weights.sum(axis=1), -0.5 * weights.sum(axis=0))
