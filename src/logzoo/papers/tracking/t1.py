"""Tracking table 1: test log-likelihoods on the data sets of the NADE benchmark.

Log-likelihoods are means in nats, with what was published beside them where there is anything; a spread of one AIS
weight is ten times the standard error of the mean of a hundred: papers quote either. Desjardins et al. (2011), table 1.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.papers.tracking.statistics import SIGMAS, share
from logzoo.papers.tracking.tables import inputs, rows
from logzoo.reporting.statistics import QUANTILES, RESAMPLES, Statistic, fixed_generator, untested

__all__ = ["CLAIMS", "inputs", "rows", "statistics"]

CLAIMS = {
    "agree": Claim(
        "Tracker and AIS agree within three standard deviations on half of the data sets", "4 of 8", at_least=0.5
    ),
    "order": Claim("The data sets come in the published order of test likelihoods", "1", at_least=0.9),
}
_FEWEST_RANKED = 4


def statistics(artifacts):
    """Agree: share of data sets whose tracked test likelihood lies within 3 standard deviations, of AIS and of the
    tracker added up, of that by AIS; order: rank correlation of test likelihoods by AIS and published ones.
    """
    models = artifacts["best"].values()
    names = ("test_log_likelihood_ais", "ais_std_error", "test_log_likelihood_tracked", "tracked_std_dev")
    ais, error, tracked, std_dev = (np.array([float(best[name]) for best in models]) for name in names)
    # Of stand-in data nothing was published.
    published = np.array([best.attrs.get("published_ais", np.nan) for best in models])
    known = np.isfinite(ais) & np.isfinite(error)
    agree = np.abs(tracked - ais) <= SIGMAS * (error + std_dev)
    ranked = known & np.isfinite(published)
    return {
        "agree": share(agree[known], of=f"share of data sets where |tracked - AIS| <= {SIGMAS:g} sigma"),
        "order": _rank_correlation(ais[ranked], error[ranked], published[ranked]),
    }


def _rank_correlation(ais, error, published):
    """Rank correlation with the published numbers, its interval from the standard errors of ours.

    The data sets are the published ones, not a sample of some, so they are not resampled.
    """
    of = f"rank correlation of test likelihoods by AIS, ours and published, over {ais.size} data sets"
    if ais.size < _FEWEST_RANKED:
        return untested(of)
    drawn = ais + error * fixed_generator(1).standard_normal((RESAMPLES, ais.size))
    low, high = np.quantile(_spearman(drawn, published), QUANTILES)
    return Statistic(float(_spearman(ais, published)), float(low), float(high), of)


def _spearman(values, others):
    """Rank correlation of values (..., item) with others (item,)."""
    from scipy.stats import rankdata  # takes long to import, and every verdict would wait for it

    ranks, other = (rankdata(array, axis=-1) - 0.5 * (others.size + 1) for array in (values, others))
    return (ranks * other).sum(axis=-1) / np.sqrt((ranks**2).sum(axis=-1) * (other**2).sum(axis=-1))
