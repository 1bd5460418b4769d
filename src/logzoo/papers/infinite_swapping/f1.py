"""Figures of Hult et al. (2019)."""

from math import isqrt

from logzoo.datasets.build import visible_matrix
from logzoo.figures.style import label_panels, mark_stand_in, new_figure

# Inches that the notice of stand-in data takes.
_NOTICE_WIDTH = 6.6


def figure_1(examples, titles):
    """Images as an RBM sees them: every pixel 0 (white) or 1 (black).

    examples: a data set of square images, cut down to those that are shown; label units are left out. titles: one for
    each. Raises ValueError for images that are not square and for another number of titles.
    """
    units = examples.sizes["visible"] - int(examples.attrs.get("label_units", 0))
    side = isqrt(units)
    if side * side != units:
        raise ValueError(f"figure 1: expected square images, found {units} pixels")
    if len(titles) != examples.sizes["example"]:
        raise ValueError(f"figure 1: expected {examples.sizes['example']} titles, found {len(titles)}")
    figure = new_figure(max(3.3 * len(titles), _NOTICE_WIDTH), 3.5)
    axes = figure.subplots(1, len(titles), squeeze=False)[0]
    images = visible_matrix(examples)[:, :units].reshape(-1, side, side)
    for axis, image, title in zip(axes, images, titles, strict=True):
        axis.imshow(image, cmap="binary", vmin=0, vmax=1, interpolation="nearest")
        axis.set_xticks([])
        axis.set_yticks([])
        axis.spines[:].set_visible(True)
        axis.set_title(title, loc="right", fontsize=9)
    label_panels(axes)
    mark_stand_in(figure, examples)
    return figure
