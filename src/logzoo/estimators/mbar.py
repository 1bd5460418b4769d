"""MBAR: the multistate Bennett acceptance ratio on thinned draws of simulated tempering.

Shirts & Chodera (2008), eq 11; Carlson et al. (2016), eq 18. Cost: the sweeps of RTS, memory for log f of the kept
draws at every rung, and Newton steps. Their time grows linearly with draws and quadratically with rungs.
Below, n_j is the number of draws at rung j.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from logzoo.checks import whole_number
from logzoo.estimators.estimator import Draws
from logzoo.estimators.result import Estimate
from logzoo.estimators.tempering_estimates import autocorrelation_time, estimate_of_draws
from logzoo.samplers.observers import ThinnedDraws
from logzoo.types import Array, Floats

# A solution is accepted if the self-consistency equations change log Z by less than _RESIDUAL nats. Steps end at
# _ENOUGH nats. Tens of steps suffice if rungs overlap; otherwise thousands do not help.
_RESIDUAL, _ENOUGH = 1e-6, 1e-9
_STEPS = 100
# Newton steps skip directions whose curvature is below this share of the largest curvature. The ratio of Z of rungs
# without overlap is lost in rounding.
_NO_OVERLAP = 1e-10
# Smallest damping after a step uphill, relative to the largest curvature, and the factor by which the damping grows.
_LEAST_DAMPING, _MORE = 1e-5, 10.0
# Several threads of BLAS would add in another order, and at these sizes they mostly wait for each other.
_on_one_thread = threadpool_limits.wrap(limits=1, user_api="blas")


def thinned(*, draws: int = 10_000) -> ThinnedDraws:
    """Observer that keeps draws for MBAR: at most `draws` draws, but at least one draw of each chain.

    The draws come from equally spaced sweeps. At most 20 million draws times rungs are kept.
    """
    return ThinnedDraws(whole_number("draws", draws))


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by MBAR.

    The kept draws are thinned further if they are at most a quarter of an autocorrelation time apart. The error is the
    infinitesimal jackknife error over chains.
    """
    sample, observer, chains = draws.sample, draws.observed[thinned], draws.ledger.chains
    # Every `step`-th kept draw is used, but at least one draw of each chain.
    autocorrelation = autocorrelation_time(sample.visits.sum(axis=0), sample.betas)
    step = int(np.clip(0.5 * autocorrelation / observer.stride, 1, observer.kept))
    rungs, values = observer.rungs[:, step - 1 :: step], observer.values[:, step - 1 :: step]
    order = np.argsort(rungs, axis=None, kind="stable")
    chain = np.repeat(np.arange(chains), rungs.shape[1])[order]
    rungs = rungs.ravel()[order]
    # einsum adds in the same order on every machine; a matrix product may not.
    log_f = np.einsum("nm,mk->nk", values.reshape(order.size, -1)[order], observer.readout)
    log_z = log_ratios(log_f, np.bincount(rungs, minlength=sample.betas.size), sample.log_z_hat)
    answers = np.bincount(chain, influence(log_f, rungs, log_z)[:, -1], chains)
    std_error = float(np.sqrt(np.sum(answers**2) * chains / (chains - 1)))
    return estimate_of_draws(draws, float(sample.log_z_base + log_z[-1]), std_error, chains)


@_on_one_thread
def influence(log_f: Floats, rungs: Array, log_z: Floats) -> Floats:
    """Derivatives (draw, rung) of log Z_k - log Z_1 with respect to the weight of each draw, at the solution.

    log_f (draw, rung): log-densities. rungs (draw,): the rung at which each draw was made. log_z (rung,): the solution.
    The caller first sums the derivatives of dependent draws, such as the draws of one chain. The variance is the sum
    of squares (infinitesimal jackknife; Efron 1982, ch. 6).
    A draw's weight counts twice: in the mixture of all draws and in the number drawn at its rung.
    """
    counts = np.bincount(rungs, minlength=log_z.size)
    visited = np.flatnonzero(counts)
    with np.errstate(under="ignore"):
        # f_k / Z_k divided by the mixture density; each column sums to 1.
        shares = np.exp(log_f - _log_mixture(log_f, counts, log_z)[:, None] - log_z)
        p = shares[:, visited] * counts[visited]
    # The score of each draw: the derivative of its log-likelihood with respect to a_j = log n_j - log Z_j.
    score = -p
    score[np.arange(len(p)), np.searchsorted(visited, rungs)] += 1.0
    answers = shares - score @ np.linalg.pinv(_information(p), hermitian=True) @ (p.T @ shares)
    return answers - answers[:, :1]


def _information(p):
    """The information matrix of a_j = log n_j - log Z_j, from the shares p (draw, rung) of visited rungs."""
    return np.diag(p.sum(axis=0)) - p.T @ p


def _log_mixture(log_f, counts, log_z):
    """log sum_j n_j f_j(x) / Z_j (draw,)."""
    visited = counts > 0
    return logsumexp(log_f[:, visited] + (np.log(counts[visited]) - log_z[visited]), axis=1)


@_on_one_thread
def log_ratios(log_f: Floats, counts: Array, start: Floats) -> Floats:
    """Solve the self-consistency equations of MBAR; returns log Z_k - log Z_1 (rung,) in nats.

    log_f (draw, rung): log f of every draw at every rung; the draws are sorted by the rung at which they were drawn.
    counts (rung,): draws at each rung; zeros are allowed. start (rung,): a first guess. Raises ValueError if the steps
    from `start` do not reach the solution.
    """
    # The solution minimises the `height`, a convex function of a_j = log n_j - log Z_j. Newton steps that overshoot are
    # damped (Levenberg 1944). If no damping helps, the equations are applied once, which always lowers the height.
    visited = np.flatnonzero(counts)
    among, known = log_f[:, visited], counts[visited]
    at, damping = _place(among, known, start[visited]), 0.0
    for _ in range(_STEPS):
        if not at.error > _ENOUGH:
            break
        curvatures, directions = np.linalg.eigh(_information(at.p))
        slopes = (known - at.p.sum(axis=0)) @ directions
        flat = curvatures < _NO_OVERLAP * curvatures[-1]
        while damping < curvatures[-1]:
            steps = np.where(flat, 0.0, slopes / np.where(flat, 1.0, curvatures + damping))
            trial = _place(among, known, at.log_z - directions @ steps)
            if _is_lower(trial, at):
                break
            damping = max(_MORE * damping, _LEAST_DAMPING * curvatures[-1])
        else:
            trial = _place(among, known, at.again)
        if not _is_lower(trial, at):
            break
        at, damping = trial, damping / _MORE
    if not at.error < _RESIDUAL:
        raise ValueError(
            f"mbar: the equations were not solved: log Z still changes by {at.error:.2g} nats; "
            "more rungs or sweeps make rungs overlap"
        )
    # log Z of rungs without draws follows from the rungs with draws.
    log_z = np.zeros(counts.size)
    log_z[visited] = at.log_z
    log_z = logsumexp(log_f - _log_mixture(log_f, counts, log_z)[:, None], axis=0)
    return log_z - log_z[0]


class _Place(NamedTuple):
    """An iterate of the equations for the visited rungs.

    log_z (rung,): log Z. height: the function minimised. p (draw, rung): shares. again (rung,): log Z after the
    equations are applied once. error: the range of this change of log Z over the rungs, in nats.
    """

    log_z: np.ndarray
    height: float
    p: np.ndarray
    again: np.ndarray
    error: float


def _place(log_f, counts, log_z):
    a = np.log(counts) - log_z
    p = log_f + a
    top = p.max(axis=1, keepdims=True)
    with np.errstate(under="ignore"):
        p = np.exp(p - top)
        total = p.sum(axis=1, keepdims=True)
        p /= total
    height = float((top + np.log(total)).sum() - counts @ a)
    # `tiny` replaces the sum at a rung whose log Z is so far off that all its shares underflow.
    moves = np.log(np.maximum(p.sum(axis=0), np.finfo(np.float64).tiny) / counts)
    return _Place(log_z, height, p, log_z + moves, float(np.ptp(moves)))


def _is_lower(trial, start):
    """Whether a trial has a lower height or a smaller error. Close to the solution, heights agree up to rounding."""
    return trial.height < start.height or trial.error < start.error
