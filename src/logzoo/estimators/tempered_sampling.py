"""RTS and TS: tempered sampling with Rao-Blackwellized occupancies or with visit counts.

RTS (Carlson et al. 2016, eqs 9 and 12): log Z = log Z_1 + log Zhat_K + log(r_1 / r_K) + log(c_K / c_1). Zhat_k is the
sampler's guess of Z_k / Z_1, r the prior of the K rungs and c_k the mean of q(beta_k | x) over sweeps and chains. TS
(sections 2.2 and 4.3) uses visit counts in place of q, with 0.1 added to every count. Cost of a sweep: one Gibbs
sweep, and for the form "marginal" log f at 12 to 128 interpolation nodes. If log Zhat changed between blocks of draws,
log Z maximises a likelihood (supplement A): L = sum_k C_k log Z_k - sum_b N_b log sum_k r_k Z_k / Zhat_bk. C_bk is the
sum of q(beta_k | x) over block b, C_k its sum over blocks and N_b its sum over rungs. L is concave in log Z.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import flag
from logzoo.estimators import tempering_estimates
from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import jackknife_error, sums_left_out
from logzoo.estimators.result import Estimate
from logzoo.estimators.tempering_estimates import FLOOR, end_ratio, estimate_of_draws, from_sums
from logzoo.models.rbm import RBM
from logzoo.samplers.tempering_chains import COUNT_FLOOR
from logzoo.samplers.tempering_runs import SimulatedTemperingDraws
from logzoo.streams import Stream
from logzoo.types import Floats

# Largest number of groups of chains for the jackknife of the likelihood, which takes an optimisation for each group.
_MOST_GROUPS = 20
# Smallest number of visits of an end rung. With fewer visits, the spread between chains understates the error. On eight
# small RBMs, 15 of 422 converged estimates with 4 chains were silently wrong, all with fewer than ten visits.
_FEWEST_VISITS = 10


def run(
    rbm: RBM, ledger: SweepLedger, stream: Stream, observers: Sequence[Any], *, mixed: bool = False, **settings: Any
) -> SimulatedTemperingDraws:
    """SimulatedTemperingDraws as by `tempering_estimates.run`; `mixed` also updates log Zhat between the blocks."""
    return tempering_estimates.run(rbm, ledger, stream, observers, mixed=flag("mixed", mixed), **settings)


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` by RTS; with `mixed`, log Z maximises the likelihood of all blocks (supplement A)."""
    if draws.settings.get("mixed"):
        log_z, left_out = _by_likelihood(draws.sample)
        return estimate_of_draws(draws, log_z, jackknife_error(left_out), left_out.size)
    ends = draws.sample.occupancy.sum(axis=0)[:, [0, -1]]
    bias, std_error = delta_method(ends)
    delta = {"delta_bias": bias, "delta_std_error": std_error}
    return from_sums(draws, ends, partial(end_ratio, draws.sample), **delta)


def delta_method(ends: Floats) -> tuple[float, float]:
    """(bias, standard error) of log Z in nats by eqs 25 and 26, from sums (chain, 2) of q at the two end rungs."""
    relative = ends / np.maximum(ends.mean(axis=0), FLOOR)
    covariance = np.cov(relative, rowvar=False) / len(ends)
    first, last, both = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    return float(0.5 * (first - last)), float(np.sqrt(max(first + last - 2.0 * both, 0.0)))


def _by_likelihood(draws):
    """log Z of a mixed run, and its leave-one-out values (group,) over groups of chains."""
    blocks, chains, rungs = draws.occupancy.shape
    sums = np.zeros((min(chains, _MOST_GROUPS), blocks, rungs))
    np.add.at(sums, np.arange(chains) % len(sums), np.moveaxis(draws.occupancy, 1, 0))
    total = maximise(draws.prior, draws.log_z_hats, sums.sum(axis=0))
    left_out = [maximise(draws.prior, draws.log_z_hats, remaining, total)[-1] for remaining in sums_left_out(sums)]
    return float(draws.log_z_base + total[-1]), draws.log_z_base + np.array(left_out)


def run_by_counts(
    rbm: RBM, ledger: SweepLedger, stream: Stream, observers: Sequence[Any], **settings: Any
) -> SimulatedTemperingDraws:
    """SimulatedTemperingDraws as for RTS, but with log Zhat from visit counts."""
    return tempering_estimates.run(rbm, ledger, stream, observers, rao_blackwell=False, **settings)


def read_visits(draws: Draws) -> Estimate:
    """The Estimate by TS of `Draws` whose sample comes from `run_by_counts`.

    It is converged if it passes the checks of RTS and both ends of the ladder have at least ten visits.
    """
    ends = draws.sample.visits.sum(axis=0)[:, [0, -1]]
    # The floor is 0.1 per rung in total: each chain carries its share, so leaving a chain out hardly changes the floor.
    estimate = from_sums(draws, ends + COUNT_FLOOR / draws.ledger.chains, partial(end_ratio, draws.sample))
    few = ends.sum(axis=0).min() < _FEWEST_VISITS
    return replace(estimate, reasons=(*estimate.reasons, "few-effective")) if few else estimate


# Fixed-point steps before Newton's method: they bring rungs with few draws into its range of convergence.
_FIRST_STEPS = 20
# Plain Newton steps begin at a gradient per draw below _NEAR and end below _GRADIENT. A final gradient
# below 1000 _GRADIENT is accepted.
_GRADIENT = 1e-12
_NEAR = 1e-5
_MOST_NEWTON_STEPS = 10


def likelihood(log_z: Floats, prior: Floats, log_z_hats: Floats, occupancy: Floats) -> tuple[float, Floats, Floats]:
    """Return L / N at log_z (rung,), its gradient (rung,) and its Hessian (rung, rung). N is the number of draws.

    prior (rung,): r. log_z_hats (block, rung): log Zhat of each block. occupancy (block, rung): the sums C_bk.
    """
    share = occupancy.sum(axis=1) / occupancy.sum()
    log_terms = np.log(prior) - log_z_hats + log_z
    log_norms = np.logaddexp.reduce(log_terms, axis=1)
    p = np.exp(log_terms - log_norms[:, None])
    c = occupancy.sum(axis=0) / occupancy.sum()
    mean = share @ p
    return c @ log_z - share @ log_norms, c - mean, (p.T * share) @ p - np.diag(mean)


def maximise(prior: Floats, log_z_hats: Floats, occupancy: Floats, start: Floats | None = None) -> Floats:
    """log Z_k - log Z_1 (rung,) in nats where the likelihood is largest; arguments as in `likelihood`.

    start (rung,): a first guess; by default eq 12 averaged over blocks. With one block, eq 12 gives the maximum. Raises
    ValueError if the maximum is not reached.
    """
    case = (prior, log_z_hats, occupancy)
    if start is None:
        log_c = np.log(np.maximum(occupancy, FLOOR)) - np.log(prior)
        by_block = log_z_hats + log_c - (log_z_hats + log_c)[:, :1]
        log_z = _fixed_point(occupancy.sum(axis=1) / occupancy.sum() @ by_block, *case, _FIRST_STEPS)
    else:
        log_z = _fixed_point(start, *case, 1)
    if np.max(np.abs(likelihood(log_z, *case)[1])) > _NEAR:
        log_z = _by_trust_region(log_z, *case)
    for _ in range(_MOST_NEWTON_STEPS):
        _, gradient, curvature = likelihood(log_z, *case)
        if np.max(np.abs(gradient)) < _GRADIENT:
            break
        # Least squares do not move log Z in directions that the draws do not determine.
        log_z[1:] -= np.linalg.lstsq(curvature[1:, 1:], gradient[1:])[0]
    log_z = _fixed_point(log_z, *case, 1)
    error = np.max(np.abs(likelihood(log_z, *case)[1]))
    if not error < 1e3 * _GRADIENT:
        raise ValueError(
            f"rts: the likelihood of mixed blocks was not maximised: its gradient is {error:.2g}; "
            "set mixed to False, or spend more sweeps"
        )
    return log_z


def _by_trust_region(log_z, *case):
    """log Z (rung,) near the maximum of the likelihood, from any start, by Newton's method in a trust region."""
    # The import is slow, and only runs with mixed blocks need it.
    from scipy.optimize import minimize

    def objective(free):
        value, gradient, _ = likelihood(np.append(0.0, free), *case)
        return -value, -gradient[1:]

    def curvature(free):
        return -likelihood(np.append(0.0, free), *case)[2][1:, 1:]

    options = {"gtol": _NEAR}
    solution = minimize(objective, log_z[1:], jac=True, hess=curvature, method="trust-exact", options=options)
    return np.append(0.0, solution.x)


def _fixed_point(log_z, prior, log_z_hats, occupancy, steps):
    """Iterate Z_k = C_k / sum_b [N_b (r_k / Zhat_bk) / sum_j (r_j Z_j / Zhat_bj)]; each step raises the likelihood."""
    log_c = np.log(np.maximum(occupancy.sum(axis=0), FLOOR))
    log_ratio = np.log(prior) - log_z_hats
    log_n = np.log(occupancy.sum(axis=1))
    for _ in range(steps):
        log_norms = np.logaddexp.reduce(log_ratio + log_z, axis=1)
        log_z = log_c - np.logaddexp.reduce(log_ratio + (log_n - log_norms)[:, None], axis=0)
        log_z -= log_z[0]
    return log_z
