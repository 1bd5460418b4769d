"""Variables of a Dataset, labelled as every artifact wants them."""


def labelled(dimensions, values, long_name, units):
    """What xarray takes for a variable: dimensions, values, and CF attributes long_name and units."""
    return dimensions, values, {"long_name": long_name, "units": units}
