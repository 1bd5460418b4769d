"""Tracking section 5: test log-likelihoods of the best models of 500 hidden units.

Log-likelihoods are means in nats, with what was published beside them where there is anything; a spread of one AIS
weight is ten times the standard error of the mean of a hundred: papers quote either. Desjardins et al. (2011),
section 5.
"""

import numpy as np

from logzoo.papers.declaration import Claim
from logzoo.papers.tracking.statistics import normal
from logzoo.papers.tracking.tables import inputs, rows
from logzoo.reporting.statistics import Statistic, untested

__all__ = ["CLAIMS", "inputs", "rows", "statistics"]

# Share of the published updates without which a level says nothing.
_PART = 0.5
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
    "mnist-level": Claim(
        "On MNIST the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-94.34 (± 3.08)",
        at_least=-3.08,
        at_most=3.08,
    ),
    "caltech-level": Claim(
        "On Caltech the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-134.23 (± 21.14)",
        at_least=-21.14,
        at_most=21.14,
    ),
}
_DATASETS = ("mnist", "caltech")


def statistics(artifacts):
    """Test likelihood tracked less that by AIS, and by AIS less the published one, on both data sets in order."""
    found = {}
    for key, best in zip(_DATASETS, artifacts["best"].values(), strict=True):
        ais, tracked = (float(best[f"test_log_likelihood_{name}"]) for name in ("ais", "tracked"))
        error = np.hypot(float(best["ais_std_error"]), float(best["tracked_std_dev"]))
        found[key] = Statistic(*normal(tracked - ais, error), "test log-likelihood [nat]: tracked - AIS")
        found[f"{key}-level"] = above_published(best, ais)
    return found


def above_published(best, ais):
    """Statistic: test likelihood by AIS less the published one; NaN after fewer than half of the published updates."""
    of = f"test log-likelihood by AIS [nat], ours - published, after {best.attrs['updates']:,} updates"
    published, updates = (best.attrs.get(f"published_{name}", np.nan) for name in ("ais", "updates"))
    if not best.attrs["updates"] >= _PART * updates:
        return untested(f"{of}: too few beside the published ones")
    return Statistic(*normal(ais - published, float(best["ais_std_error"])), of)
