"""Parts that figures of several papers share: one legend for all panels, estimates against sweeps, and images."""

from collections.abc import Callable, Iterable, Mapping
from math import isqrt
from typing import Any

from logzoo.types import Array
from replication.reporting.style import draw_band, look_of
from replication.types import Axes, Banded, Dataset, Figure, Names


def handles_of(axes: Iterable[Axes]) -> dict[str, Any]:
    """The handles {label: handle} of the legend of several panels."""
    return {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}


def add_legend(figure: Figure, axes: Iterable[Axes], loc: str, **look: Any) -> None:
    """Add one legend, with an entry for each label in these panels."""
    handles = handles_of(axes)
    figure.legend(handles.values(), handles.keys(), **{"loc": loc, "fontsize": 8, **look})


def draw_estimates(
    axis: Axes, estimates: Mapping[str, Dataset], band_of: Callable[[Array], Banded], names: Names
) -> None:
    """Draw a statistic of log Z (budget, replicate) with its band against sweeps, a line for each estimator."""
    for position, (name, estimate) in enumerate(estimates.items()):
        band = band_of(estimate["log_z"].transpose("budget", "replicate").values)
        draw_band(axis, estimate["budget"].values, band, label=names[name], **look_of(name, position))


def draw_image(axis: Axes, values: Array, colour: str = "black") -> None:
    """Draw a square image (pixel,) in a frame of this colour. Raises ValueError if the image is not square."""
    side = isqrt(values.size)
    if side * side != values.size:
        raise ValueError(f"images: expected square images, found {values.size} pixels")
    axis.imshow(values.reshape(side, side), cmap="binary", vmin=0, vmax=1, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set(visible=True, color=colour, linewidth=2 if colour != "black" else 0.8)
