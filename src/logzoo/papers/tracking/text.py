"""Tracking section 5: test log-likelihoods of the best models of 500 hidden units.

Log-likelihoods are means in nats, with what was published beside them where there is anything; a spread of one AIS
weight is ten times the standard error of the mean of a hundred: papers quote either. Desjardins et al. (2011),
section 5.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.papers.tracking.statistics import normal
from logzoo.papers.tracking.tables import inputs, rows
from logzoo.reporting.statistics import Statistic

__all__ = ["CLAIMS", "inputs", "rows", "statistics"]

# The published lead of the tracker over AIS, give or take the three sigma of AIS that are published with it.
CLAIMS = {
    "mnist": Claim(
        "On MNIST the tracker says more than AIS of the best model, by as much as published",
        "-89.96 and -94.34 (± 3.08)",
        at_least=4.38 - 3.08,
        at_most=4.38 + 3.08,
    ),
    "caltech": Claim(
        "On Caltech the tracker says more than AIS of the best model, by as much as published",
        "-114.31 and -134.23 (± 21.14)",
        at_least=19.92 - 21.14,
        at_most=19.92 + 21.14,
    ),
}


def statistics(artifacts):
    """Test likelihood tracked less that by AIS, on both data sets, which come in the order of the claims."""
    found = {}
    for key, best in zip(CLAIMS, artifacts["best"].values(), strict=True):
        value = best["test_log_likelihood_tracked"] - best["test_log_likelihood_ais"]
        error = np.hypot(float(best["ais_std_error"]), float(best["tracked_std_dev"]))
        found[key] = Statistic(*normal(float(value), error), "test log-likelihood [nat]: tracked - AIS")
    return found
