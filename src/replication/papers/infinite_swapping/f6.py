"""Infinite swapping figure 6: prediction accuracy on larger data.

Prediction accuracy while training on larger data, its mean and variance over repeats. Hult et al. (2019), figure 6.
"""

from replication.papers.declaration import Claim
from replication.papers.infinite_swapping import f3
from replication.papers.infinite_swapping.f3 import END, lead, loss, part, spread
from replication.reporting.statistics import difference_of_means, over_repeats

CLAIMS = {
    "spread": Claim(
        "On MNIST the accuracy varies least with INS early in training", "smallest variance initially", at_most=1.0
    ),
    "toy-spread": Claim(
        "On the larger toy data the accuracy varies least with INS early in training",
        "similarly for the toy data set",
        at_most=1.0,
        why="The few trainings that learn late or never make the variance, and INS has more of these than PT: without "
        "its worst one the claim is open.",
    ),
    "mnist": Claim(
        "On MNIST INS and PCD-1 end equally well", "differences all but disappear", at_least=-0.1, at_most=0.1
    ),
    "toy": Claim(
        "On the larger toy data INS and PCD-1 end nearly equally well", "a small difference", at_least=-0.1, at_most=0.1
    ),
    "later": Claim(
        "On the larger toy data INS classifies slightly better late in training", "slightly better", at_least=0.0
    ),
    "early": Claim(
        "On the larger toy data PCD-1 classifies best early in training",
        "best quality early in training",
        at_least=0.0,
        why="By their medians the three learn alike then. Means hang on the few trainings that learn late or never, "
        "and PCD-1 has more of these than PT: without its worst one the claim is open.",
    ),
    "degenerate": Claim(
        "On the larger toy data PCD-1 does not degenerate", "does not display degenerate behaviour", at_most=0.1
    ),
}
_START = 1.0 / 3.0
_VARIANCE = "variance of the accuracy over repeats, first third"
settings, draw = f3.settings, f3.draw


def inputs(here):
    return f3.inputs_of(here, 2)


def statistics(artifacts):
    """Variance and means of accuracies, from the comparisons on MNIST and on the larger toy data, in this order."""
    mnist, toy = artifacts["runs"].values()
    early, toy_early = (
        {name: part(run, "accuracy", 0.0, _START) for name, run in runs.items()} for runs in (mnist, toy)
    )
    ends = [{name: part(run, "accuracy", END, 1.0) for name, run in runs.items()} for runs in (mnist, toy)]

    def gain(end):
        return over_repeats(
            difference_of_means,
            end["ins"],
            end["pcd"],
            of="mean accuracy [nat] over the last fifth, INS - PCD-1",
        )

    return {
        "spread": spread(early, _VARIANCE),
        "toy-spread": spread(toy_early, _VARIANCE),
        "mnist": gain(ends[0]),
        "toy": gain(ends[1]),
        "later": lead(ends[1], "mean accuracy [nat] over the last fifth"),
        "early": lead(toy_early, "mean accuracy [nat] over the first third", "pcd"),
        "degenerate": loss(toy["pcd"], "accuracy", "accuracy"),
    }
