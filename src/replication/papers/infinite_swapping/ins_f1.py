"""Infinite swapping figure 1: images rounded to 0 and 1.

Two MNIST images, every pixel rounded to 0 or 1. Hult et al. (2019), figure 1.
"""

from collections.abc import Sequence

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.papers.panels import draw_image
from replication.reporting.style import finished, new_figure
from replication.types import Artifacts, Figure, Inputs

CLAIMS = {
    "": Claim(
        "Two examples of MNIST, rounded",
        "section 4.3, figure 1",
        "an illustration",
        not_tested="an illustration, nothing to measure",
    )
}
# Width of the notice about stand-in data, in inches.
_NOTICE_WIDTH = 6.6


def inputs(here: Here) -> Inputs:
    return {"dataset": here.dataset(here.entry["dataset"])}


def draw(artifacts: Artifacts, *, examples: Sequence[int]) -> Figure:
    """Draw examples by their indices. Every pixel is 0 (white) or 1 (black); label units are left out."""
    from logzoo.datasets.build import visible_matrix

    dataset = artifacts["dataset"].isel(example=examples)
    units = dataset.sizes["visible"] - int(dataset.attrs.get("label_units", 0))
    figure = new_figure(max(3.3 * len(examples), _NOTICE_WIDTH), 3.5)
    axes = figure.subplots(1, len(examples), squeeze=False)[0]
    for axis, image, label in zip(axes, visible_matrix(dataset), dataset["label"].values, strict=True):
        draw_image(axis, image[:units])
        axis.set_title(f"label {int(label)}", loc="right", fontsize=9)
    return finished(figure, dataset, panels=axes)
