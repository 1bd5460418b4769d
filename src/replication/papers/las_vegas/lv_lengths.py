"""Lengths of tours of trained models: experiments, sizes, statistics and drawing for figures 2 and 3."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from logzoo.types import Array
from replication.claim import Size
from replication.papers.declaration import Here
from replication.papers.experiment import Experiment
from replication.reporting.style import plain_logarithms
from replication.types import Axes, Dataset, Inputs

# From the paper and its code: tours of figures 2 and 3, hidden units of the model, updates of its training, and the
# length at which figure 3 cuts tours.
TOURS, HIDDEN, UPDATES, LIMIT = 19_200, 32, 42_900, 99_999
# Measured mean length of tours with 32 hidden units. The mean is over both settings of `visible` and all stopping sets
# of lv-f2b.
_MEAN_LENGTH = 1_100


def lengths(here: Here, model: str) -> dict[str, Experiment]:
    """Experiments {training: Experiment} on tour lengths, for every training of a model.

    The tours of the model of lv-f2b run to stopping sets of several sizes. All models trained as published have the
    `cap` of lv-f3, because figure 3 shows tours that are unfinished at this length.
    """
    tails, sets, images = (here.of(name).entry for name in ("lv-f2a", "lv-f2b", "lv-f3"))
    trained_as_published = model in tails["means"]
    settings = {
        **{key: tails[key] for key in ("batches", "batch")},
        "cap": images["cap"] if trained_as_published else tails["cap"],
        "rounds": sets["rounds"] if model == sets["model"] else [1],
        "visible": ["draws", "means"] if trained_as_published else ["draws"],
        "shown": images["shown"],
    }
    # The sweeps of tours are counted, as `sampling`. The kind `tours` counts whole tours.
    tours = settings["batches"] * settings["batch"] * len(settings["rounds"]) * len(settings["visible"])
    draws = (max(settings["rounds"]) + 1) * len(settings["rounds"]) * here.examples(model)
    return {
        name: here.experiment(
            "replication.papers.las_vegas.lv_tours:lengths",
            here.model_and_data(name),
            settings,
            f"tours/{name}",
            stream=("tour-lengths", name),
            work={"sampling": here.visits(model, tours * min(settings["cap"], _MEAN_LENGTH) + draws)},
            most={"sampling": here.visits(model, tours * settings["cap"] + draws)},
        )
        for name in here.trainings(model)
    }


def lengths_of_model(here: Here) -> Inputs:
    """Input `tours` of a figure of one model."""
    return {"tours": lengths(here, here.entry["model"])}


def size_of_model(here: Here) -> Size:
    """The Size behind statistics of the tours of the model of a figure."""
    return tour_size(here, [here.entry["model"]])


def tour_size(here: Here, models: Iterable[str]) -> Size:
    """The Size behind statistics of the tours of these models."""
    tails, cap = here.of("lv-f2a").entry, here.of("lv-f3").entry["cap"]
    trainings = min(len(here.trainings(name)) for name in models)
    settings: dict[str, tuple[float, float | None]] = {
        "hidden units": (max(here.train(name)["hidden"] for name in models), HIDDEN),
        "updates": (min(here.train(name)["updates"] for name in models), UPDATES),
        "tours": (tails["batches"] * tails["batch"], TOURS),
        "longest tour": (cap, LIMIT),
    }
    return Size(settings, trainings, trainings)


def with_means(tours: Dataset, name: str = "length", rounds: int = 0) -> Array:
    """A variable (batch, tour) of the tours to stopping set number `rounds`, with visible units at their means."""
    # NumPy indexing, because `sel` and `isel` take a hundred times as long.
    visible = tours.variables["visible"].values.tolist().index("means")
    return tours.variables[name].values[visible, rounds]


def draw_tail(axis: Axes, lengths: Array, **look: Any) -> None:
    """Draw the share of tours longer than each length."""
    values, counts = np.unique(lengths, return_counts=True)
    longer = 1.0 - np.cumsum(counts) / lengths.size
    # A logarithmic axis cannot show 0.
    seen = np.where(longer > 0.0, longer, np.nan)
    # No tour is shorter than one sweep.
    axis.plot([1.0, *values], [1.0, *seen], drawstyle="steps-post", **look)


def finish_tails(axis: Axes, cap: int) -> None:
    """Label and scale the axis of tails, and mark the length at which tours were cut."""
    axis.axvline(cap, color="#999999", linestyle=":", linewidth=1)
    at_bottom = axis.get_xaxis_transform()
    axis.text(cap, 0.02, "cap ", fontsize=8, color="#666666", ha="right", va="bottom", transform=at_bottom)
    axis.set(xlabel="length n [sweeps]", ylabel="share of tours longer than n")
    plain_logarithms(axis.xaxis, axis.yaxis)
