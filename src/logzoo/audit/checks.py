"""Checks of one artifact by itself: its schema, its numbers, what it spent, its content hash."""

import json
import re

import numpy as np

from logzoo.artifacts import schema
from logzoo.artifacts.netcdf import CONVENTIONS, content_sha256
from logzoo.reporting.verdicts import NOT_TESTED

# Distributions are sums of at most a few thousand float64 numbers.
_ROUNDING = 1e-9
_DIGEST = re.compile("[0-9a-f]{64}")
# What a file that was edited may make a check raise.
_CANNOT = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)


def check_artifact(findings, path, dataset, kind):
    """Enter all checks of an artifact (as `load_raw` gives it) by itself; returns its content hash as it is now.

    The hash is None where there is none.
    """

    def enter(name, passed, found, expected):
        return findings.check(path, kind, name, passed, found, expected)

    for name, check in (("schema", _schema), ("provenance", _provenance), *_BY_KIND.get(kind, ()), *_OF_ALL):
        try:
            check(enter, dataset, kind)
        except _CANNOT as error:
            enter(name, False, f"not to be checked: {error!r}", f"a {kind} artifact")
    try:
        found, stated = content_sha256(dataset), dataset.attrs.get("content_sha256")
    except _CANNOT as error:
        enter("content", False, error, "values and attributes that can be hashed")
        return None
    enter("content", found == stated, f"content {found}", f"content_sha256 {stated}")
    return found


def _schema(enter, dataset, kind):
    stated = dataset.attrs.get("artifact_schema")
    if enter("schema", stated == f"{kind}/1", f"artifact_schema {stated}", f"{kind}/1, by the place of the file"):
        try:
            schema.check(dataset, kind)
        except ValueError as error:
            enter("schema", False, error, "what the schema of the kind says")


def _provenance(enter, dataset, _kind):
    """Attributes that every artifact has, in the form that they are written in."""
    for name in ("parameters_json", "inputs_json", "software_json"):
        text = dataset.attrs.get(name)
        try:
            content = json.loads(text)
            passed = isinstance(content, dict)
            passed = passed and json.dumps(content, sort_keys=True, separators=(",", ":")) == text
        except (TypeError, ValueError):
            passed = False
        enter("provenance", passed, f"{name} {str(text):.60}", "a JSON object as write_artifact writes it")
    source = str(dataset.attrs.get("source_sha256"))
    enter("provenance", _DIGEST.fullmatch(source), f"source_sha256 {source:.70}", "64 hexadecimal digits")
    conventions = dataset.attrs.get("Conventions")
    enter("provenance", conventions == CONVENTIONS, f"Conventions {conventions}", CONVENTIONS)
    enter("provenance", isinstance(dataset.attrs.get("seed_path"), str), "no seed_path", "a text")


def _values(enter, dataset, kind):
    """NaN only where the kind allows it, and then only where there is a reason; nothing infinite."""
    for name, variable in dataset.variables.items():
        if variable.dtype.kind != "f":
            continue
        infinite = int(np.isinf(variable.values).sum())
        missing = int(np.isnan(variable.values).sum())
        where = f"{name}: {infinite} infinite, {missing} NaN of {variable.size}"
        allowed = schema.may_be_missing(kind, name)
        expected = "nothing infinite" if allowed else "finite numbers"
        enter("values", infinite == 0 and (allowed or missing == 0), where, expected)
    reason = _reason_for_gaps(dataset, kind)
    if reason is not None:
        names, excused, text = reason
        for name in names:
            gaps = dataset[name].isnull()
            enter("values", not (gaps & ~excused).any(), f"{name}: NaN", f"NaN {text} only")


def _reason_for_gaps(dataset, kind):
    """Variables that may be NaN in some places only: their names, those places, and what the places are."""
    if kind == "zoo":
        return ("log_z", "std_error", "interval"), dataset["sweeps_spent"] == 0, "where nothing was spent"
    if kind == "verdict" or kind == "scorecard":
        names = [name for name in ("value", "low", "high") if name in dataset]
        return names, dataset["verdict"] == NOT_TESTED, f"where the verdict is {NOT_TESTED!r}"
    return None


def _distributions(enter, dataset, _kind):
    for name, dimension in schema.DISTRIBUTIONS.items():
        if name in dataset and dimension in dataset[name].dims:
            values = dataset[name]
            # A part of the ladder that no chain left has a row of zeros.
            left = (values != 0.0).any(dimension)
            worst = float(abs(values.sum(dimension) - left).max())
            passed = worst <= _ROUNDING and bool((values >= 0.0).all())
            found = f"{name}: sums off by {worst:.3g}, least entry {float(values.min()):.3g}"
            enter(
                "distributions", passed, found, f"entries of at least 0 that sum to 1 over {dimension}, or zeros alone"
            )


def _budgets(enter, dataset, _kind):
    """Budgets, replicates and chains are those of the parameters, and no more was spent."""
    parameters = json.loads(dataset.attrs["parameters_json"])
    said = {key: parameters.get(key) for key in ("budgets", "replicates", "chains")}
    found = {
        "budgets": dataset["budget"].values.tolist(),
        "replicates": dataset.sizes["replicate"],
        "chains": int(dataset.attrs.get("chains", 0)),
    }
    enter("budget", found == said, found, said)
    spent, budget = dataset["sweeps_spent"], dataset["budget"]
    passed = bool(((spent <= budget) & (spent > 0)).all())
    enter("budget", passed, f"sweeps_spent {spent.values.tolist()}", f"1 to {budget.values.tolist()}")


def _zoo_budgets(enter, dataset, _kind):
    spent = (dataset["sweeps_spent"] <= dataset["budget"]).all()
    enter("budget", spent, "sweeps beyond the budget", "sweeps_spent at most budget")


_OF_ALL = (("values", _values), ("distributions", _distributions))
_BY_KIND = {"estimate": (("budget", _budgets),), "zoo": (("budget", _zoo_budgets),)}
