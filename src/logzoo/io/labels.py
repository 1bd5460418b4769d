"""Variables of a Dataset, labelled as every artifact wants them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

# (dimensions, values, attributes)
Labelled = tuple[str | tuple[str, ...], Any, dict[str, str]]


def labelled(dimensions: str | tuple[str, ...], values: Any, long_name: str, units: str) -> Labelled:
    """What xarray takes for a variable: dimensions, values, and CF attributes long_name and units."""
    return dimensions, values, {"long_name": long_name, "units": units}


def coordinate(dimension: str, values: Iterable[Any], long_name: str, units: str = "1") -> Labelled:
    """What xarray takes for the coordinate of a dimension: numbers, or names, which NetCDF wants as objects."""
    values = list(values)
    names = any(isinstance(value, str) for value in values)
    return labelled(dimension, np.array(values, dtype=object if names else None), long_name, units)
