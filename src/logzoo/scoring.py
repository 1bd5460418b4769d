"""Mean log-likelihoods with their errors, and scoring functions for scikit-learn.

``GridSearchCV(BernoulliRBM(), grid, scoring=logzoo.score)`` selects by the held-out log-likelihood.
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from logzoo.api import estimate_log_z
from logzoo.checks import binary_matrix, finite_number, is_a
from logzoo.models.rbm import RBM

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from logzoo.types import ArrayLike


class MeanLogLikelihood(NamedTuple):
    """The mean of log p(v) over examples, in nats, and two separate errors.

    The interval covers the error of log Z for these examples; the standard error covers the choice of examples.
    """

    value: float
    interval: tuple[float, float]  # if log Z is exact, both ends equal the value
    std_error: float  # NaN for a single example


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
        ``value`` in nats, ``interval`` and ``std_error``. The standard error covers the choice of examples for a fixed
        log Z.

    Raises
    ------
    ValueError
        For data that do not fit, and for a log Z that is not a finite number.

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


def scorer(method: str = "auto", **settings: Any) -> Callable[..., float]:
    """Make a scoring function for scikit-learn: the mean log-likelihood of held-out examples.

    Parameters
    ----------
    method : str
    **settings
        Other settings of `estimate_log_z`.

    Returns
    -------
    callable
        ``score(fitted, X, y=None)`` in nats, for ``scoring=`` of a search. ``fitted`` is a BernoulliRBM, or a Pipeline
        that ends in one; earlier steps of a Pipeline are applied to X. The function raises ValueError unless X then has
        only zeros and ones, and issues a RuntimeWarning if log Z did not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neural_network import BernoulliRBM
    >>> from logzoo import scorer
    >>> fitted = BernoulliRBM(n_components=2, random_state=0).fit(np.eye(4))
    >>> bool(scorer("ais", sweeps=1000)(fitted, np.eye(4)) < 0)
    True
    """
    return partial(_score, method=method, **settings)


def score(fitted: Any, X: Any, y: Any = None) -> float:
    """Mean log-likelihood of held-out examples with log Z by `auto`, for ``scoring=`` of a search of scikit-learn.

    Parameters
    ----------
    fitted : BernoulliRBM or Pipeline
        A Pipeline ends in a BernoulliRBM; its earlier steps are applied to X.
    X : array or sparse matrix, shape (examples, features)
        Examples. The BernoulliRBM must get zeros and ones: X itself, or the output of the earlier steps.
    y : None
        Ignored.

    Returns
    -------
    float
        Mean of log p(v) over the examples, nats.

    Raises
    ------
    ValueError
        For other models, and unless the BernoulliRBM gets zeros and ones only.

    Warns
    -----
    RuntimeWarning
        If the estimate of log Z did not converge.

    See Also
    --------
    scorer : makes such a function with another method or other settings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neural_network import BernoulliRBM
    >>> from logzoo import score
    >>> fitted = BernoulliRBM(n_components=2, random_state=0).fit(np.eye(4))
    >>> bool(score(fitted, np.eye(4)) < 0)
    True
    """
    return _score(fitted, X, method="auto", stacklevel=3)


def _score(fitted, X, y=None, *, method, stacklevel=2, progress=False, **settings):
    rbm = RBM.from_sklearn(fitted)
    if len(getattr(fitted, "steps", ())) > 1:
        X = fitted[:-1].transform(X)
    # BernoulliRBM accepts sparse matrices.
    X = binary_matrix("X", X.toarray() if hasattr(X, "toarray") else X, visible=rbm.visible)
    # A search with `n_jobs` scores in several processes, whose progress bars would overwrite each other.
    estimate = estimate_log_z(rbm, method, progress=progress, **settings)
    if not estimate.converged:
        message = f"{estimate.method} did not converge: {', '.join(estimate.reasons)}"
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel)
    return mean_log_likelihood(rbm, X, estimate).value
