"""The workflow's configuration: checked against its schemas and within itself before anything runs."""

from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from logzoo.estimators.registry import ESTIMATORS
from logzoo.trainers.registry import TRAINERS


def check_configuration(config, schema_folder):
    """Check the merged configuration; ValueError in one line naming the key and what was expected."""
    datasets = {key: config.get(key, {}) for key in ("sources", "datasets")}
    _check_schema(config, Path(schema_folder) / "config.schema.yaml")
    _check_schema(datasets, Path(schema_folder) / "datasets.schema.yaml")
    matrix, truth = config["matrix"], config["truth"]
    _check_names("matrix.models", matrix["models"], config["models"])
    _check_names("matrix.estimators", matrix["estimators"], config["estimators"])
    _check_names("truth.estimators", truth["estimators"], config["estimators"])
    for name, entry in config["models"].items():
        _check_names(f"models.{name}.dataset", [entry["dataset"]], config["datasets"])
        _check_names(f"models.{name}.train.method", [entry["train"]["method"]], TRAINERS)
        if "import" in entry:
            _check_names(f"models.{name}.import.source", [entry["import"]["source"]], config["sources"])
    for name, entry in config["estimators"].items():
        _check_names(f"estimators.{name}.method", [entry["method"]], ESTIMATORS)
    for name, entry in config["figures"].items():
        models = entry.get("models", [entry["model"]] if "model" in entry else [])
        _check_names(f"figures.{name}.models", models, config["models"])
        for key in ("estimators", "remedies", "matrices"):
            _check_names(f"figures.{name}.{key}", entry.get(key, []), config["estimators"])
    for name, entry in config["claims"].items():
        _check_names(f"claims.{name}.figure", [entry["figure"]], config["figures"])


def _check_names(key, names, choices):
    for name in names:
        if name not in choices:
            raise ValueError(
                f"configuration: {key}: unknown name {name!r}; expected one of {', '.join(sorted(choices))}"
            )


def _check_schema(config, path):
    schema = yaml.safe_load(path.read_text())
    error = best_match(Draft202012Validator(schema).iter_errors(config))
    if error is None:
        return
    key = ".".join(str(step) for step in error.absolute_path) or "top level"
    known = ""
    if error.validator == "additionalProperties":
        known = f"; expected one of {', '.join(sorted(error.schema.get('properties', {})))}"
    raise ValueError(f"configuration: {key}: {' '.join(error.message.split())}{known}")
