"""Log-likelihood as a score of scikit-learn: `GridSearchCV(BernoulliRBM(), grid, scoring=score)`."""

import warnings
from functools import partial

from logzoo.api import estimate_log_z
from logzoo.models.exact import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.models.scoring import mean_log_likelihood

# Up to so many units in the smaller layer log Z is enumerated: it takes less than a second.
_ENUMERATED = 20


def scorer(method="rts", sweeps=1000, chains=100, seed=0, **options):
    """A function score(fitted, X, y=None) for `scoring=`: mean log-likelihood of the rows of X in nats.

    fitted: a BernoulliRBM, or a Pipeline that ends in one, whose earlier steps are applied to X. What the RBM gets must
    be zeros and ones. log Z is exact up to 20 units in the smaller layer, else it is estimated by `estimate_log_z`, to
    which the arguments go. An estimate that did not converge is scored all the same, with a RuntimeWarning that says
    so: a search goes on. The score raises ValueError for what cannot be scored at all.
    """
    return partial(_score, method=method, sweeps=sweeps, chains=chains, seed=seed, **options)


def _score(fitted, X, y=None, *, method, **settings):
    rbm = RBM.from_sklearn(fitted)
    if len(getattr(fitted, "steps", ())) > 1:
        X = fitted[:-1].transform(X)
    if min(rbm.visible, rbm.hidden) <= _ENUMERATED:
        return mean_log_likelihood(rbm, X, exact_log_z(rbm)).value
    estimate = estimate_log_z(rbm, method, **settings)
    if not estimate.converged:
        signs = ", ".join(f"{name} {value:.4g}" for name, value in estimate.diagnostics.items())
        warnings.warn(f"{method} did not converge ({signs}): raise sweeps or chains", RuntimeWarning, stacklevel=2)
    return mean_log_likelihood(rbm, X, estimate).value


score = scorer()
