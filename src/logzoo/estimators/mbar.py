"""MBAR: the multistate Bennett acceptance ratio on thinned draws of simulated tempering.

Shirts & Chodera (2008), eq 11; Carlson et al. (2016), eq 18. Cost: the sweeps of RTS, then log f of the kept draws at
every rung (memory) and Newton steps of the order of draws times rungs squared.
"""

import logging
import warnings

import numpy as np
from scipy.special import logsumexp

from logzoo.checks import installed, whole_number
from logzoo.estimators.shared import reads
from logzoo.estimators.simulated_tempering import autocorrelation_time, estimate_of_draws, tempered
from logzoo.samplers.observers import ThinnedDraws
from logzoo.samplers.simulated_tempering import RUNGS

# Most log-densities (draws times rungs) that are worked on: a few arrays of 160 MB.
_MOST_NUMBERS = 20_000_000
# Nats by which log Z of a visited rung may move when the self-consistency equations are applied once more.
_RESIDUAL = 1e-6
# Tens suffice where rungs overlap; where they do not, thousands change nothing.
_ITERATIONS = 1000
# Steps of Newton's method where pymbar stops short of that, and the overlap of rungs, as a part of the largest, below
# which they are left where it put them: their ratio is lost in rounding.
_STEPS = 10
_NO_OVERLAP = 1e-10


@reads
def estimate(rbm, ledger, stream, *, draws=10_000, rungs=RUNGS, **options):
    """Estimate log Z by MBAR; options as in `logzoo.samplers.simulated_tempering.run`. Returns Estimate.

    draws: the most draws kept in all (one of each chain at least), from sweeps equally far apart; chains that need
    more sweeps than that to forget their rung are thinned to half of their autocorrelation time. The error is that of
    the infinitesimal jackknife over chains. Raises ValueError when draws times rungs are too many.
    """
    _pymbar()  # now, not when the sweeps are made
    observer = ThinnedDraws(whole_number("draws", draws))
    kept = min(max(observer.draws, ledger.chains), ledger.chains * ledger.sweeps)
    if kept * whole_number("rungs", rungs, minimum=2) > _MOST_NUMBERS:
        raise ValueError(
            f"draws: expected at most {_MOST_NUMBERS:,} log-densities, found {kept:,} draws at {rungs:,} rungs; "
            "lower draws or rungs"
        )
    draws, transitions = yield tempered(observer, rungs=rungs, **options)
    # Every so-many-th of the kept draws is used: half an autocorrelation time apart, at least one of each chain.
    autocorrelation = autocorrelation_time(draws.visits.sum(axis=0), draws.betas)
    step = int(np.clip(0.5 * autocorrelation / observer.stride, 1, observer.kept))
    rungs, values = observer.rungs[:, step - 1 :: step], observer.values[:, step - 1 :: step]
    order = np.argsort(rungs, axis=None, kind="stable")
    chain = np.repeat(np.arange(ledger.chains), rungs.shape[1])[order]
    rungs = rungs.ravel()[order]
    # einsum adds in the same order on every machine, a matrix product need not.
    log_f = np.einsum("nm,mk->nk", values.reshape(order.size, -1)[order], observer.readout)
    log_z = _solved(log_f, np.bincount(rungs, minlength=draws.betas.size), draws.log_z_hat)
    answers = np.bincount(chain, influence(log_f, rungs, log_z)[:, -1], ledger.chains)
    std_error = float(np.sqrt(np.sum(answers**2) * ledger.chains / (ledger.chains - 1)))
    total = float(draws.log_z_base + log_z[-1])
    return estimate_of_draws(draws, transitions, total, std_error, ledger.chains)


def log_ratios(log_f, counts, start):
    """log Z_k - log Z_1 (rung,) in nats at the MBAR solution, and standard errors (rung,) for independent draws.

    log_f: (draw, rung) log f of every draw at every rung, draws sorted by the rung they were drawn at; counts (rung,):
    how many at each, zeros allowed; start (rung,): a first guess of the ratios. Solved by pymbar; ValueError when the
    solution misses the self-consistency equations (Shirts & Chodera 2008, eq 11) or the sizes do not match.
    """
    log_f, counts = np.asarray(log_f, np.float64), np.asarray(counts)
    if log_f.ndim != 2 or counts.shape != (log_f.shape[1],) or counts.sum() != len(log_f) or np.any(counts < 0):
        raise ValueError(f"mbar: expected counts of {np.shape(log_f)} draws and rungs, found {counts.tolist()}")
    log_z = _solved(log_f, counts, np.asarray(start, np.float64))
    weights = influence(log_f, np.repeat(np.arange(counts.size), counts), log_z)
    return log_z, np.sqrt(np.sum(weights**2, axis=0))


def influence(log_f, rungs, log_z):
    """How log Z_k - log Z_1 at the solution answers to the weight of each draw: derivatives (draw, rung).

    log_f (draw, rung), rungs (draw,) that the draws were made at, log_z (rung,) the solution. The squares of its sums
    over independent parts of the draws sum to the variance (the infinitesimal jackknife; Efron 1982, ch. 6). A
    draw's weight counts twice: in the mixture of all draws and in the number drawn at its rung.
    """
    counts = np.bincount(rungs, minlength=log_z.size)
    visited = np.flatnonzero(counts)
    shares, p, information = _shares(log_f, counts, log_z)
    # da is the answer of a_j = log n_j - log Z_j to the weights.
    score = -p
    score[np.arange(len(p)), np.searchsorted(visited, rungs)] += 1.0
    answers = shares - score @ np.linalg.pinv(information, hermitian=True) @ (p.T @ shares)
    return answers - answers[:, :1]


def _shares(log_f, counts, log_z):
    """f_k / Z_k over the mixture (draw, rung), that times n_j for visited rungs j, and their information matrix.

    At the solution the second sums to n_j over draws. The information is that of a_j = log n_j - log Z_j.
    """
    visited = np.flatnonzero(counts)
    log_mixture = _log_mixture(log_f, counts, log_z)
    with np.errstate(under="ignore"):
        shares = np.exp(log_f - log_mixture[:, None] - log_z)
        p = shares[:, visited] * counts[visited]
    return shares, p, np.diag(p.sum(axis=0)) - p.T @ p


def _pymbar():
    # It warns at import that jax, which it does not need, is missing, and reports its iterations.
    logging.getLogger("pymbar").setLevel(logging.CRITICAL)
    return installed("pymbar", "mbar")


def _solved(log_f, counts, start):
    guess = -(start - start[0])
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        options = {"solver_protocol": "robust", "relative_tolerance": 1e-10, "maximum_iterations": _ITERATIONS}
        solution = _pymbar().MBAR(-log_f.T, counts, initial_f_k=guess, **options)
    log_z = -np.asarray(solution.f_k)
    log_z -= log_z[0]
    for step in range(_STEPS + 1):
        # Rungs without draws have their log Z from those with draws.
        again = logsumexp(log_f - _log_mixture(log_f, counts, log_z)[:, None], axis=0)
        again -= again[0]
        error = np.max(np.abs(again - log_z))
        if error < _RESIDUAL:
            return log_z
        if step == _STEPS or not np.isfinite(error):
            raise ValueError(f"mbar: its equations were not solved: log Z is off by {error:.2g} nats")
        log_z = _newton(log_f, counts, again)


def _newton(log_f, counts, log_z):
    """A step of Newton's method from log_z (rung,) towards the solution; rungs without draws stay."""
    visited = np.flatnonzero(counts)
    _, p, information = _shares(log_f, counts, log_z)
    inverse = np.linalg.pinv(information, rcond=_NO_OVERLAP, hermitian=True)
    moved = log_z.copy()
    moved[visited] -= inverse @ (counts[visited] - p.sum(axis=0))
    return moved - moved[0]


def _log_mixture(log_f, counts, log_z):
    """log sum_j n_j f_j(x) / Z_j (draw,)."""
    visited = counts > 0
    return logsumexp(log_f[:, visited] + (np.log(counts[visited]) - log_z[visited]), axis=1)
