"""RAISE: reverse annealed importance sampling, with the hidden units summed out of the weights.

Burda, Grosse & Salakhutdinov (2015). Annealing from the base to the RBM draws v from some p_ann close to p. Reverse
trajectories from a data vector v estimate p_ann(v) without bias: log p_hat(v) = log f(v) - log Z_1 + log mean exp(-w),
with log-weights w. Hence log p_hat(v) lies below log p_ann(v) on average. The estimate of log Z is
mean_v [log f(v) - log p_hat(v)]. If the data are draws of the RBM, the estimate is high on average, by KL(p || p_ann)
and by the bias of log p_hat. Cost: as for AIS, one sweep a rung and log f at two rungs.
"""

from typing import Any

import numpy as np
from scipy.special import logsumexp

from logzoo.budgets import SweepLedger
from logzoo.checks import binary_matrix, whole_number
from logzoo.estimators.estimator import Draws
from logzoo.estimators.intervals import effective_number, jackknife_error, sums_left_out
from logzoo.estimators.result import Estimate, estimate_from
from logzoo.estimators.weights import log_normal_variance, variance_is_unreliable
from logzoo.models.rbm import RBM
from logzoo.samplers import annealed
from logzoo.samplers.annealed import AnnealedDraws
from logzoo.streams import Stream
from logzoo.types import Array, ArrayLike

# Default number of data vectors, if there are at least two trajectories for each.
_VECTORS = 10
# Bias of log p_hat(v) in nats, from the spread of the weights, above which an estimate is flagged.
_LARGEST_BIAS = 0.1


def run(
    rbm: RBM,
    ledger: SweepLedger,
    stream: Stream,
    *,
    data: ArrayLike | None = None,
    vectors: int | None = None,
    **options: Any,
) -> tuple[AnnealedDraws, Array]:
    """Anneal chains down from data vectors; return AnnealedDraws and the number (chain,) of each chain's vector.

    data: a 0/1 matrix (examples, visible), required. vectors: number of rows of the data that are drawn; the chains are
    divided among them. The default is 10, or half of the chains if that is less, but at least 2. No row is drawn
    twice, so there are at most as many vectors as rows. Other options: as in `logzoo.samplers.annealed.run_reverse`.
    Raises ValueError for missing or bad data and for more vectors than chains.
    """
    starts, vector = starts_of(rbm, ledger, stream, data, vectors)
    return annealed.run_reverse(rbm, ledger, stream, starts, **options), vector


def starts_of(
    rbm: RBM, ledger: SweepLedger, stream: Stream, data: ArrayLike | None, vectors: int | None
) -> tuple[Array, Array]:
    """States (chain, visible) that the chains start from, and numbers (chain,) of their data vectors; see `run`."""
    if vectors is None:
        vectors = min(_VECTORS, max(2, ledger.chains // 2))
    elif whole_number("vectors", vectors) > ledger.chains:
        raise ValueError(f"vectors: expected at most {ledger.chains}, the number of chains, found {vectors}")
    if data is None:
        raise ValueError("data: expected a 0/1 matrix (examples, visible) to start from, found none")
    data = binary_matrix("data", data, visible=rbm.visible)
    vectors = min(vectors, len(data))
    rows = stream.child("data").generator().choice(len(data), vectors, replace=False)
    vector = np.arange(ledger.chains) % vectors
    return data[rows[vector]], vector


def read(draws: Draws) -> Estimate:
    """The Estimate of `Draws` whose sample comes from `run`.

    The error is the spread over data vectors, or over trajectories for a single vector. The bias of log p_hat is added
    in quadrature. The estimate is converged if the trajectories of a vector agree and their spread measures the error.
    Trajectories agree if the bias of their log-mean-exp is small.
    """
    sample, vector = draws.sample
    per_vector = [-sample.log_weight[vector == number] for number in range(vector.max() + 1)]
    log_z = sample.log_z_base - np.array([float(logsumexp(log_p)) - np.log(log_p.size) for log_p in per_vector])
    center = float(log_z.mean())
    std_error, parts = _spread(log_z, per_vector)
    effective = np.array([effective_number(log_p) for log_p in per_vector])
    bias = _bias(per_vector)
    std_error = float(np.hypot(std_error, bias)) if np.isfinite(bias) else std_error
    frozen = variance_is_unreliable(draws.rbm, sample.log_weight, draws.ledger)
    signs = {"trajectories-apart": bias >= _LARGEST_BIAS, **frozen}
    diagnostics = {"effective_trajectories": float(effective.mean())}
    return estimate_from(center, std_error, parts, signs, diagnostics=diagnostics)


def _bias(per_vector):
    """Bias in nats of a vector's log-mean-exp, for log-normal weights; infinite if each vector has one trajectory."""
    freedom = sum(log_p.size - 1 for log_p in per_vector)
    if not freedom:
        return np.inf
    # `cumsum` adds one by one. `sum` compensates for rounding from Python 3.12 on, which changes the last bits.
    variance = float(np.cumsum([np.square(log_p - log_p.mean()).sum() for log_p in per_vector])[-1]) / freedom
    mean_size = np.mean([1.0 / log_p.size for log_p in per_vector])
    return 0.5 * log_normal_variance(variance, freedom) * float(mean_size)


def _spread(log_z, per_vector):
    """Standard error of the mean over vectors, and their number; for a single vector, over its trajectories."""
    if log_z.size > 1:
        return float(np.std(log_z, ddof=1) / np.sqrt(log_z.size)), log_z.size
    return jackknife_error(sums_left_out(per_vector[0], np.logaddexp)), per_vector[0].size
