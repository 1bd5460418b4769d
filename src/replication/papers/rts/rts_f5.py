"""RTS figure 5: log Z followed while RMSspectral trains.

Mean log-likelihood of training and validation data while RMSspectral trains on dna after CD-1, under the log Z that
RTS tracks and by AIS. Carlson et al. (2016), figure 5.
"""

import numpy as np

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.tracking.trk_checks import (
    AIS,
    KNOWN,
    TRACKED,
    agreement,
    all_checked,
    best_and_last,
    checked,
    difference,
    distance,
    halves,
    times_apart,
)
from replication.papers.tracking.trk_drawing import draw_likelihoods

_LATE = (
    "The tracker lags behind large steps and does not know it (at the decisive scale by 250 chains, published: 2,000), "
    "and late in a training that over-fits AIS finds mass in a mode that neither these nor long tempering enter."
)
_RATE = (
    "The tracker lags behind steps that are large for its number of particles, such as those at ten times the "
    "published rate of 1e-5, and does not know it."
)
CLAIMS = {
    "agree": Claim(
        "The likelihoods that RTS tracks follow those of AIS",
        "curves together",
        at_least=0.8,
        why=_LATE,
    ),
    "close": Claim(
        "Up to the best validation likelihood tracked log Z and AIS differ by less than half a nat",
        "curves together",
        at_most=0.5,
        why=_RATE,
    ),
    "overfit": Claim(
        "The tracked validation likelihood shows the onset of over-fitting",
        "visible near the end of 8,000 updates",
        at_least=0.0,
        why=_RATE,
    ),
    "smoothing": Claim(
        "Other smoothing, alpha = 0.05 or 0.5, tracks as well",
        "similar results",
        at_least=0.5,
        at_most=2.0,
        why="With alpha = 0.05 the tracker forgets so slowly that it lags farther behind: by fractions of a nat, which "
        "a figure of likelihoods hardly shows.",
    ),
}


def inputs(here: Here) -> dict:
    model = here.entry["model"]
    return {
        "trace": here.trace(model),
        "check": checked(here, model, "ais"),
        "others": all_checked(here, "others"),
    }


def statistics(artifacts):
    """How far tracked likelihoods lie from AIS, and how much they fall from the best by AIS: negative if they climb."""
    check = artifacts["check"]
    best, last = best_and_last(check, AIS)
    of = "tracked validation likelihood [nat]: best by AIS - end"
    return {
        "agree": agreement(check),
        "close": distance(halves(check, best)[0], "up to the best validation likelihood by AIS"),
        "overfit": difference(check, "validation", TRACKED, best, last, of=of),
        "smoothing": _farthest(check, artifacts["others"].values()),
    }


def _farthest(check, others):
    """The distance from AIS with other smoothing over that with the tracker's own, the one farthest from 1."""
    of = f"where AIS errs by at most {KNOWN:g} nats, other smoothing / own, the farthest from 1"
    ratios = [times_apart(*([known] for known in _known(other, check)), of=of) for other in others]
    return max(ratios, key=lambda statistic: np.nan_to_num(np.abs(np.log(statistic.value)), nan=np.inf))


def _known(*checks):
    """Two checks at the updates where the error of AIS is small in both."""
    known = [check["update"].values[check["std_error"].values <= KNOWN] for check in checks]
    shared = np.intersect1d(*known)
    return [check.sel(update=shared) for check in checks]


def draw(artifacts, *, title):
    """Train and validation log-likelihood while training, by RTS and by the check."""
    return draw_likelihoods(artifacts["trace"], artifacts["check"], title, "RTS")
