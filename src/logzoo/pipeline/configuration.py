"""The workflow's configuration: completed, and checked against its schemas before anything runs."""

import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.validators import extend

from logzoo.estimators.registry import ESTIMATORS
from logzoo.models.known.registry import FAMILIES
from logzoo.papers.tracking.grids import check_race, grid_models
from logzoo.papers.zoo.families import zoo_models
from logzoo.reporting.printing import one_line
from logzoo.trainers.registry import TRAINERS

# Ten times as fast as the one of Python, where PyYAML was built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Sections whose entries may say under `scales` what another scale has instead.
_SCALED = ("figures", "grids", "comparisons", "trainings", "estimators", "models")
# What entries of models that are made, and neither trained nor read, may say.
_OF_KNOWN_MODELS = ("title", "short", "dataset", "family", "budgets", "chains", "replicates", "known")

# As jobs take them: 1000.0 is no whole number, and what is not finite is none at all.
_TYPES = {
    "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda _, value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
}
_Validator = extend(Draft202012Validator, type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(_TYPES))


def checked(config: dict, schema_folder: str | Path) -> dict:
    """The merged configuration, checked and completed with everything that follows from it.

    Settings are those of the scale, what is null is left out, every method is an estimator, `matrix.estimators: all` is
    a list, grids and the zoo have their models. Names in entries of figures are checked where declarations read them.
    Raises ValueError, one line naming the key and what was expected.
    """
    schemas = {path.name: _read(path) for path in Path(schema_folder).glob("*.schema.yaml")}
    _check_schemas(config, schemas)
    config = {**config, **{section: _at_scale(config[section], config["scale"]) for section in _SCALED}}
    _check_schemas(config, schemas)
    config = _completed(config)
    _check_schemas(config, schemas)
    for name, entry in config["estimators"].items():
        missing = {"title", "method", "base", "options"} - set(entry)
        if missing:
            raise ValueError(f"configuration: estimators.{name}: expected the keys {', '.join(sorted(missing))}")
    for name, grid in config["grids"].items():
        check_race(name, grid)
    for key, names, choices in _references(config):
        _check_names(key, names, choices)
    return config


def laid_over(files: Iterable[str | Path], config: dict) -> dict:
    """The settings of files of YAML, merged in their order, with a configuration laid over them key by key."""
    merged: dict = {}
    for file in files:
        merged = _merged(merged, _read(Path(file)))
    return _merged(merged, config)


def _read(path: Path) -> dict:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: expected a file of YAML: {one_line(error)}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected YAML with keys at its top level")
    return content


def _check_schemas(config: dict, schemas: dict[str, dict]) -> None:
    _check_schema(config, schemas["config.schema.yaml"])
    _check_schema({key: config.get(key, {}) for key in ("sources", "datasets")}, schemas["datasets.schema.yaml"])


def _completed(config: dict) -> dict:
    config = {**config}
    config["grids"] = {name: {**grid, "datasets": _kept(grid["datasets"])} for name, grid in config["grids"].items()}
    config["zoo"] = {**config["zoo"], **{key: _kept(config["zoo"][key]) for key in ("datasets", "trainers")}}
    plain = {"base": "matched", "options": {}}
    methods = {name: {"title": method.title, "method": name, **plain} for name, method in ESTIMATORS.items()}
    config["estimators"] = _merged(methods, config["estimators"])
    config["papers"] = dict(sorted(config["papers"].items(), key=lambda item: item[1]["place"]))
    matrix = config["matrix"]
    if matrix["estimators"] == "all":
        left_out = matrix.get("left_out", [])
        _check_names("matrix.left_out", left_out, methods)
        estimators = [*(name for name in methods if name not in left_out), *matrix.get("added", [])]
        matrix = {**matrix, "estimators": estimators}
    made = grid_models(config["grids"]) | zoo_models(config["zoo"])
    for name in sorted(config["models"].keys() & made.keys()):
        raise ValueError(f"configuration: models.{name}: expected another name, a grid or the zoo has this one")
    models = {**config["models"], **made}
    return {**config, "matrix": matrix, "models": models}


def _at_scale(entries: dict[str, dict], scale: str) -> dict[str, dict]:
    plain = {name: {key: value for key, value in entry.items() if key != "scales"} for name, entry in entries.items()}
    return {name: _merged(entry, entries[name].get("scales", {}).get(scale, {})) for name, entry in plain.items()}


def _merged(settings: dict, others: dict) -> dict:
    """Settings updated by others, section by section."""
    both = {
        key: _merged(settings[key], value) if isinstance(value, dict) and isinstance(settings.get(key), dict) else value
        for key, value in others.items()
    }
    return {**settings, **both}


def _kept(entries: dict) -> dict:
    return {name: entry for name, entry in entries.items() if entry}


def _references(config: dict) -> Iterator[tuple[str, Iterable[str], Collection[str]]]:
    """Yield (key, names, choices) of every name in the configuration that refers to another entry."""
    datasets, models, estimators = config["datasets"], config["models"], config["estimators"]
    matrix, expected = config["matrix"], config["expected"]
    yield "expected", [expected] if isinstance(expected, str) else expected, {"all", *config["papers"]}
    yield "matrix.models", matrix["models"], models
    yield "matrix.estimators", matrix["estimators"], estimators
    yield "truth.estimators", config["truth"]["estimators"], estimators
    for name, entry in datasets.items():
        if entry["reader"] == "known":
            yield f"datasets.{name}.options.family", [entry["options"]["family"]], FAMILIES
    for name, entry in models.items():
        yield f"models.{name}.dataset", [entry["dataset"]], datasets
        if isinstance(entry.get("replicates"), dict):
            yield f"models.{name}.replicates", entry["replicates"], estimators
        if "known" in entry:
            drawn = [key for key, data in datasets.items() if data["reader"] == "known"]
            yield f"models.{name}.dataset of a known model", [entry["dataset"]], drawn
            yield f"models.{name} of a known model", entry, _OF_KNOWN_MODELS
        else:
            yield f"models.{name}.train.method", [entry["train"]["method"]], TRAINERS
        if "import" in entry:
            yield f"models.{name}.import.source", [entry["import"]["source"]], config["sources"]
            files = config["sources"][entry["import"]["source"]]["files"]
            yield f"models.{name}.import.file", [entry["import"]["file"]], files
        if "start" in entry:
            yield f"models.{name}.start", [entry["start"]], models
    for name, grid in config["grids"].items():
        yield f"grids.{name}.datasets", grid["datasets"], datasets
    yield "zoo.datasets", config["zoo"]["datasets"].values(), datasets
    for section in ("comparisons", "trainings"):
        for name, entry in config[section].items():
            yield f"{section}.{name}.dataset", [entry["dataset"]], datasets
            for trainer, settings in entry["trainers"].items():
                yield f"{section}.{name}.trainers.{trainer}.method", [settings["method"]], TRAINERS
    for name, entry in estimators.items():
        yield f"estimators.{name}.method", [entry["method"]], ESTIMATORS
    for name, entry in config["papers"].items():
        mine = [figure for figure, shown in config["figures"].items() if shown["paper"] == name]
        yield f"papers.{name}.answers", entry.get("answers", []), mine
    for name, entry in config["figures"].items():
        yield f"figures.{name}.paper", [entry["paper"]], config["papers"]


def _check_names(key: str, names: Iterable[str], choices: Collection[str]) -> None:
    for name in names:
        if name not in choices:
            raise ValueError(
                f"configuration: {key}: unknown name {name!r}; expected one of {', '.join(sorted(choices))}"
            )


def _check_schema(config: dict, schema: dict) -> None:
    error = best_match(_Validator(schema).iter_errors(config))
    if error is None:
        return
    key = ".".join(str(step) for step in error.absolute_path) or "top level"
    known = ""
    if error.validator == "additionalProperties":
        known = f"; expected one of {', '.join(sorted(error.schema.get('properties', {})))}"
    raise ValueError(f"configuration: {key}: {' '.join(error.message.split())}{known}")
