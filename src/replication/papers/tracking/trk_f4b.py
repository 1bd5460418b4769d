"""Tracking figure 4, right: early stopping by the tracker.

Mean log-likelihood of training and validation data while an RBM trains on dna, with the tracked log Z and with log Z by
AIS. The dotted line marks the update at which early stopping takes the parameters. The dashed line marks half of the
updates, because the published curve turns at epoch 250 of 500. Desjardins et al. (2011), figure 4.
"""

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.repeats import of_each, over_finite
from replication.papers.tracking import trk_checks
from replication.reporting.statistics import mean
from replication.types import Artifacts, Figure, Inputs, Statistics

_WHERE = "section 4, figure 4 right"
_BOTH = (
    "mean over the rows of the trace from 0.45 to 0.55 of the updates (250 of 500 epochs) {} over those of the last"
    " tenth, averaged over trainings"
)
_PILOT = "of the 25 nats that the axis of figure 4 spans; spread of two pilots with seeds of their own"
CLAIMS = {
    "turn": Claim(
        "The validation likelihood decreases after 250 epochs",
        _WHERE,
        "starts to decrease around 250 epochs",
        f"tracked validation log-likelihood [nat], as in the figure: {_BOTH.format('less the mean')}",
        at_least=0.0,
        bound="decreases",
        power=Power(1.0, 0.75, f"1 nat {_PILOT}"),
    ),
    "epoch": Claim(
        "When the validation likelihood starts to decrease",
        _WHERE,
        "250 of 500 epochs: 0.5",
        "update of the best tracked validation likelihood as a share of all updates, averaged over trainings",
    ),
    "train": Claim(
        "The training likelihood increases throughout training",
        _WHERE,
        "increases throughout training",
        f"tracked training log-likelihood [nat], as in the figure: {_BOTH.format('taken from the mean')}",
        at_least=0.0,
        bound="increases",
        power=Power(3.0, 1.7, f"3 nats {_PILOT}"),
    ),
    "close": Claim(
        "Tracked likelihoods and those by AIS",
        _WHERE,
        "curves",
        "mean |tracked - AIS| of log Z [nat] after the first tenth of a training, at check points where the standard"
        f" error of AIS is at most {trk_checks.KNOWN:g} nats; averaged over trainings",
    ),
}
# Interval of updates, as shares of all, in which the validation likelihood of the paper starts to fall.
_TURN = 0.45, 0.55
_PUBLISHED_TURN = 0.5  # epoch 250 of 500


def inputs(here: Here) -> Inputs:
    model = here.entry["model"]
    names = here.trainings(model)
    return {
        "trace": here.trace(model),
        "check": trk_checks.checked(here, model, "ais"),
        "traces": {name: here.trace(name) for name in names},
        "checks": trk_checks.all_checked(here, names),
    }


def sizes(here: Here) -> Size:
    """Our sizes beside the published sizes (figure 4, right). The paper prints only the number of epochs."""
    model = here.entry["model"]
    train = here.train(model)
    epochs = round(train["updates"] * train["batch"] / here.examples(model))
    count = len(here.trainings(model))
    return Size({"epochs": (epochs, 500), "hidden units": (train["hidden"], None)}, count, count)


def statistics(artifacts: Artifacts) -> Statistics:
    numbers = zip(("turn", "train", "epoch"), of_each(_numbers, artifacts["traces"]), strict=True)
    return {
        **{key: over_finite(mean, row) for key, row in numbers},
        "close": over_finite(mean, of_each(trk_checks.mean_distance, artifacts["checks"]), scale="log"),
    }


def _numbers(trace):
    """Decrease of validation and increase of training likelihood, and the best update as a share of all updates."""
    update = trace["update"].values
    through, late = update / update.max(initial=1), trk_checks.in_last(trace, 0.1)
    middle = (through >= _TURN[0]) & (through <= _TURN[1])
    train, validation = (trace[f"log_likelihood_{split}"].values for split in ("train", "validation"))
    best = trace.attrs.get("best_update", np.nan) / update.max(initial=1)
    return [validation[middle].mean() - validation[late].mean(), train[late].mean() - train[middle].mean(), best]


def draw(artifacts: Artifacts, *, title: str) -> Figure:
    figure = trk_checks.draw_likelihoods(artifacts["trace"], artifacts["check"], title, "Kalman")
    (axis,) = figure.axes
    half = _PUBLISHED_TURN * int(artifacts["trace"]["update"].values.max(initial=0))
    label = "half of the updates\n(published turn: epoch 250 of 500)"
    axis.axvline(half, color="grey", linestyle="--", linewidth=1.0, label=label)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return figure
