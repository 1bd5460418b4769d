"""Mixtures of Gaussians with one spherical covariance: continuous densities whose log Z is known."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from logzoo.checks import finite_array, positive_number, whole_number
from logzoo.types import ArrayLike, Floats, Generator
from replication.papers.rts.leapfrog import Mixture, log_f_many

# Smallest and largest number of points of the trapezoidal rule along the first axis, and its reach beyond all means in
# standard deviations.
_POINTS, _MOST_POINTS = 4001, 1_000_000
_REACH = 12.0


class PathMoments(NamedTuple):
    """Exact values along a tempered path f_k = f^beta_k p_1^(1 - beta_k), with p_1 the unnormalised base."""

    log_z: np.ndarray  # (rung,) log Z_k, nats
    mean: np.ndarray  # (rung,) E_k[Delta], Delta = log f - log p_1: the first derivative of log Z in beta
    variance: np.ndarray  # (rung,) Var_k[Delta]: the second derivative of log Z in beta


class GaussianMixture:
    """f(x) = sum_j w_j exp(-|x - m_j|^2 / (2 s^2)), unnormalised, so that Z = (2 pi s^2)^(d/2) sum_j w_j.

    weights (component,): the w_j, positive with any sum. means (component, d): the m_j. variance: s^2, the same for
    every coordinate. Raises ValueError for anything else. A single component at the origin serves as a base.
    """

    def __init__(self, weights: ArrayLike, means: ArrayLike, variance: float) -> None:
        self.weights = finite_array("weights", weights, dimensions=1)
        self.means = finite_array("means", means, dimensions=2)
        self.variance = positive_number("variance", variance)
        if np.any(self.weights <= 0.0):
            raise ValueError("weights: expected positive numbers only")
        if len(self.means) != self.weights.size:
            raise ValueError(f"means: expected {self.weights.size} rows, one per weight, found {len(self.means)}")

    @classmethod
    def pair(cls, dimension: int, separation: float, variance: float) -> "GaussianMixture":
        """Two equal components at -separation / 2 and separation / 2 on the first coordinate axis."""
        means = np.zeros((2, whole_number("dimension", dimension)))
        means[:, 0] = (-0.5 * separation, 0.5 * separation)
        return cls((0.5, 0.5), means, variance)

    @classmethod
    def centred(cls, dimension: int, variance: float) -> "GaussianMixture":
        """One component of weight 1 at the origin."""
        return cls((1.0,), np.zeros((1, whole_number("dimension", dimension))), variance)

    @property
    def dimension(self) -> int:
        """Number of coordinates of x."""
        return self.means.shape[1]

    @property
    def parameters(self) -> Mixture:
        """The mixture in the form that the sampling kernels take."""
        return Mixture(np.log(self.weights), self.means, 1.0 / self.variance)

    @property
    def log_z(self) -> float:
        """Exact log Z of f in nats."""
        return float(0.5 * self.dimension * np.log(2.0 * np.pi * self.variance) + np.log(self.weights.sum()))

    def log_f(self, x: ArrayLike) -> Floats:
        """log f (point,) in nats at the points x (point, dimension)."""
        return self._evaluate(x)[0]

    def gradient(self, x: ArrayLike) -> Floats:
        """Gradient (point, dimension) of log f at the points x (point, dimension)."""
        return self._evaluate(x)[1]

    def draw(self, generator: Generator, count: int) -> Floats:
        """Exact independent draws (count, dimension) from f / Z."""
        component = generator.choice(self.weights.size, size=count, p=self.weights / self.weights.sum())
        noise = generator.standard_normal((count, self.dimension))
        return self.means[component] + np.sqrt(self.variance) * noise

    def _evaluate(self, x):
        x = finite_array("x", x, dimensions=2)
        if x.shape[1] != self.dimension:
            raise ValueError(f"x: expected {self.dimension} columns (dimension), found {x.shape[1]}")
        return log_f_many(self.parameters, x)


def path_moments(target: GaussianMixture, base: GaussianMixture, betas: ArrayLike) -> PathMoments:
    """Exact PathMoments at inverse temperatures betas (rung,), for means on the first axis and a base at the origin.

    The first coordinate is integrated by the trapezoidal rule, which is exact to rounding for such smooth, fast-falling
    functions (Trefethen & Weideman 2014) if the step is at most half of the smaller standard deviation. The other
    coordinates are independent and Gaussian. Raises ValueError for other mixtures and for more than 1,000,000 points.
    """
    if np.any(target.means[:, 1:]) or np.any(base.means) or target.dimension != base.dimension:
        raise ValueError("means: expected means on the first axis, and a base at the origin")
    betas = finite_array("betas", betas, dimensions=1)[:, None]
    reach = np.max(np.abs(target.means)) + _REACH * np.sqrt(max(target.variance, base.variance))
    points = 1.0 + np.ceil(4.0 * reach / np.sqrt(min(target.variance, base.variance)))
    if points > _MOST_POINTS:
        raise ValueError(f"variance: the integral takes {points:.2g} points, expected at most {_MOST_POINTS:,}")
    x = np.linspace(-reach, reach, max(_POINTS, int(points)))
    exponents = -((x - target.means[:, :1]) ** 2) / (2.0 * target.variance)
    at_target = logsumexp(exponents + np.log(target.weights)[:, None], axis=0)
    at_base = np.log(base.weights.sum()) - x**2 / (2.0 * base.variance)
    log_f = betas * at_target + (1.0 - betas) * at_base
    log_z = logsumexp(log_f, axis=1, keepdims=True) + np.log(x[1] - x[0])
    p = np.exp(log_f - log_z) * (x[1] - x[0])
    delta = at_target - at_base
    mean = p @ delta
    variance = p @ delta**2 - mean**2
    others = target.dimension - 1
    precision = (betas / target.variance + (1.0 - betas) / base.variance)[:, 0]
    slope = 0.5 / base.variance - 0.5 / target.variance
    return PathMoments(
        log_z[:, 0] + 0.5 * others * np.log(2.0 * np.pi / precision),
        mean + others * slope / precision,
        variance + 2.0 * others * (slope / precision) ** 2,
    )
