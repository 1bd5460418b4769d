"""Log-likelihood as a score of scikit-learn: `GridSearchCV(BernoulliRBM(), grid, scoring=score)`."""

import warnings
from functools import partial

from logzoo.api import estimate_log_z
from logzoo.models.rbm import RBM
from logzoo.models.scoring import mean_log_likelihood


def scorer(method="auto", **settings):
    """A function score(fitted, X, y=None) for `scoring=`: mean log-likelihood of the rows of X in nats.

    fitted: a BernoulliRBM, or a Pipeline that ends in one, whose earlier steps are applied to X. What the RBM gets must
    be zeros and ones. method, settings: those of `estimate_log_z`. An estimate that did not converge is scored all the
    same, with a RuntimeWarning that says why: a search goes on. The score raises ValueError for what cannot be scored
    at all.
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
