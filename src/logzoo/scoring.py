"""Log-likelihood as a score of scikit-learn: `GridSearchCV(BernoulliRBM(), grid, scoring=score)`."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

from logzoo.api import estimate_log_z
from logzoo.models.rbm import RBM
from logzoo.models.scoring import mean_log_likelihood

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def scorer(method: str = "auto", **settings: Any) -> Callable[..., float]:
    """Make a scoring function for scikit-learn: the mean log-likelihood of held-out examples.

    Parameters
    ----------
    method : str
    **settings
        Method and settings of `estimate_log_z`.

    Returns
    -------
    callable
        ``score(fitted, X, y=None)``, for ``scoring=`` of a search. ``fitted`` is a BernoulliRBM, or a Pipeline that
        ends in one, whose earlier steps are applied to X. It returns nats, raises ValueError for other data than zeros
        and ones, and warns (RuntimeWarning) where log Z did not converge.

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


def _score(fitted, X, y=None, *, method, **settings):
    rbm = RBM.from_sklearn(fitted)
    if len(getattr(fitted, "steps", ())) > 1:
        X = fitted[:-1].transform(X)
    # Sparse matrices, which BernoulliRBM takes.
    X = X.toarray() if hasattr(X, "toarray") else X
    estimate = estimate_log_z(rbm, method, **settings)
    if not estimate.converged:
        warnings.warn(f"{method} did not converge: {', '.join(estimate.reasons)}", RuntimeWarning, stacklevel=2)
    return mean_log_likelihood(rbm, X, estimate).value


score = scorer()
