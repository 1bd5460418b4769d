"""Steps of gradient ascent: plain, RMSprop and RMSspectral; a step adds to the parameters in place.

Parameters and gradients are NamedTuples of float32 arrays: weights (V, H), visible_bias (V,), hidden_bias (H,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from logzoo.checks import positive_number, share, whole_number
from logzoo.io.checkpoints import Resumed
from logzoo.kernels.gradients import add_multiple

if TYPE_CHECKING:
    from typing import Any

    from logzoo.training.loop import Values


# Rounding of a float32 gradient relative to its largest singular value: smaller singular values are noise.
_ROUNDING = 2e-6
_OVERSAMPLING = 10  # columns of a randomised basis beyond its rank
# With fewer iterations the singular value estimated for the remainder is too small, so the step is too long.
_POWER_ITERATIONS = 3


class Ascent(Resumed):
    """Plain stochastic gradient ascent: values += rate * gradient.

    weight_decay: the weights (not the biases) are first multiplied by 1 - rate * weight_decay.
    """

    def __init__(self, weight_decay: float = 0.0) -> None:
        self.weight_decay = share("weight_decay", weight_decay)

    def __call__(self, values: Values, gradient: Values, rate: float) -> float:
        """Change `values` in place by one step; returns the largest |parameter|, or NaN if any is NaN."""
        directions = self._directions(gradient)
        if self.weight_decay:
            values.weights[...] *= np.float32(1.0 - rate * self.weight_decay)
        pairs = zip(values, directions, strict=True)
        sizes = [add_multiple(array.reshape(-1), np.float32(rate), direction.reshape(-1)) for array, direction in pairs]
        return np.max(sizes)

    def _directions(self, gradient: Values) -> Any:
        return gradient


class RMSprop(Ascent):
    """RMSprop (Tieleman & Hinton 2012): values += rate * G / D, D = epsilon + sqrt(M), elementwise.

    M is a weighted mean of G * G over the gradients G so far. A gradient has `decay` times the weight of the next
    gradient (Kingma & Ba 2015, section 3). The first M is therefore G * G. An M that starts at 0 would make the first
    step 1 / sqrt(1 - decay) times as long.
    """

    _kept = ("updates", "weights", "visible_bias", "hidden_bias")

    def __init__(self, decay: float, epsilon: float, weight_decay: float = 0.0) -> None:
        super().__init__(weight_decay)
        self.decay = share("decay", decay)
        self.epsilon = positive_number("epsilon", epsilon)
        self.updates = 0
        self.weights = self.visible_bias = self.hidden_bias = 0.0  # M of each array

    def _directions(self, gradient: Values) -> Any:
        self.updates += 1
        new = (1.0 - self.decay) / (1.0 - self.decay**self.updates)
        before = self.weights, self.visible_bias, self.hidden_bias
        squares = [(1.0 - new) * m + new * slope * slope for m, slope in zip(before, gradient, strict=True)]
        self.weights, self.visible_bias, self.hidden_bias = squares
        weights, *biases = zip(gradient, [self.epsilon + np.sqrt(square) for square in squares], strict=True)
        return [self._direction_of_weights(*weights), *(slope / scale for slope, scale in biases)]

    def _direction_of_weights(self, slope: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return slope / scale


class RMSspectral(RMSprop):
    """RMSspectral (Carlson, Collins, Hsieh, Carin & Cevher 2015): weights += rate * sharp(G / sqrt(D)) / sqrt(D).

    G, D and the steps of biases are as in RMSprop. rank: None for the exact `sharp`, or the rank of `sharp_of_rank`,
    which is faster but gives a different step and needs another rate. At rank 30, for RBMs of 180x500 and 784x500,
    this step had 0.14 to 0.7 of the exact length. The cosine between the two steps was 0.5 to 0.9.
    """

    def __init__(self, decay: float, epsilon: float, rank: int | None = None, weight_decay: float = 0.0) -> None:
        super().__init__(decay, epsilon, weight_decay)
        self.rank = None if rank is None else whole_number("rank", rank)
        # BLAS is limited to one thread, because several threads sum in a varying order.
        self._blas = ThreadpoolController()

    def _direction_of_weights(self, slope: np.ndarray, scale: np.ndarray) -> np.ndarray:
        root = np.sqrt(scale)
        scaled = slope / root
        with self._blas.limit(limits=1, user_api="blas"):
            return (sharp(scaled) if self.rank is None else sharp_of_rank(scaled, self.rank)) / root


def sharp(matrix: np.ndarray) -> np.ndarray:
    """(sum S) U V' of the SVD U S V' of a float32 matrix: the steepest ascent in the spectral norm (Carlson et al.).

    The eigenvectors of the smaller Gram matrix in float64 give the result of an SVD in float64 up to float32 rounding,
    in half the time. Singular values below the rounding of a float32 gradient count as 0.
    """
    if matrix.shape[0] > matrix.shape[1]:
        return sharp(matrix.T).T
    wide = matrix.astype(np.float64)
    sizes, axes = _left_factors(wide)
    half = axes / np.sqrt(sizes)
    return ((sizes.sum() * (half @ half.T)) @ wide).astype(np.float32)


def sharp_of_rank(matrix: np.ndarray, rank: int) -> np.ndarray:
    """T (U V' + R / s), with the SVD U S V' truncated to `rank`, the remainder R, and T = sum S + s.

    s is the spectral norm of R. The result is computed by randomised subspace iteration (Halko, Martinsson & Tropp
    2011, algorithm 4.4). The test matrix depends only on the shape and `rank`. If the shorter side of the matrix
    exceeds `rank` by at most ten, the result is `sharp(matrix)`. s is estimated by the next singular value within the
    basis. The estimate is a few per cent too small if singular values fall slowly.
    """
    if matrix.shape[0] < matrix.shape[1]:
        return sharp_of_rank(matrix.T, rank).T
    columns = rank + _OVERSAMPLING
    if columns >= matrix.shape[1]:
        return sharp(matrix)
    from scipy.linalg import qr  # takes long to import, and most trainings do not need it

    generator = np.random.Generator(np.random.Philox(key=0))
    basis = matrix @ generator.standard_normal((matrix.shape[1], columns), dtype=np.float32)
    for _ in range(_POWER_ITERATIONS):
        basis = matrix @ (matrix.T @ qr(basis, mode="economic")[0])
    basis = qr(basis, mode="economic")[0]
    sizes, axes = _left_factors((basis.T @ matrix).astype(np.float64))
    top, remainder = sizes[-rank:], sizes[-rank - 1 : -rank].sum()
    inverse = 1.0 / remainder if remainder else 0.0  # a matrix of lower rank has no remainder
    left = basis @ axes[:, -rank:].astype(np.float32)
    # R = matrix - left @ (left.T @ matrix), and left.T @ matrix is S V'.
    polar = (left * (1.0 / top - inverse).astype(np.float32)) @ (left.T @ matrix) + np.float32(inverse) * matrix
    return np.float32(top.sum() + remainder) * polar


def _left_factors(wide: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values above rounding, ascending (r,), and their left vectors (rows, r), of a wide float64 matrix."""
    squares, axes = np.linalg.eigh(wide @ wide.T)
    sizes = np.sqrt(np.maximum(squares, 0.0))
    above = sizes > _ROUNDING * sizes[-1]
    return sizes[above], axes[:, above]
