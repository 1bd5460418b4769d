"""Infinite swapping and parallel tempering with other initial parameters, more swaps and more temperatures.

Mean and variance over repeats of the exact mean log-likelihood during training, on toy data of 20 visible units. The
settings are other initial parameters, more swaps, and 12 temperatures with 4 chains each. Hult et al. (2019), section
4.2.
"""

from replication.claim import Claim, Size
from replication.papers.declaration import Here
from replication.papers.infinite_swapping import ins_experiments
from replication.papers.infinite_swapping.ins_trainings import LIKELIHOOD, draw_rows, values_of
from replication.reporting.statistics import difference_of_means, over_repeats
from replication.types import Artifacts, Figure, Inputs, Names, Settings, Statistics

CLAIMS = {
    "initial": Claim(
        "Another variance of the initial parameters gives the same results by INS",
        "section 4.2.2",
        "different draws do not yield different results, nor smaller changes in the variance",
        LIKELIHOOD.format("initial standard deviation 0.1 (variance 0.01, as printed) less 0.01 (Hinton 2010)"),
    ),
    "swaps": Claim(
        "More swap attempts an update have no significant effect on the results of PT",
        "section 4.2.6",
        "no significant effect, no number",
        LIKELIHOOD.format("PT with five sweeps, each with its swaps, an update, less PT with one"),
    ),
}
_INITIAL = "initial"


def inputs(here: Here) -> Inputs:
    name, needed = here.entry["comparison"], ("ins", "pt", "pt-5")
    here.expect("trainers", {*needed} <= {*here.entry["trainers"]}, f"a list with {', '.join(needed)}")
    changed = ins_experiments.compared(here, name, ["ins"], initial_scale=here.entry["initial_scale"])
    return {"runs": {**ins_experiments.compared(here, name, here.entry["trainers"]), _INITIAL: changed["ins"]}}


def settings(here: Here) -> Settings:
    name, scale = here.entry["comparison"], here.entry["initial_scale"]
    titles = ins_experiments.titles_of_trainers(here, name, here.entry["trainers"])
    return {
        "title": ins_experiments.comparison_of(here, name)["title"],
        "names": {**titles, _INITIAL: f"INS from N(0, {scale:g}²)"},
    }


def sizes(here: Here) -> dict[str, Size]:
    size = ins_experiments.size_of_comparison(here, here.entry["comparison"])
    return {
        "initial": size._replace(exploratory="the paper names no other variance"),
        "swaps": size._replace(exploratory="five swaps an update are ours, the paper names no number"),
    }


def statistics(artifacts: Artifacts) -> Statistics:
    levels = {name: values_of(run, "log_likelihood") for name, run in artifacts["runs"].items()}
    return {
        "initial": over_repeats(difference_of_means, levels[_INITIAL], levels["ins"]),
        "swaps": over_repeats(difference_of_means, levels["pt-5"], levels["pt"]),
    }


def draw(artifacts: Artifacts, *, title: str, names: Names) -> Figure:
    return draw_rows([(artifacts["runs"], title, "log_likelihood")], names)
