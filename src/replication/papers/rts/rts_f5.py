"""RTS figure 5: log Z tracked while RMSspectral trains.

Mean log-likelihood of training and validation data while RMSspectral trains on dna, from an RBM trained by CD-1. Log Z
is tracked by RTS, and estimated by AIS at some updates. Carlson et al. (2016), figure 5.
"""

from functools import partial

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.repeats import first_of, of_each
from replication.papers.tracking import trk_checks
from replication.reporting.statistics import mean, over_repeats, ratio_of_means, untested
from replication.types import Artifacts, Figure, Inputs, Statistics

_KNOWN = f"over check points where AIS errs by at most {trk_checks.KNOWN:g} nats"
CLAIMS = {
    "close": Claim(
        "The likelihoods under the log Z that RTS tracks follow those under the log Z of AIS",
        "section 4.4 and figure 5",
        published="able to track",
        measured=f"mean |tracked - AIS| of log Z [nat], and so of both likelihoods, {_KNOWN}; mean over trainings",
    ),
    "overfit": Claim(
        "The tracked validation likelihood shows the over-fitting that early stopping avoids",
        "section 4.4 and figure 5",
        published="early stopping avoids over-fitting",
        measured="tracked validation likelihood [nat] at the best check point by AIS, where that errs by at most "
        f"{trk_checks.KNOWN:g} nats, less that at the end; mean over trainings",
        at_least=0.0,
        bound="'to avoid overfitting by early stopping': the likelihood falls after the best point",
        power=Power(
            10.0, 9.3, "effect and spread: least and s.d. of three trainings at the decisive scale, earlier seed"
        ),
    ),
    "smoothing": Claim(
        "Other smoothing of log Z, alpha = 0.05 or 0.5, tracks as well",
        "section 4.4",
        published="similar results",
        measured=f"mean |tracked - AIS| of log Z {_KNOWN}, other alpha / 0.2, the one farthest from 1; by pairs of "
        "check points of one training each",
    ),
    "cost": Claim(
        "Tracking log Z adds minimal cost to the training",
        "abstract and section 4.4",
        published="minimal additional cost",
        not_tested="the training itself needs q(beta | x) at every sweep, so that there is none without what RTS reads",
    ),
}
# Fewest check points from which the best is chosen. Final share of a training in which no check point may be the best.
_FEWEST_CHECKS, _END = 5, 0.1


def inputs(here: Here) -> Inputs:
    model = here.entry["model"]
    return {
        "trace": here.trace(model),
        "check": trk_checks.checked(here, model, "ais"),
        "checks": trk_checks.all_checked(here, here.trainings(model)),
        "others": trk_checks.all_checked(here, trk_checks.trainings_of(here, "others")),
    }


def sizes(here: Here) -> dict[str, Size]:
    """Our sizes beside the published sizes (section 4.4)."""
    model = here.entry["model"]
    train, ais = here.train(model), here.config["checks"]["ais"]
    settings = {
        "hidden units": (here.shape(model)[1], 500),
        "updates": (train["updates"], 8000),
        "chains": (train["options"]["particles"], 2000),
        "sweeps of an update": (train["options"]["k"], 25),
        "rungs of AIS": (ais["sweeps"], 10_000),
        "chains of AIS": (ais["chains"], 100),
    }
    trainings = len(here.trainings(model))
    size = Size(settings, trainings, trainings)
    pairs = train["options"]["snapshots"] // 2
    return {"close": size, "overfit": size, "smoothing": size._replace(repeats=pairs, trainings=1)}


def statistics(artifacts: Artifacts) -> Statistics:
    checks = artifacts["checks"]
    first = _distances(first_of(checks))
    ratios = [_times_apart(first, _distances(other)) for other in artifacts["others"].values()]
    return {
        "close": over_repeats(mean, of_each(partial(trk_checks.mean_distance, last=1.0), checks), scale="log"),
        "overfit": over_repeats(mean, of_each(_fall, checks)),
        "smoothing": max(ratios, key=lambda ratio: np.nan_to_num(np.abs(np.log(ratio.value)), nan=-1.0)),
    }


def _distances(check):
    """|tracked - AIS| of log Z in nats, at the updates where the standard error of AIS is at most KNOWN."""
    return trk_checks.apart(check)[trk_checks.is_known(check)]


def _fall(check):
    """Tracked validation likelihood at the best check point, minus its value at the end.

    The best check point has the largest likelihood by AIS before the last tenth of the updates. The result is NaN for
    few check points, or if AIS is too uncertain at all of them.
    """
    update = check["update"].values
    known = trk_checks.is_known(check) & (update < (1.0 - _END) * update.max(initial=0))
    if update.size < _FEWEST_CHECKS or not known.any():
        return np.nan
    best = int(np.argmax(np.where(known, trk_checks.likelihood(check, "validation", "log_z"), -np.inf)))
    tracked = trk_checks.likelihood(check, "validation", "tracked_log_z")
    return tracked[best] - tracked[-1]


def _times_apart(distances, others):
    """Mean of `others` (update,) divided by the mean of `distances` (update,), with pairs of updates as repeats."""
    pairs = [values[: values.size // 2 * 2].reshape(-1, 2).mean(axis=1) for values in (others, distances)]
    return over_repeats(ratio_of_means, *pairs, scale="log") if all(values.size for values in pairs) else untested()


def draw(artifacts: Artifacts, *, title: str) -> Figure:
    return trk_checks.draw_likelihoods(artifacts["trace"], artifacts["check"], title, "RTS")
