"""Mean log-likelihoods with what is known of their errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from logzoo.checks import binary_matrix, finite_number, is_a
from logzoo.models.rbm import RBM

if TYPE_CHECKING:
    from logzoo.types import ArrayLike


class MeanLogLikelihood(NamedTuple):
    """The mean of log p(v) over examples, in nats.

    The two errors answer two questions and are not added up: how far off is the mean over these very examples, for log
    Z is only estimated; and how far would it move with other examples of the same source.
    """

    value: float
    interval: tuple[float, float]  # from that of log Z alone; both ends are the value where log Z is exact
    std_error: float  # of the mean over draws of examples, log Z being fixed; NaN for a single example


def mean_log_likelihood(rbm: RBM, data: ArrayLike, estimate: object) -> MeanLogLikelihood:
    """Mean log-likelihood of examples, with the interval that follows from an estimate of log Z.

    Parameters
    ----------
    rbm : RBM
    data : array of 0 and 1, shape (examples, visible)
    estimate : Estimate or float
        An estimate of log Z of the same RBM, or its exact log Z in nats.

    Returns
    -------
    MeanLogLikelihood
        ``value`` in nats; ``interval``, which follows from that of log Z alone; and ``std_error`` over other draws of
        examples, log Z being fixed.

    Raises
    ------
    ValueError
        For data that do not fit, and for a log Z that is no finite number.

    Examples
    --------
    >>> from logzoo import RBM, exact_log_z, mean_log_likelihood
    >>> rbm = RBM([[2.0, -1.0], [0.5, 1.0]], [0.0, 0.1], [0.2, -0.3])
    >>> round(mean_log_likelihood(rbm, [[1, 0], [1, 1]], exact_log_z(rbm)).value, 4)
    -1.064
    """
    log_f = is_a("rbm", rbm, RBM).log_f(binary_matrix("data", data, visible=rbm.visible))
    log_z = finite_number("estimate", getattr(estimate, "log_z", estimate))
    lower, upper = getattr(estimate, "interval", (log_z, log_z))
    mean, count = float(log_f.mean()), len(log_f)
    std_error = float(log_f.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return MeanLogLikelihood(mean - log_z, (mean - float(upper), mean - float(lower)), std_error)
