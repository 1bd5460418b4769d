"""Tracking figure 4, right: early stopping by the tracker.

Mean log-likelihood of training and validation data while training on dna, under the tracked log Z and by AIS; the line
marks the update whose parameters are kept. Desjardins et al. (2011), figure 4.
"""

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.tracking.trk_checks import (
    AIS,
    KNOWN,
    TRACKED,
    agreement,
    best_and_last,
    checked,
    difference,
    distance,
    halves,
    last_known,
)
from replication.papers.tracking.trk_drawing import draw_likelihoods

_RATE = (
    "The tracker lags behind large steps and does not know it: the longer the training, the farther; with the "
    "parameters held it comes to the truth."
)
_LATE = f"{_RATE} Late in a training that over-fits AIS finds mass in a mode besides, in some of its runs."
CLAIMS = {
    "turn": Claim(
        "The validation likelihood turns down before the end",
        "turns down near epoch 250",
        at_least=0.0,
        why="A matter of training, of which the paper names no settings: a longer one turns.",
    ),
    "train": Claim(
        "The training likelihood climbs on after the best validation likelihood", "climbs to the end", at_least=0.0
    ),
    "agree": Claim("The tracked likelihoods agree with AIS", "close", at_least=0.8, why=_RATE),
    "close": Claim(
        "Up to the best validation likelihood tracked log Z and AIS differ by less than half a nat",
        "curves together",
        at_most=0.5,
        why=_RATE,
    ),
    "late": Claim(
        "After the best validation likelihood tracked log Z and AIS differ by less than half a nat",
        "curves together",
        at_most=0.5,
        why=_LATE,
    ),
}


def inputs(here: Here) -> dict:
    model = here.entry["model"]
    return {"trace": here.trace(model), "check": checked(here, model, "ais")}


def statistics(artifacts: dict) -> dict:
    """From the AIS check of a training that over-fits; the trace is drawn, not judged.

    AIS has no part in the choice of the best check point, so its noise does not flatter the gain. A likelihood is too
    high where AIS misses mass: one that climbs is judged where AIS still knows log Z.
    """
    check = artifacts["check"]
    best, last = best_and_last(check, TRACKED)
    before, after = halves(check, best)
    turn = "validation likelihood by AIS [nat]: best tracked one - end"
    train = f"training likelihood by AIS [nat]: last before AIS errs by {KNOWN:g} nats - best tracked validation"
    return {
        "turn": difference(check, "validation", AIS, best, last, of=turn),
        "train": difference(check, "train", AIS, last_known(check, best), best, of=train),
        "agree": agreement(check),
        "close": distance(before, "up to the best tracked validation likelihood"),
        "late": distance(after, "after the best tracked validation likelihood"),
    }


def draw(artifacts: dict, *, title):
    """Early stopping: train and validation log-likelihood by the Kalman filter and by the check."""
    return draw_likelihoods(artifacts["trace"], artifacts["check"], title, "Kalman")
