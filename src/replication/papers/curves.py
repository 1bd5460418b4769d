"""Parts that figures of several papers share: one legend for all panels, and errors of log Z against budgets."""

from collections.abc import Iterable
from typing import Any

from replication.types import Axes, Figure


def handles_of(axes: Iterable[Axes]) -> dict[str, Any]:
    """The handles {label: handle} of the legend of several panels."""
    return {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}


def add_legend(figure: Figure, axes: Iterable[Axes], loc: str, **look: Any) -> None:
    """Add one legend, with an entry for each label in these panels."""
    handles = handles_of(axes)
    figure.legend(handles.values(), handles.keys(), **{"loc": loc, "fontsize": 8, **look})
