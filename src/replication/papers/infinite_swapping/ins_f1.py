"""Infinite swapping figure 1: images rounded to 0 and 1.

Two MNIST images, every pixel rounded to 0 or 1. Hult et al. (2019), figure 1.
"""

from collections.abc import Sequence
from math import isqrt

from replication.claim import Claim
from replication.papers.declaration import Here
from replication.reporting.style import finished, new_figure
from replication.types import Artifacts, Figure, Inputs

CLAIMS = {
    "": Claim(
        "Two examples of MNIST, rounded",
        "section 4.3, figure 1",
        "an illustration",
        "nothing",
        not_tested="an illustration, nothing to measure",
    )
}
# Width of the notice about stand-in data, in inches.
_NOTICE_WIDTH = 6.6


def inputs(here: Here) -> Inputs:
    return {"dataset": here.dataset(here.entry["dataset"])}


def draw(artifacts: Artifacts, *, examples: Sequence[int]) -> Figure:
    """Images as inputs of an RBM: every pixel is 0 (white) or 1 (black).

    examples: indices of examples; label units are left out. Raises ValueError for images that are not square.
    """
    from logzoo.datasets.build import visible_matrix

    dataset = artifacts["dataset"].isel(example=examples)
    units = dataset.sizes["visible"] - int(dataset.attrs.get("label_units", 0))
    side = isqrt(units)
    if side * side != units:
        raise ValueError(f"figure 1: expected square images, found {units} pixels")
    figure = new_figure(max(3.3 * len(examples), _NOTICE_WIDTH), 3.5)
    axes = figure.subplots(1, len(examples), squeeze=False)[0]
    images = visible_matrix(dataset)[:, :units].reshape(-1, side, side)
    for axis, image, label in zip(axes, images, dataset["label"].values, strict=True):
        axis.imshow(image, cmap="binary", vmin=0, vmax=1, interpolation="nearest")
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
        axis.set_title(f"label {int(label)}", loc="right", fontsize=9)
    return finished(figure, dataset, panels=axes)
