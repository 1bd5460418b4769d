"""AIS from basins: chains that start in the basin of a mode estimate the mass of this basin. The masses add up to Z.

Annealed weights w and last states x from any base satisfy E[w g(x)] = Z E_p[g(x)] (Neal 2001). With g the indicator
of a basin B, the mass of B is the mean of w 1(x in B) over the chains that start in B. The estimate of log Z is the
log of the sum of masses, low on average. The stratification by modes is our own. Cost: as for AIS, with a search for
modes, and a pilot run that groups the modes.
"""

import numpy as np
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import effective_number
from logzoo.estimators.result import Estimate, estimate_from
from logzoo.estimators.weights import fewest_effective, log_normal_error, variance_is_unreliable
from logzoo.models.rbm import RBM
from logzoo.samplers.annealed_from_modes import BasinDraws

# Largest estimated share of Z in modes that no chain starts in.
_MOST_UNSEEN = 0.02
# A basin with less than this share of Z may rest on few chains.
_SMALL = 0.02


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` whose sample is BasinDraws; see `from_basins`."""
    return from_basins(draws.rbm, draws.sample, draws.ledger)


def mass(draws: BasinDraws) -> tuple[float, float]:
    """log of the mass that BasinDraws give, and its standard error from the spread of the weights alone, in nats."""
    return _summed(_by_basin(draws), _spread)[:2]


def from_basins(rbm: RBM, draws: BasinDraws, ledger: SweepLedger) -> Estimate:
    """Estimate log Z from BasinDraws.

    The error comes from the spread within each basin. The estimate is converged if every large basin has enough
    effective chains and unseen modes hold little of Z. The spread of the weights must also measure the error.
    """
    by_basin = _by_basin(draws)
    log_z, std_error, shares, errors = _summed(by_basin, _relative_error)
    effective = np.array([effective_number(log_w) if np.any(log_w > -np.inf) else 0.0 for log_w in by_basin])
    needed = np.array([fewest_effective(log_w.size) for log_w in by_basin])
    few = bool(np.any((effective < needed) & (shares > _SMALL)))
    # Degrees of freedom by Welch (1947), because the variance of each basin is estimated from its own chains.
    parts = (shares * errors) ** 2
    freedom = parts.sum() ** 2 / np.sum(parts**2 / np.array([max(log_w.size - 1, 1) for log_w in by_basin]))
    # The weights include the mass of the starting law, which is close to the mean-field bound.
    unreliable = variance_is_unreliable(rbm, draws.log_weight, ledger, draws.lower)
    return estimate_from(
        log_z,
        std_error,
        max(freedom, 1.0) + 1.0,
        {"few-effective": few, "modes-unseen": draws.unseen > _MOST_UNSEEN, **unreliable},
        bounds=(draws.lower, np.inf),
        diagnostics={
            "effective_sample_size": float(1.0 / np.sum(shares**2 / np.maximum(effective, 1.0))),
            "basins": len(by_basin),
            "spread_error": _summed(by_basin, _spread)[1],
        },
    )


def _by_basin(draws):
    """Log-weights (chain,) in nats by starting basin, -inf for chains that left it; a single basin if all left."""
    stayed = draws.end == draws.start
    start, stayed = (draws.start, stayed) if stayed.any() else (np.zeros_like(draws.start), ~stayed)
    log_w = np.where(stayed, draws.log_weight, -np.inf)
    return [log_w[start == name] for name in np.unique(start)]


def _summed(by_basin, relative_error):
    """log Z, its standard error, and each basin's share of Z and relative error, from log-weights by basin."""
    log_mass = np.array([logsumexp(log_w) - np.log(log_w.size) for log_w in by_basin])
    log_z = float(logsumexp(log_mass))
    shares = np.exp(log_mass - log_z)
    errors = np.array([relative_error(log_w) for log_w in by_basin])
    return log_z, float(np.sqrt(np.sum((shares * errors) ** 2))), shares, errors


def _spread(log_w):
    """Relative standard error of the mean weight; 0 if all weights are 0."""
    if not np.any(log_w > -np.inf):
        return 0.0
    relative = np.exp(log_w - log_w.max())
    return float(np.std(relative, ddof=1) / relative.mean() / np.sqrt(relative.size))


def _relative_error(log_w):
    """Relative standard error of the mean weight: spread or, if larger, log-normal error, and a term for few chains."""
    stayed = log_w[log_w > -np.inf]
    # n equal weights have no spread, but on average miss 1 / (2 n + 2) of the mass (under Jeffreys' prior).
    spread = max(_spread(log_w), log_normal_error(stayed)) if stayed.size else 0.0
    return float(np.hypot(spread, 0.5 / (log_w.size + 1)))
