"""Variables of a Dataset, labelled as every artifact wants them."""

import numpy as np


def labelled(dimensions, values, long_name, units):
    """What xarray takes for a variable: dimensions, values, and CF attributes long_name and units."""
    return dimensions, values, {"long_name": long_name, "units": units}


def coordinate(dimension, values, long_name, units="1"):
    """What xarray takes for the coordinate of a dimension: numbers, or names, which NetCDF wants as objects."""
    values = list(values)
    names = any(isinstance(value, str) for value in values)
    return labelled(dimension, np.array(values, dtype=object if names else None), long_name, units)
