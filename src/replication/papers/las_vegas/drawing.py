"""What figures of tours share: tails of their lengths, and images."""

from math import isqrt

import numpy as np

# Light to dark as hidden units, or the stopping set, grow.
COLOURS = ("#E69F00", "#009E73", "#56B4E9", "#0072B2", "#CC79A7", "#332288")


def tail(lengths):
    """Lengths that occur, and the share of tours that are longer than each."""
    values, counts = np.unique(lengths, return_counts=True)
    return values, 1.0 - np.cumsum(counts) / lengths.size


def draw_tail(axis, lengths, **look):
    """A line of the tail of lengths."""
    values, longer = tail(lengths)
    # What is never seen cannot be drawn on a logarithmic axis.
    seen = np.where(longer > 0.0, longer, np.nan)
    # No tour is shorter than one sweep.
    axis.plot([1.0, *values], [1.0, *seen], drawstyle="steps-post", **look)


def finish_tails(axis, cap):
    """Axes of tails, and a line where tours were cut."""
    axis.axvline(cap, color="#999999", linestyle=":", linewidth=1)
    at_bottom = axis.get_xaxis_transform()
    axis.text(cap, 0.02, "cap ", fontsize=8, color="#666666", ha="right", va="bottom", transform=at_bottom)
    axis.set(xscale="log", yscale="log", xlabel="length n [sweeps]", ylabel="share of tours longer than n")


def draw_image(axis, values, colour):
    """A square image (pixel,) in a frame of that colour; ValueError for others."""
    side = isqrt(values.size)
    if side * side != values.size:
        raise ValueError(f"images: expected square ones, found {values.size} pixels")
    axis.imshow(values.reshape(side, side), cmap="binary", vmin=0, vmax=1, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set(visible=True, color=colour, linewidth=2 if colour != "black" else 0.8)
