"""A Kalman filter over a ladder, its observations, and the step of Rao-Blackwellized tempered sampling (RTS).

Legend: the state x (n,) is log Z at rungs 2 to M in nats, then the bias of the change at rung M. So n = M. P (n, n) is
its covariance. H (n - 1, n) takes differences of neighbouring rungs: (H x)_0 = x_0, (H x)_i = x_i - x_{i-1}. The loops
over ten or twenty rows are compiled, because forty NumPy calls would take as long as a training update.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from logzoo.kernels.cache import kernel, part
from logzoo.kernels.elementary import exponentiate, softplus

if TYPE_CHECKING:
    from logzoo.types import Array


# Smallest variance of an observation, in nats^2. If all particles have equal weights, the estimated variance is 0, but
# rounding errors remain.
SMALLEST_VARIANCE = 1e-10


@part
def _log_mean(weights: Array, deviation: Array) -> tuple[float, float]:
    """Log of the mean of exp(weights) (ladders x sweeps,), and its variance by the delta method; overwrites `weights`.

    Only ladders are independent, so the variance is that of their means. Sets deviation (ladders,) to the deviations of
    these means from the mean, relative to the mean.
    """
    ladders = deviation.size
    largest, total = exponentiate(weights)
    mean, sweeps, square = total / weights.size, weights.size // ladders, 0.0
    for ladder in range(ladders):
        of_ladder = 0.0
        for sweep in range(sweeps):
            of_ladder += weights[ladder * sweeps + sweep]
        square += (of_ladder / sweeps - mean) ** 2
        deviation[ladder] = of_ladder / (sweeps * mean) - 1.0
    variance = square / ((ladders - 1) * ladders * mean**2) if ladders > 1 else np.inf
    return largest + math.log(mean), max(variance, SMALLEST_VARIANCE)


@kernel
def importance_sampling(log_f_before: Array, log_f_after: Array) -> tuple[Array, Array]:
    """Change of log Z (rung,) in an update, and its variance (rung,): Desjardins et al. (2011), eq 3.

    The change is the log of the mean of f_after(x) / f_before(x) over fixed states x. log_f_before, log_f_after (rung,
    particle) in nats.
    """
    rungs, count = log_f_before.shape
    change, variance, weights, deviation = np.empty(rungs), np.empty(rungs), np.empty(count), np.empty(count)
    for k in range(rungs):
        for m in range(count):
            weights[m] = log_f_after[k, m] - log_f_before[k, m]
        change[k], variance[k] = _log_mean(weights, deviation)
    return change, variance


@kernel
def bridge_sampling(up: Array, down: Array, log_ratio: Array, ladders: int) -> tuple[Array, Array, float]:
    """Observed log Z_{i+1} - log Z_i (pair,) by one step of Bennett (1976), eq 8; its variance, and that of the sum.

    log_ratio (pair,) is an earlier estimate. up, down (ladders x sweeps, pair): log f_{i+1} - log f_i at the states of
    rung i and of rung i + 1, in all sweeps of the first ladder, then of the next. Differences on both sides of a rung
    are correlated, because they share its states. States of different rungs count as independent.
    """
    count, pairs = up.shape
    differences, variance, weights = np.empty(pairs), np.empty(pairs), np.empty(count)
    upper, lower, square = np.empty(ladders), np.zeros(ladders), 0.0
    for i in range(pairs):
        for m in range(count):
            weights[m] = -softplus(log_ratio[i] - up[m, i])
        above, noise_above = _log_mean(weights, upper)
        for m in range(ladders):
            square += (upper[m] - lower[m]) ** 2
        for m in range(count):
            weights[m] = -softplus(down[m, i] - log_ratio[i])
        below, noise_below = _log_mean(weights, lower)
        differences[i] = log_ratio[i] + above - below
        variance[i] = noise_above + noise_below
    for m in range(ladders):
        square += lower[m] ** 2
    return differences, variance, max(square / (ladders * (ladders - 1)), SMALLEST_VARIANCE)


@kernel
def predicted(x: Array, p: Array, change: Array, variance: Array, bias_variance: float) -> tuple[Array, Array]:
    """Return x and P after an observed `change` (M,) of log Z with its `variance` (M,); both include the first rung.

    The observed change at the last rung includes the bias, a random walk with steps of variance bias_variance.
    """
    n = x.size
    mean, covariance = x.copy(), p.copy()
    mean[n - 2] -= x[n - 1]
    for i in range(n - 1):
        mean[i] += change[i + 1]
    # The covariance becomes A P A', where A is the identity with -1 in the entry (n - 2, n - 1).
    for i in range(n):
        covariance[n - 2, i] -= p[n - 1, i]
    for i in range(n):
        covariance[i, n - 2] -= covariance[i, n - 1]
    for i in range(n - 1):
        covariance[i, i] += variance[i + 1]
    # The random step of the bias also affects the last rung.
    covariance[n - 1, n - 1] += bias_variance
    covariance[n - 2, n - 2] += bias_variance
    covariance[n - 2, n - 1] -= bias_variance
    covariance[n - 1, n - 2] -= bias_variance
    return mean, covariance


@kernel
def updated(x: Array, p: Array, log_z_base: float, differences: Array, variance: Array) -> tuple[Array, Array]:
    """Return x and P after the observation `differences` (n - 1,) of H x with its `variance` (n - 1,).

    log_z_base, log Z of the first rung in nats, is added to the first difference. With R = diag(variance), the gain K
    solves (H P H' + R) K' = H P by Cholesky factorisation. P becomes (1 - K H) P (1 - K H)' + K R K' (Joseph's form),
    which stays positive semidefinite.
    """
    n, pairs = x.size, x.size - 1
    crossed, root, residual = np.empty((pairs, n)), np.zeros((pairs, pairs)), np.empty(pairs)
    for i in range(pairs):
        for j in range(n):
            crossed[i, j] = p[i, j] - (p[i - 1, j] if i else 0.0)
        residual[i] = differences[i] + (log_z_base if i == 0 else 0.0) - x[i] + (x[i - 1] if i else 0.0)
    for i in range(pairs):
        for j in range(i + 1):
            value = crossed[i, j] - (crossed[i, j - 1] if j else 0.0)
            for k in range(j):
                value -= root[i, k] * root[j, k]
            if i == j:
                # Only rounding errors can make a pivot smaller than the variance.
                root[i, i] = math.sqrt(max(value + variance[i], variance[i]))
            else:
                root[i, j] = value / root[j, j]
    gain = _solved(root, crossed)
    retained = np.eye(n)
    mean = x.copy()
    for i in range(n):
        for j in range(pairs):
            mean[i] += gain[j, i] * residual[j]
            retained[i, j] -= gain[j, i] - (gain[j + 1, i] if j + 1 < pairs else 0.0)
    return mean, _joseph(retained, p, gain, variance)


@njit(inline="always")
def _solved(root: Array, right: Array) -> Array:
    """The solution X of L L' X = right (rows, columns), where L is the lower triangular `root`."""
    x = right.copy()
    rows, columns = x.shape
    for i in range(rows):
        for k in range(i):
            for j in range(columns):
                x[i, j] -= root[i, k] * x[k, j]
        for j in range(columns):
            x[i, j] /= root[i, i]
    for i in range(rows - 1, -1, -1):
        for k in range(i + 1, rows):
            for j in range(columns):
                x[i, j] -= root[k, i] * x[k, j]
        for j in range(columns):
            x[i, j] /= root[i, i]
    return x


@njit(inline="always")
def _joseph(retained: Array, p: Array, gain: Array, variance: Array) -> Array:
    """retained P retained' + K diag(variance) K', exactly symmetric, where K' is `gain` (pair, n)."""
    n = p.shape[0]
    half, covariance = np.zeros((n, n)), np.empty((n, n))
    for i in range(n):
        for k in range(n):
            for j in range(n):
                half[i, j] += retained[i, k] * p[k, j]
    for i in range(n):
        for j in range(i + 1):
            value = 0.0
            for k in range(n):
                value += half[i, k] * retained[j, k]
            for k in range(variance.size):
                value += gain[k, i] * variance[k] * gain[k, j]
            covariance[i, j] = covariance[j, i] = value
    return covariance


@kernel
def mean_by_ladder(log_f: Array, log_z_hat: Array, occupancy: Array, overlaps: Array) -> None:
    """Set occupancy (ladder, rung) to the mean of q(beta_k | x) over each ladder's chains.

    q(beta_k | x) is proportional to f_k(x) / Zhat_k. log_f (ladder, chain, rung) in nats. Also set overlaps
    (rung, rung) to the mean of q(beta_j | x) q(beta_k | x) over all chains.
    """
    ladders, chains, rungs = log_f.shape
    q = np.empty(rungs)
    occupancy[:] = 0.0
    overlaps[:] = 0.0
    for ladder in range(ladders):
        for chain in range(chains):
            for k in range(rungs):
                q[k] = log_f[ladder, chain, k] - log_z_hat[k]
            _, total = exponentiate(q)
            for k in range(rungs):
                q[k] /= total
                occupancy[ladder, k] += q[k] / chains
            for j in range(rungs):
                for k in range(rungs):
                    overlaps[j, k] += q[j] * q[k] / (ladders * chains)


@kernel
def step_by_occupancy(
    occupancy: Array, overlaps: Array, prior: Array, alpha: float, floor: float, log_z_hat: Array, influence: Array
) -> float:
    """Add alpha times the step of RTS, log(c_k / r_k) - log(c_1 / r_1), to log_z_hat (rung,), in nats.

    c is the mean of occupancy (part, rung) over independent parts, at least `floor`; r is the prior. influence
    (part, rung): the sum of the steps that each part has caused. If a step raises log Zhat_k, c_k falls by the same
    share. If the parts are ladders, whose chains do not follow log Zhat, every c_k also rises by the share
    overlaps_jk / c_k of the step at rung j; otherwise `overlaps` has size 0. Returns the largest absolute r_k - c_k.
    """
    parts, rungs = occupancy.shape
    mean, change = np.empty(rungs), np.empty(rungs)
    error = 0.0
    for k in range(rungs):
        total = 0.0
        for number in range(parts):
            total += occupancy[number, k]
        mean[k] = max(total / parts, floor)
        error = max(error, abs(prior[k] - mean[k]))
        log_z_hat[k] += alpha * (math.log(prior[0] / prior[k]) + math.log(mean[k]) - math.log(mean[0]))
    for number in range(parts):
        row = influence[number]
        for k in range(rungs):
            change[k] = occupancy[number, k] / mean[k] - row[k]
            for j in range(len(overlaps)):
                change[k] += row[j] * overlaps[j, k] / mean[k]
        for k in range(rungs):
            row[k] += alpha * (change[k] - change[0])
    return error
