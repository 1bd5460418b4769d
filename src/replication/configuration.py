"""The workflow's configuration: completed, and checked against its schemas before anything runs."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.validators import extend

from logzoo.checks import expected_one_of, shown
from logzoo.estimators.registry import ESTIMATORS
from logzoo.models.known.registry import FAMILIES
from logzoo.printing import one_line, shortened
from logzoo.trackers.registry import TRACKERS
from logzoo.trainers.registry import TRAINERS
from replication.models import estimate_settings
from replication.papers.signatures import option_defaults
from replication.papers.tracking.grids import check_race, grid_models, grid_settings
from replication.papers.zoo.families import matrix_places, zoo_models

# Ten times as fast as the one of Python, where PyYAML was built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Sections whose entries may say under `scales` what another scale has instead.
_SCALED = ("figures", "grids", "comparisons", "trainings", "estimators", "models")
# What entries of models that are made, and neither trained nor read, may say.
_OF_KNOWN_MODELS = ("title", "short", "dataset", "family", "budgets", "chains", "replicates", "known")

# Options that jobs give methods themselves.
_GIVEN = {"stream", "progress", "checkpoint", "validation", "start"}

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
    scales = {config["scale"], *_scales(Path(schema_folder).parents[1] / "config")}
    for section in _SCALED:
        for name, entry in config[section].items():
            _check_names(f"{section}.{name}.scales", entry.get("scales", {}), scales)
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
    _check_starts(config)
    _check_families(config)
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


def _scales(folder: Path) -> set[str]:
    """Names of the scales that the files of a folder state."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.yaml")]
    return set(re.findall(r"^scale: *['\"]?([a-z0-9-]+)", "\n".join(texts), re.MULTILINE))


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
    left_out = matrix.get("left_out", [])
    _check_names("matrix.left_out", left_out, methods)
    if matrix["estimators"] == "all":
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
    matrix = config["matrix"]
    yield "matrix.models", matrix["models"], models
    yield "matrix.added", matrix.get("added", []), estimators
    yield "matrix.estimators", matrix["estimators"], estimators
    yield "truth.estimators", config["truth"]["estimators"], estimators
    for key, entry, methods in _methods(config):
        yield f"{key}.method", [entry["method"]], methods
        if entry.get("options"):
            # What the entry says itself is not for its options to say again.
            options = option_defaults(methods[entry["method"]])
            yield f"{key}.options", entry["options"], options.keys() - entry.keys() - _GIVEN
            for option, value in entry["options"].items():
                _check_value(f"{key}.options.{option}", value)
                if option == "tracker" and value is not None:
                    yield f"{key}.options.tracker", [value], TRACKERS
    for name, entry in datasets.items():
        yield f"datasets.{name}.source", [entry["source"]], config["sources"]
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
    for name, entry in config["papers"].items():
        mine = [figure for figure, shown in config["figures"].items() if shown["paper"] == name]
        yield f"papers.{name}.answers", entry.get("answers", []), mine
    for name, entry in config["figures"].items():
        yield f"figures.{name}.paper", [entry["paper"]], config["papers"]


def _methods(config: dict) -> Iterator[tuple[str, dict, Mapping[str, object]]]:
    """Yield (key, entry, methods) of every entry that names one of these methods, and may have options for it."""
    for name, entry in config["estimators"].items():
        yield f"estimators.{name}", entry, ESTIMATORS
    for name, entry in config["zoo"]["trainers"].items():
        yield f"zoo.trainers.{name}", entry, TRAINERS
    for name, grid in config["grids"].items():
        for train in grid_settings(grid):
            yield f"grids.{name}.train", train, TRAINERS
    for section in ("comparisons", "trainings"):
        for name, entry in config[section].items():
            for trainer, settings in entry["trainers"].items():
                yield f"{section}.{name}.trainers.{trainer}", settings, TRAINERS
                yield f"{section}.{name}.train", {**entry["train"], "method": settings["method"]}, TRAINERS
    # The last: what grids and the zoo get wrong is theirs.
    for name, entry in config["models"].items():
        if "train" in entry:
            yield f"models.{name}.train", entry["train"], TRAINERS


def _check_starts(config: dict) -> None:
    """Check that trainings which go on from another model come to an end, and that it has as many visible units."""
    models = config["models"]
    for name, entry in models.items():
        line = [name]
        while start := models[line[-1]].get("start"):
            line.append(start)
            if start in line[:-1]:
                raise ValueError(f"configuration: models.{name}.start: expected no circle, found {' -> '.join(line)}")
        # Hidden units may differ in models that nothing asks for: another scale resizes those that it makes.
        if "start" in entry:
            visible, found = (config["datasets"][models[each]["dataset"]]["visible"] for each in line[:2])
            if visible != found:
                raise ValueError(
                    f"configuration: models.{name}.start: expected a model of {visible} visible units, found"
                    f" {found} of {line[1]}"
                )


def _check_families(config: dict) -> None:
    """Check that the models of a family share a budget: the zoo shows them at that."""
    shared: dict[str, set[int]] = {}
    for model, place in matrix_places(config).items():
        settings = estimate_settings(config, model, config["matrix"]["estimators"]).values()
        budgets, family = {budget for each in settings for budget in each["budgets"]}, place["family"]
        shared[family] = budgets & shared.get(family, budgets)
        if not shared[family]:
            raise ValueError(
                f"configuration: models.{model}.budgets: expected one that all models of the family {family} share,"
                f" found {', '.join(map(str, sorted(budgets)))}"
            )


def _check_value(key: str, value: object) -> None:
    """Check that an option is a number, a word or a list of these: no option is a path or a mapping."""
    values = value if isinstance(value, list) else [value]
    words = [item for item in values if isinstance(item, str)]
    plain = all(item is None or isinstance(item, bool | int | float | str) for item in values)
    if not plain or not all(re.fullmatch(r"[A-Za-z][\w-]*", word) for word in words):
        raise ValueError(f"configuration: {key}: expected a number, a word or a list of these, found {shown(value)}")


def _check_names(key: str, names: Iterable[str], choices: Collection[str]) -> None:
    for name in names:
        if name not in choices:
            raise ValueError(f"configuration: {key}: unknown name {shown(name)}; {expected_one_of(name, choices)}")


def _check_schema(config: dict, schema: dict) -> None:
    error = best_match(_Validator(schema).iter_errors(config))
    if error is None:
        return
    key = ".".join(str(step) for step in error.absolute_path) or "top level"
    known = ""
    if error.validator == "additionalProperties":
        known = f"; {expected_one_of(error.message.split(chr(39))[1], error.schema.get('properties', {}))}"
    raise ValueError(f"configuration: {key}: {shortened(error.message)}{known}")
