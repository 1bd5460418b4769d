"""Tracking figure 4, right: early stopping by the tracker.

Mean log-likelihood of training and validation data while training on dna, under the tracked log Z and by AIS; the line
marks the update whose parameters are kept. Desjardins et al. (2011), figure 4.
"""

from logzoo.papers.declaration import Claim
from logzoo.papers.tracking.checks import checked
from logzoo.papers.tracking.likelihoods import draw_likelihoods
from logzoo.papers.tracking.statistics import AIS, TRACKED, agreement, best_and_last, difference, distance

_RATE = (
    "The tracker lags behind large steps: at a learning rate of 0.05 it was off by up to 4.6 nats, at the published "
    "0.01 by 0.28 nat in the mean over 32,000 updates and by 1.2 over 80,000, and with the parameters held by less "
    "than 0.02."
)
CLAIMS = {
    "turn": Claim(
        "The validation likelihood turns down before the end",
        "turns down near epoch 250",
        at_least=0.0,
        why="The paper names no settings of this training. At a learning rate of 0.01 and batches of 20 the validation "
        "likelihood by AIS still climbed at epoch 286, by 0.25 nat a thousand updates, and lay 10 nats below that of "
        "training; by epoch 1,143 it had turned and lost 10 nats.",
    ),
    "train": Claim(
        "The training likelihood climbs on after the best validation likelihood", "climbs to the end", at_least=0.0
    ),
    "agree": Claim("The tracked likelihoods agree with AIS", "close", at_least=0.8, why=_RATE),
    "close": Claim("Tracked log Z and AIS differ by less than half a nat", "curves together", at_most=0.5, why=_RATE),
}


def inputs(here):
    model = here.entry["model"]
    return {"trace": here.trace(model), "check": checked(here, model, "ais")}


def statistics(artifacts):
    """From the AIS check of a training that over-fits; the trace is drawn, not judged.

    AIS has no part in the choice of the best check point, so its noise does not flatter the gain.
    """
    check = artifacts["check"]
    best, last = best_and_last(check, TRACKED)
    turn = "validation likelihood by AIS [nat]: best tracked one - end"
    train = "training likelihood by AIS [nat]: end - best tracked validation"
    return {
        "turn": difference(check, "validation", AIS, best, last, of=turn),
        "train": difference(check, "train", AIS, last, best, of=train),
        "agree": agreement(check),
        "close": distance(check),
    }


def draw(artifacts, *, title):
    """Early stopping: train and validation log-likelihood by the Kalman filter and by the check."""
    return draw_likelihoods(artifacts["trace"], artifacts["check"], title, "Kalman")
