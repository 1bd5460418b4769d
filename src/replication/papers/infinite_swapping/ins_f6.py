"""Infinite swapping figure 6: prediction accuracy on larger data.

Mean and variance over repeats of the prediction accuracy while training on larger data. The claims compare medians and
interquartile ranges, because a few trainings that never learn would dominate variances. Hult et al. (2019), figure 6.
"""

import numpy as np

from replication.claim import Claim, Power, Size
from replication.papers.declaration import Here
from replication.papers.infinite_swapping import ins_trainings
from replication.papers.infinite_swapping.ins_experiments import compared, size_of_comparison
from replication.papers.infinite_swapping.ins_trainings import END, FACTOR, LOST, RIVALS, loss_of, over_groups, part_of
from replication.types import Artifacts, Inputs, Statistics

_START = 1.0 / 3.0
_QUARTILES = (
    "interquartile range over repeats of the prediction accuracy, a mean over the snapshots of the first third of the "
    "updates, INS / the smaller of PCD-1 and PT (a variance would be that of a few trainings that never learn)"
)
_MEDIAN = (
    "median over repeats of the prediction accuracy (mean log-probability of the own label over the subset), a mean "
    "over the snapshots of the {} of the updates"
)
_APART = f"{_MEDIAN.format('last fifth')}: the largest less the smallest of INS, PCD-1 and PT [nat]"
_SMALLEST = 'smaller than 1: "for the MNIST data INS enjoys the smallest variance initially"'
_SMALL_LEAD = "0.04 nat, 1% of what the curves span; span and spread from an earlier run with another seed"
CLAIMS = {
    "spread": Claim(
        "On MNIST the accuracy varies least with INS initially",
        "section 4.5, figure 6 (upper)",
        "smallest variance initially",
        _QUARTILES,
        at_most=1.0,
        bound=_SMALLEST,
        scale="log",
        power=Power(0.8, 0.5, FACTOR),
    ),
    "toy-spread": Claim(
        "On the larger toy data, too, the accuracy varies least with INS initially",
        "section 4.5, figure 6 (lower)",
        "similarly for the toy data set",
        _QUARTILES,
        at_most=1.0,
        bound=f'{_SMALLEST}, "similarly for the toy data set"',
        scale="log",
        power=Power(0.8, 0.5, FACTOR),
    ),
    "mnist": Claim(
        "On MNIST the differences between INS, PCD-1 and PT have all but disappeared late in training",
        "section 4.5, figure 6 (upper)",
        "all but disappeared, no number",
        _APART,
    ),
    "toy": Claim(
        "On the larger toy data the algorithms differ little",
        "section 4.5, remark 2, figure 6 (lower)",
        "a small difference, no number",
        _APART,
    ),
    "later": Claim(
        "On the larger toy data INS classifies better than PCD-1 and PT later in training",
        "section 5, figure 6 (lower)",
        "slightly better classification capability",
        f"{_MEDIAN.format('last fifth')}, in nats: INS less the larger of PCD-1 and PT",
        at_least=0.0,
        bound='larger than 0: "INS again has slightly better classification capability later in training"',
        power=Power(0.04, 0.07, _SMALL_LEAD),
    ),
    "early": Claim(
        "On the larger toy data PCD-1 classifies better than INS and PT early in training",
        "section 5, figure 6 (lower)",
        "of best quality early in training",
        f"{_MEDIAN.format('first third')}, in nats: PCD-1 less the larger of INS and PT",
        at_least=0.0,
        bound='larger than 0: "the PCD-1 method seems of best quality early in training"',
        power=Power(0.04, 0.15, _SMALL_LEAD),
    ),
    "smaller": Claim(
        "The lead of INS is most notable for smaller data sets",
        "section 5, figures 5 and 6",
        "most notable for smaller data sets, no number",
        f"{_MEDIAN.format('last fifth')}, INS less the larger of PCD-1 and PT, in nats: 20 × 6 less 1178 × 600 units",
    ),
    "degenerate": Claim(
        "On the larger toy data PCD-1 does not show degenerate behaviour",
        "section 4.5, figure 6 (lower)",
        "no degenerate behaviour, no number",
        LOST.format("prediction accuracy"),
    ),
}
settings, draw = ins_trainings.settings, ins_trainings.draw


def inputs(here: Here) -> Inputs:
    small = compared(here, here.entry["smaller"], here.entry["trainers"])
    return {**ins_trainings.inputs_of(here, number=2), "small": small}


def sizes(here: Here) -> dict[str, Size]:
    mnist, toy = (size_of_comparison(here, name) for name in here.entry["comparisons"])
    return {key: mnist if key in ("mnist", "spread") else toy for key in CLAIMS}


def statistics(artifacts: Artifacts) -> Statistics:
    """Interquartile ranges and medians of accuracies; `runs` has MNIST first, then the larger toy data."""
    mnist, toy = artifacts["runs"].values()

    def parts(runs, first, last, best="ins"):
        order = [best, *(name for name in ("ins", *RIVALS) if name != best)]
        return [part_of(runs[name], "accuracy", first, last) for name in order]

    def of(statistic, runs, first, last, scale="linear", best="ins"):
        return over_groups(statistic, *parts(runs, first, last, best), scale=scale)

    ends = [*parts(artifacts["small"], END, 1.0), *parts(toy, END, 1.0)]

    return {
        "spread": of(_ratio_of_quartiles, mnist, 0.0, _START, "log"),
        "toy-spread": of(_ratio_of_quartiles, toy, 0.0, _START, "log"),
        "mnist": of(_range_of_medians, mnist, END, 1.0),
        "toy": of(_range_of_medians, toy, END, 1.0),
        "later": of(_lead_of_medians, toy, END, 1.0),
        "early": of(_lead_of_medians, toy, 0.0, _START, best="pcd"),
        "smaller": over_groups(lambda *ends: _lead_of_medians(*ends[:3]) - _lead_of_medians(*ends[3:]), *ends),
        "degenerate": loss_of(toy["pcd"], "accuracy"),
    }


def _quantiles(array, levels):
    """Means over updates of quantiles over repeats (level, resample), of an array (resample, update, member, group)."""
    return np.quantile(array, levels, axis=(2, 3)).mean(axis=-1)


def _ratio_of_quartiles(*arrays):
    low, high = np.array([_quantiles(array, [0.25, 0.75]) for array in arrays]).swapaxes(0, 1)
    above, *below = high - low
    return above / np.min(below, axis=0)


def _medians(arrays):
    return np.array([_quantiles(array, [0.5])[0] for array in arrays])


def _lead_of_medians(*arrays):
    best, *rivals = _medians(arrays)
    return best - np.max(rivals, axis=0)


def _range_of_medians(*arrays):
    return np.ptp(_medians(arrays), axis=0)
