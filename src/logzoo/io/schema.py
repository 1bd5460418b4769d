"""Contents of artifacts: the variables that each kind needs, with dimensions, units and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import xarray


class Field(NamedTuple):
    """A required variable: its dimensions in order, and its units if they are fixed."""

    dimensions: tuple[str, ...]
    units: str | None = None


_PARAMETERS = {
    "weights": Field(("visible", "hidden")),
    "visible_bias": Field(("visible",)),
    "hidden_bias": Field(("hidden",)),
}
_RUNS = ("budget", "replicate")
_COMPARISONS = ("model", "estimator", "budget", "replicate")

SCHEMAS = {
    "dataset": {"data": Field(("example", "visible")), "split": Field(("example",))},
    "model": _PARAMETERS,
    "truth": dict.fromkeys(("log_z", "std_error"), Field((), "nat")),
    "estimate": {
        "budget": Field(("budget",), "sweep"),
        "replicate": Field(("replicate",), "1"),
        **dict.fromkeys(("log_z", "std_error"), Field(_RUNS, "nat")),
        "interval": Field((*_RUNS, "bound"), "nat"),
        "sweeps_spent": Field(_RUNS, "sweep"),
        "converged": Field(_RUNS, "1"),
    },
    "evidence": {
        **dict.fromkeys(("lower", "upper"), Field((), "nat")),
        **dict.fromkeys(("mass", "mass_std_error"), Field(("run",), "nat")),
    },
    "verdict": dict.fromkeys(("verdict", "value", "at_least", "at_most"), Field(("id",), "1")),
    "scorecard": dict.fromkeys(("verdict", "reason", "value"), Field(("id",), "1")),
    "trace": {},
    "snapshots": {
        "update": Field(("update",), "1"),
        **{name: Field(("update", *field.dimensions)) for name, field in _PARAMETERS.items()},
    },
    "check": {
        "update": Field(("update",), "1"),
        **dict.fromkeys(("log_z", "std_error"), Field(("update",), "nat")),
        "mean_log_f": Field(("update", "split"), "nat"),
    },
    "best": dict.fromkeys(
        ("test_log_likelihood_tracked", "test_log_likelihood_ais", "ais_std_error"), Field((), "nat")
    ),
    "table": {},
    "zoo": {
        **dict.fromkeys(("log_z", "std_error"), Field(_COMPARISONS, "nat")),
        "truth": Field(("model",), "nat"),
    },
}

# Attributes of NetCDF that scale or mask numbers. Artifacts are read without scaling.
_OTHER_NUMBERS, _MISSING = {"scale_factor", "add_offset"}, {"_FillValue", "missing_value"}


def check(dataset: xarray.Dataset, kind: str) -> None:
    """Raise a one-line ValueError unless a dataset is an artifact of this kind. Further variables are allowed."""
    if kind not in SCHEMAS:
        raise ValueError(f"unknown kind of artifact {kind!r}: expected one of {', '.join(SCHEMAS)}")
    if not any(variable.size for variable in dataset.data_vars.values()):
        raise ValueError(f"{kind} artifact holds no data")
    for name, field in SCHEMAS[kind].items():
        if name not in dataset.variables:
            names = sorted(map(str, dataset.variables))
            raise ValueError(f"{kind} artifact needs the variable {name!r}, found {names}")
        dimensions, units = dataset.variables[name].dims, dataset.variables[name].attrs.get("units")
        if dimensions != field.dimensions:
            raise ValueError(f"{kind} artifact: {name!r} needs the dimensions {field.dimensions}, found {dimensions}")
        if field.units not in (None, units):
            raise ValueError(f"{kind} artifact: {name!r} needs units {field.units!r}, found {units!r}")
    for name, variable in dataset.variables.items():
        for attribute in ("long_name", "units"):
            value = variable.attrs.get(attribute)
            if not isinstance(value, str) or not value:
                raise ValueError(
                    f"{kind} artifact: variable {name!r} needs the attribute {attribute!r} (a non-empty string)"
                )
        for attribute in _OTHER_NUMBERS & variable.attrs.keys():
            raise ValueError(f"{kind} artifact: {name!r} needs unscaled numbers, found the attribute {attribute!r}")
        for attribute in _MISSING & variable.attrs.keys():
            if np.isin(variable.values, variable.attrs[attribute]).any():
                raise ValueError(f"{kind} artifact: {name!r} needs unmasked values, found values masked by {attribute}")


# (dimensions, values, attributes)
Labelled = tuple[str | tuple[str, ...], Any, dict[str, str]]


def labelled(dimensions: str | tuple[str, ...], values: Any, long_name: str, units: str) -> Labelled:
    """A variable in the form that xarray takes: dimensions, values, and CF attributes long_name and units."""
    return dimensions, values, {"long_name": long_name, "units": units}


def coordinate(dimension: str, values: Iterable[Any], long_name: str, units: str = "1") -> Labelled:
    """A coordinate in the form that xarray takes. Values are numbers or names; NetCDF needs names as objects."""
    values = list(values)
    names = any(isinstance(value, str) for value in values)
    return labelled(dimension, np.array(values, dtype=object if names else None), long_name, units)
