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

CLAIMS = {
    "above": Claim(
        "Of the best models the tracker gives a higher test likelihood than AIS",
        "-89.96 and -94.34 on MNIST, -114.31 and -134.23 on Caltech",
        at_least=0.0,
    )
}


def statistics(artifacts):
    """The smaller of the differences of test likelihood, tracked less by AIS, on the two data sets."""
    # Above on both: the smallest ends make the whole interval positive only if both intervals are.
    differences = []
    for best in artifacts["best"].values():
        value = best["test_log_likelihood_tracked"] - best["test_log_likelihood_ais"]
        differences.append(normal(float(value), np.hypot(float(best["ais_std_error"]), float(best["tracked_std_dev"]))))
    ends = map(float, np.min(differences, axis=0))
    return {"above": Statistic(*ends, "test likelihood [nat]: tracked - AIS, smaller of the two")}
