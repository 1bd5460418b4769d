"""Checks of one artifact by itself: its schema, its numbers, what it spent, its content hash."""

import contextlib
import re

import numpy as np

from logzoo.artifacts import schema
from logzoo.artifacts.json_objects import json_object
from logzoo.artifacts.netcdf import content_sha256, load_raw
from logzoo.artifacts.seals import check_seal
from logzoo.reporting.verdicts import NOT_TESTED, UNDECIDED

# Distributions are sums of at most a few thousand float64 numbers.
_ROUNDING = 1e-9
# What a file that was edited may make a check raise.
_CANNOT = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)


def check_file(findings, folder, path, kind):
    """Check one artifact; returns its content hash and what it records of how it was made, None where unreadable."""

    def read():
        check_seal(folder / path)
        return load_raw(folder / path)

    # A damaged file surfaces as any of a dozen errors, by where the damage is.
    dataset = findings.read(path, "readable", read, "a NetCDF file as it was written", Exception)
    if dataset is None:
        return None, None
    record = {"inputs": {}, "parameters": {}, "source": dataset.attrs.get("source_sha256")}
    for key in ("inputs", "parameters"):
        with contextlib.suppress(KeyError, TypeError, ValueError):  # no JSON object: that is a fault of its own
            record[key] = json_object(dataset.attrs[f"{key}_json"])
    return check_artifact(findings, path, dataset, kind), record


def check_artifact(findings, path, dataset, kind):
    """Enter all checks of an artifact (as `load_raw` gives it) by itself; returns its content hash, None if none."""
    for name, check in _CHECKS.items():
        try:
            for passed, found, expected in check(dataset, kind):
                findings.check(path, name, passed, found, expected)
        except _CANNOT as error:
            findings.check(path, name, False, repr(error), f"a {kind} artifact")
    try:
        content = content_sha256(dataset)
    except _CANNOT:
        content = None
    stated = dataset.attrs.get("content_sha256", "none")
    findings.check(path, "content", content == stated, f"content {content}", f"content_sha256 {stated}")
    return content


def _schema(dataset, kind):
    stated = dataset.attrs.get("artifact_schema")
    yield stated == f"{kind}/1", f"artifact_schema {stated}", f"{kind}/1, by the path of the file"
    schema.check(dataset, kind)


def _provenance(dataset, _kind):
    for name in ("parameters_json", "inputs_json", "software_json"):
        text = dataset.attrs[name]
        yield _is_object(text), f"{name} {text:.60}", "a JSON object"
    source = dataset.attrs["source_sha256"]
    yield re.fullmatch("[0-9a-f]{64}", source), f"source_sha256 {source:.70}", "64 hexadecimal digits"
    yield isinstance(dataset.attrs["seed_path"], str), "no seed_path", "a text"


def _is_object(text):
    with contextlib.suppress(ValueError):
        json_object(text)
        return True
    return False


def _values(dataset, kind):
    """Nothing is infinite; NaN only where the kind allows it and, if it asks for a reason, there is one."""
    missing_where = {}
    if kind == "zoo":
        missing_where = dict.fromkeys(("log_z", "std_error", "interval"), dataset["sweeps_spent"] == 0)
    elif kind in ("verdict", "scorecard"):
        untested = dataset["verdict"] == NOT_TESTED
        # Too few repeats have a value, and no interval.
        open_ended = untested | (dataset["verdict"] == UNDECIDED)
        missing_where = {"value": untested, "low": open_ended, "high": open_ended}
    for name, variable in dataset.variables.items():
        if variable.dtype.kind == "f":
            wrong = ~np.isfinite(variable.values)
            if wrong.any():  # labelled arrays take ten times as long
                allowed = missing_where.get(name, schema.may_be_missing(kind, name))
                wrong = np.isinf(dataset[name]) | (np.isnan(dataset[name]) & np.logical_not(allowed))
            yield not wrong.any(), f"{name}: {int(wrong.sum())} infinite or NaN", "finite numbers"


def _distributions(dataset, _kind):
    for name, dimension in schema.DISTRIBUTIONS.items():
        if name in dataset and dimension in dataset[name].dims:
            values = dataset[name].astype(np.float64)
            precision = np.float32 if dataset[name].dtype == np.float32 else np.float64
            rounding = max(_ROUNDING, dataset.sizes[dimension] * float(np.finfo(precision).eps))
            # A part of the ladder that no chain left has a row of zeros.
            left = (values != 0.0).any(dimension)
            worst, least = float(abs(values.sum(dimension) - left).max()), float(values.min())
            found = f"{name}: sums off by {worst:.3g}, least entry {least:.3g}"
            yield worst <= rounding and least >= 0.0, found, f"at least 0, sums over {dimension} of 1, or zeros alone"


def _budget(dataset, kind):
    """No more was spent than the budget; budgets, replicates and chains of an estimate are those of its parameters."""
    if kind not in ("estimate", "zoo"):
        return
    spent, budget = dataset["sweeps_spent"], dataset["budget"]
    least = 0 if kind == "zoo" else 1
    passed = ((spent <= budget) & (spent >= least)).all()
    yield passed, f"sweeps_spent {spent.values.tolist()}", f"{least} to {budget.values.tolist()}"
    if kind == "estimate":
        parameters = json_object(dataset.attrs["parameters_json"])
        wanted = {key: parameters.get(key) for key in ("budgets", "replicates", "chains")}
        chains = int(dataset.attrs.get("chains", 0))
        found = {"budgets": budget.values.tolist(), "replicates": dataset.sizes["replicate"], "chains": chains}
        yield found == wanted, found, wanted


_CHECKS = {
    "schema": _schema,
    "provenance": _provenance,
    "values": _values,
    "distributions": _distributions,
    "budget": _budget,
}
