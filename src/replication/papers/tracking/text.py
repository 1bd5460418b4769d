"""Tracking section 5: test log-likelihoods of the best models of 500 hidden units.

Log-likelihoods are means in nats, with what was published beside them where there is anything; a spread of one AIS
weight is ten times the standard error of the mean of a hundred: papers quote either. Desjardins et al. (2011),
section 5.
"""

import numpy as np

from replication.papers.declaration import Claim
from replication.papers.tracking.statistics import normal
from replication.papers.tracking.tables import inputs, rows
from replication.reporting.statistics import Statistic, untested

__all__ = ["CLAIMS", "inputs", "rows", "statistics"]

# Share of the published updates without which a likelihood says nothing of the published one.
_PART = 0.5
# Zhat of AIS has mean Z, so that it is larger than Z / q with a probability of at most q (Markov), whatever its
# weights: log Z is hardly far below what AIS finds, even where one weight outweighs all others.
_TAIL = 0.025
# Normal deviate that half of the tail lies beyond.
_HALF_TAIL_DEVIATE = 2.241403
_ELSEWHERE = "The model keeps mass in modes that the chains of its training did not find, and AIS does."
_TOO_LOW = f"The tracked log Z is too low, though replicas travel the ladder. {_ELSEWHERE}"
# The published lead of the tracker over AIS, give or take the three sigma of AIS that are published with it.
CLAIMS = {
    "mnist": Claim(
        "On MNIST the tracker says more than AIS of the best model, by as much as published",
        "-89.96 and -94.34 (± 3.08)",
        at_least=4.38 - 3.08,
        at_most=4.38 + 3.08,
        why=_TOO_LOW,
    ),
    "caltech": Claim(
        "On Caltech the tracker says more than AIS of the best model, by as much as published",
        "-114.31 and -134.23 (± 21.14)",
        at_least=19.92 - 21.14,
        at_most=19.92 + 21.14,
        why=_TOO_LOW,
    ),
    "mnist-level": Claim(
        "On MNIST the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-94.34 (± 3.08)",
        at_least=-3.08,
        at_most=3.08,
        why=_ELSEWHERE,
    ),
    "caltech-level": Claim(
        "On Caltech the best model of 500 hidden units reaches the published test likelihood by AIS",
        "-134.23 (± 21.14)",
        at_least=-21.14,
        at_most=21.14,
        why=_ELSEWHERE,
    ),
}
# Of the claims, by the data set that they are on.
_KEYS = {"mnist-fixed": "mnist", "caltech": "caltech"}


def statistics(artifacts):
    """Test likelihood tracked less that by AIS, and by AIS less the published one, on both data sets."""
    found = dict.fromkeys(CLAIMS, untested("its data set is left out"))
    for dataset, best in artifacts["best"].items():
        if dataset not in _KEYS:
            continue
        key = _KEYS[dataset]
        ais, tracked = (float(best[f"test_log_likelihood_{name}"]) for name in ("ais", "tracked"))
        ais_error, tracker_error = float(best["ais_std_error"]), float(best["tracked_std_dev"])
        lead, level = tracked - ais, ais - best.attrs.get("published_ais", np.nan)
        surely = -np.log(0.5 * _TAIL) + _HALF_TAIL_DEVIATE * tracker_error
        lead = normal(lead, np.hypot(ais_error, tracker_error), below=surely)
        level = normal(level, ais_error, above=-np.log(_TAIL))
        found[key] = late_enough(best, lead, "test log-likelihood [nat]: tracked - AIS")
        found[f"{key}-level"] = late_enough(best, level, "test log-likelihood by AIS [nat], ours - published")
    return found


def late_enough(best, interval, of):
    """Statistic of (value, low, high); untested after fewer than half of the published updates."""
    updates, of = best.attrs["updates"], f"{of}, after {best.attrs['updates']:,} updates"
    if not updates >= _PART * best.attrs.get("published_updates", np.nan):
        return untested(f"{of}: too few beside the published ones")
    return Statistic(*interval, of=of)
