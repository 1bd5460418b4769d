"""What each kind of artifact holds: the variables that must be there, their dimensions and their units."""

from typing import NamedTuple

import xarray


class Field(NamedTuple):
    """A required variable: its dimensions in order, and its units where they are fixed."""

    dimensions: tuple[str, ...]
    units: str | None = None


_RUNS = ("budget", "replicate")
_COMPARISONS = ("model", "estimator", "budget", "replicate")

SCHEMAS: dict[str, dict[str, Field]] = {
    "dataset": {
        "data": Field(("example", "visible")),
        "split": Field(("example",)),
    },
    "model": {
        "weights": Field(("visible", "hidden")),
        "visible_bias": Field(("visible",)),
        "hidden_bias": Field(("hidden",)),
    },
    "truth": {
        "log_z": Field((), "nat"),
        "std_error": Field((), "nat"),
    },
    "estimate": {
        "budget": Field(("budget",), "sweep"),
        "replicate": Field(("replicate",), "1"),
        "log_z": Field(_RUNS, "nat"),
        "std_error": Field(_RUNS, "nat"),
        "interval": Field((*_RUNS, "bound"), "nat"),
        "sweeps_spent": Field(_RUNS, "sweep"),
        "converged": Field(_RUNS, "1"),
    },
    "verdict": {
        "verdict": Field(("id",), "1"),
        "value": Field(("id",), "1"),
        "threshold": Field(("id",), "1"),
    },
    "scorecard": {
        "verdict": Field(("id",), "1"),
        "reason": Field(("id",), "1"),
        "value": Field(("id",), "1"),
    },
    "trace": {},
    "snapshots": {
        "update": Field(("update",), "1"),
        "weights": Field(("update", "visible", "hidden")),
        "visible_bias": Field(("update", "visible")),
        "hidden_bias": Field(("update", "hidden")),
    },
    "check": {
        "update": Field(("update",), "1"),
        "log_z": Field(("update",), "nat"),
        "std_error": Field(("update",), "nat"),
        "mean_log_f": Field(("update", "split"), "nat"),
    },
    "best": {
        "test_log_likelihood_tracked": Field((), "nat"),
        "test_log_likelihood_ais": Field((), "nat"),
        "ais_std_error": Field((), "nat"),
    },
    "table": {},
    "zoo": {
        "log_z": Field(_COMPARISONS, "nat"),
        "std_error": Field(_COMPARISONS, "nat"),
        "truth": Field(("model",), "nat"),
    },
}

ALL = "all"
# Variables that may hold NaN, by kind (ALL: any of them). No kind holds infinite numbers.
INCOMPLETE: dict[str, str | set[str]] = {
    "trace": ALL,  # what was not tried, or did not fit the rows beside it
    "table": ALL,
    "check": {"tracked_log_z", "tracked_std_dev"},
    "verdict": {"value", "low", "high"},
    "scorecard": {"value", "low", "high", "threshold"},
    "zoo": {"log_z", "std_error", "interval"},
}
# Variables that are distributions, and the dimension over which they sum to one.
DISTRIBUTIONS = {"transition_matrix": "part_after", "occupancy": "rung"}


def may_be_missing(kind: str, name: str) -> bool:
    """Whether a variable of an artifact of that kind may hold NaN; of estimates, the diagnostics may."""
    if kind == "estimate":
        return name not in SCHEMAS[kind]
    return INCOMPLETE.get(kind) == ALL or name in INCOMPLETE.get(kind, ())


def check(dataset: xarray.Dataset, kind: str) -> None:
    """Check that a dataset is a valid artifact of a kind; variables beyond the required ones are welcome.

    Raises ValueError, one line naming the first thing that is wrong.
    """
    if kind not in SCHEMAS:
        raise ValueError(f"no artifact kind {kind!r}: choose from {', '.join(SCHEMAS)}")
    if not any(variable.size for variable in dataset.data_vars.values()):
        raise ValueError(f"{kind} artifact holds no data")
    for name, field in SCHEMAS[kind].items():
        _check_field(dataset, kind, name, field)
    for name, variable in dataset.variables.items():
        for attribute in ("long_name", "units"):
            value = variable.attrs.get(attribute)
            if not isinstance(value, str) or not value:
                raise ValueError(f"{kind} artifact: variable {name!r} needs a {attribute} (a non-empty string)")


def _check_field(dataset: xarray.Dataset, kind: str, name: str, field: Field) -> None:
    if name not in dataset.variables:
        raise ValueError(f"{kind} artifact needs the variable {name!r}, found {sorted(map(str, dataset.variables))}")
    variable = dataset.variables[name]
    if variable.dims != field.dimensions:
        raise ValueError(f"{kind} artifact: {name!r} needs the dimensions {field.dimensions}, found {variable.dims}")
    units = variable.attrs.get("units")
    if field.units is not None and units != field.units:
        raise ValueError(f"{kind} artifact: {name!r} needs units {field.units!r}, found {units!r}")
