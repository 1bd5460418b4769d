"""Mixtures of Gaussians with one spherical covariance: continuous densities whose log Z is known."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from logzoo.types import ArrayLike, Floats, Generator
from replication.papers.rts.leapfrog import Mixture, log_f_many

# Number of points of the trapezoidal rule along the first axis, and its reach beyond all means in standard deviations.
_POINTS, _REACH = 4001, 12.0


class PathMoments(NamedTuple):
    """Exact values along a tempered path f_k = f^beta_k p_1^(1 - beta_k), with p_1 the unnormalised base."""

    log_z: np.ndarray  # (rung,) log Z_k, nats
    mean: np.ndarray  # (rung,) E_k[Delta], Delta = log f - log p_1: the first derivative of log Z in beta
    variance: np.ndarray  # (rung,) Var_k[Delta]: the second derivative of log Z in beta


class GaussianMixture:
    """f(x) = sum_j w_j exp(-|x - m_j|^2 / (2 s^2)), unnormalised, so that Z = (2 pi s^2)^(d/2) sum_j w_j.

    weights (component,): the w_j, positive with any sum. means (component, d): the m_j. variance: s^2, the same for
    every coordinate. A single component at the origin serves as a base.
    """

    def __init__(self, weights: ArrayLike, means: ArrayLike, variance: float) -> None:
        self.weights, self.means = np.asarray(weights, np.float64), np.asarray(means, np.float64)
        self.variance = variance

    @classmethod
    def pair(cls, dimension: int, separation: float, variance: float) -> "GaussianMixture":
        """Two equal components at -separation / 2 and separation / 2 on the first coordinate axis."""
        means = np.zeros((2, dimension))
        means[:, 0] = (-0.5 * separation, 0.5 * separation)
        return cls((0.5, 0.5), means, variance)

    @classmethod
    def centred(cls, dimension: int, variance: float) -> "GaussianMixture":
        """One component of weight 1 at the origin."""
        return cls((1.0,), np.zeros((1, dimension)), variance)

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

    def log_f(self, x: Floats) -> Floats:
        """log f (point,) in nats at the points x (point, dimension)."""
        return log_f_many(self.parameters, x)[0]

    def gradient(self, x: Floats) -> Floats:
        """Gradient (point, dimension) of log f at the points x (point, dimension)."""
        return log_f_many(self.parameters, x)[1]

    def draw(self, generator: Generator, count: int) -> Floats:
        """Exact independent draws (count, dimension) from f / Z."""
        component = generator.choice(self.weights.size, size=count, p=self.weights / self.weights.sum())
        noise = generator.standard_normal((count, self.dimension))
        return self.means[component] + np.sqrt(self.variance) * noise


def path_moments(target: GaussianMixture, base: GaussianMixture, betas: ArrayLike) -> PathMoments:
    """Exact PathMoments at inverse temperatures betas (rung,), for means on the first axis and a base at the origin.

    The first coordinate is integrated by the trapezoidal rule, which is exact to rounding for such smooth, fast-falling
    functions (Trefethen & Weideman 2014) if the step is at most half of the smaller standard deviation. For the
    published mixture it is a twentieth. The other coordinates are independent and Gaussian.
    """
    betas = np.asarray(betas, np.float64)[:, None]
    reach = np.max(np.abs(target.means)) + _REACH * np.sqrt(max(target.variance, base.variance))
    x = np.linspace(-reach, reach, _POINTS)
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
