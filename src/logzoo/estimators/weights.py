"""AIS and SMC: log Z from importance weights of annealed chains, with the hidden units summed out of the weights.

AIS (Neal 2001; Salakhutdinov & Murray 2008, eqs 10 to 12; averaged moments: Grosse, Maddison & Salakhutdinov 2013):
log Z = log Z_1 + log mean w over independent chains with weights w. SMC resamples in independent islands of chains (Del
Moral, Doucet & Jasra 2006; as population annealing Hukushima & Iba 2003), with the same formula for log Z. A family is
all descendants of one first state (Wang, Machta & Katzgraber 2015; error: Lee & Whiteley 2018).
Both estimates of Z are unbiased on any path, so the estimates of log Z are low on average. Cost per rung: one sweep,
and log f at two rungs. On a path between two RBMs a sweep costs about two Gibbs sweeps, because it keeps the inputs of
both.
"""

import numpy as np
from scipy.special import chdtri, logsumexp

from logzoo.budgets import SweepLedger
from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import (
    LARGEST_SHAPE,
    bootstrapped,
    effective_number,
    jackknife_error,
    sums_left_out,
    tail_shape,
)
from logzoo.estimators.result import Estimate, estimate_from
from logzoo.models.rbm import RBM
from logzoo.samplers.annealed import AnnealedDraws, ResampledDraws
from logzoo.streams import Stream
from logzoo.types import Floats

# Smallest effective number of chains, unless half of the chains is less. With fewer effective chains the log-mean-exp
# rests on a few weights, and its interval is unreliable.
_FEWEST_EFFECTIVE = 10.0
# Largest mean change of log w in a sweep, in nats; chains cannot follow larger changes.
_LARGEST_STEP = 10.0
# Cap of the variance of log w: beyond it the error is unknown.
_LARGEST_VARIANCE = 50.0
# Probability that the variance of the logs exceeds its upper limit.
_RISK = 0.05
# Relative spread of log-weights below which they are equal up to rounding.
_ROUNDING = 1e-12


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` whose sample is AnnealedDraws; see `from_weights`."""
    return from_weights(draws.rbm, draws.sample, draws.ledger, draws.stream)


def from_weights(rbm: RBM, draws: AnnealedDraws, ledger: SweepLedger, stream: Stream) -> Estimate:
    """Estimate log Z from importance weights of annealed chains.

    Parameters
    ----------
    rbm : RBM
    draws : AnnealedDraws
        Draws by `logzoo.samplers.annealed.run`, or other log-weights.
    ledger : SweepLedger
        The budget of the draws.
    stream : Stream
        Randomness of the bootstrap.

    Returns
    -------
    Estimate
        log Z = log Z_1 + log mean exp(log w), in nats. The error is the jackknife error over chains, or the log-normal
        error if that is larger. A converged estimate has at least 10 effective chains (with fewer than 20 chains, at
        least half of the chains). Its weights have no heavy tail, and their variance measures the error.
    """
    log_w = draws.log_weight
    log_z, spread = mass(draws)
    std_error = max(spread, log_normal_error(log_w))
    effective, shape = float(effective_number(log_w)), tail_shape(log_w)
    relative = np.exp(log_w - log_w.max())
    floor = np.finfo(float).tiny  # stands for 0 in resamples that miss all large weights
    bootstrap_error, quantiles = bootstrapped(
        relative,
        lambda totals: log_z + np.log(np.maximum(totals, floor) / relative.sum()),
        stream.child("bootstrap").generator(),
    )
    few, heavy = effective < fewest_effective(log_w.size), shape > LARGEST_SHAPE
    return estimate_from(
        log_z,
        std_error,
        log_w.size,
        {"few-effective": few, "heavy-tail": heavy, **variance_is_unreliable(rbm, log_w, ledger)},
        diagnostics={
            "effective_sample_size": effective,
            "tail_shape": shape,
            "spread_error": spread,
            "bootstrap_std_error": bootstrap_error,
        },
        profiles={"bootstrap_quantiles": quantiles},
    )


def mass(draws: AnnealedDraws) -> tuple[float, float]:
    """log Z_1 + log mean w of AnnealedDraws, and its jackknife error from the drawn weights alone, in nats."""
    log_w = draws.log_weight
    log_z = float(draws.log_z_base + logsumexp(log_w) - np.log(log_w.size))
    return log_z, jackknife_error(sums_left_out(log_w, np.logaddexp))


def fewest_effective(chains: int) -> float:
    """Smallest effective number of chains that a mean over `chains` chains needs."""
    return min(_FEWEST_EFFECTIVE, 0.5 * chains)


def log_normal_error(log_w: Floats) -> float:
    """Relative standard error of the mean of log-normal weights, from the spread of their logs (chain,).

    The weights that dominate the mean are mostly not drawn, but the spread of the logs predicts them. The variance is
    the mean squared distance from the median over the logs above it, because lower chains have little weight.
    """
    above = log_w - np.median(log_w)
    above = above[above >= 0.0]
    return float(np.sqrt(log_normal_variance(float(np.mean(above**2)), above.size) / log_w.size))


def log_normal_variance(variance: float, freedom: float) -> float:
    """Relative variance of log-normal weights, from the variance of their logs with `freedom` degrees of freedom.

    It is (exp(u s^2) - 1) / u, where s^2 is `variance` and u s^2 its upper 95% limit, capped at 50. For small s^2
    it is about s^2.
    """
    u = freedom / chdtri(freedom, 1.0 - _RISK)
    return float(np.expm1(min(u * variance, _LARGEST_VARIANCE)) / u)


def variance_is_unreliable(rbm: RBM, log_w: Floats, ledger: SweepLedger, reference: float = 0.0) -> dict[str, bool]:
    """Signs that the variance of the log-weights (chain,) of annealing does not measure the error of log Z.

    One sign is equal log-weights, because all chains then followed the same path; RBMs without weights are exempt. The
    other sign is that log f changed by too many nats per sweep. reference: log-weight in nats of a chain that does not
    move.
    """
    differ = np.ptp(log_w) > _ROUNDING * max(1.0, np.abs(log_w).max()) or not rbm.weights.any()
    steep = bool(np.abs(log_w - reference).mean() > _LARGEST_STEP * ledger.sweeps)
    return {"one-way": not differ, "steep": steep}


# Largest share of the sum over islands that a single island may carry.
_LARGEST_SHARE = 0.5


def read_islands(draws: Draws) -> Estimate:
    """The Estimate of `Draws` whose sample is ResampledDraws.

    The error is the largest of three errors: the jackknife error over islands, the error for log-normal weights of
    islands, and the error over families. With kept > 1, each final chain counts as a family. The estimate is converged
    if the effective number of families is at least 10 and the variance of the islands' weights measures the error. With
    more than two islands, no island may carry more than half of Z.
    """
    sample = draws.sample
    count, islands = sample.log_weight.size, sample.island[-1] + 1
    total = float(logsumexp(sample.log_weight))
    log_z = sample.log_z_base + total - np.log(count)
    of_island = np.array([logsumexp(sample.log_weight[sample.island == number]) for number in range(islands)])
    # The weight of an island is its mean weight, because islands may differ by a chain.
    sizes = np.bincount(sample.island)
    mean_of_island = of_island - np.log(sizes / sizes.mean())
    shares = family_shares(sample)
    effective = float(1.0 / np.sum(shares**2))
    spread = jackknife_error(sums_left_out(mean_of_island, np.logaddexp))
    of_families = float(np.sqrt(max(1.0 / effective - 1.0 / count, 0.0)))
    std_error = max(spread, of_families, log_normal_error(mean_of_island))
    alone = islands > 2 and np.exp(of_island.max() - total) > _LARGEST_SHARE
    # Families are counted, because resampling makes weights similar.
    few = bool(alone) or effective < _FEWEST_EFFECTIVE
    signs = {"few-effective": few, **variance_is_unreliable(draws.rbm, mean_of_island, draws.ledger)}
    diagnostics = {"effective_sample_size": effective, "spread_error": spread}
    return estimate_from(log_z, std_error, islands, signs, diagnostics=diagnostics)


def family_shares(draws: ResampledDraws) -> Floats:
    """Share (chain,) of the sum of all weights that the descendants of each first state hold; 0 without descendants."""
    relative = np.exp(draws.log_weight - draws.log_weight.max())
    return np.bincount(draws.family, relative, minlength=relative.size) / relative.sum()
