"""The workflow's configuration: checked against its schemas and within itself before anything runs."""

from itertools import product
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from logzoo.estimators.registry import ESTIMATORS
from logzoo.trainers.registry import TRAINERS

# Parts of the configuration that have a schema of their own, by its name.
_SECTIONS = {"datasets": ("sources", "datasets"), "figures": ("figures",)}


def check_configuration(config, schema_folder):
    """Check the merged configuration, the models of its grids included.

    ValueError in one line naming the key and what was expected.
    """
    _check_schema(config, Path(schema_folder) / "config.schema.yaml")
    for name, keys in _SECTIONS.items():
        sections = {key: config.get(key, {}) for key in keys}
        _check_schema(sections, Path(schema_folder) / f"{name}.schema.yaml")
    matrix, truth = config["matrix"], config["truth"]
    _check_names("matrix.models", matrix["models"], config["models"])
    _check_names("matrix.estimators", matrix["estimators"], config["estimators"])
    _check_names("matrix.together", matrix["together"], config["estimators"])
    _check_names("truth.estimators", truth["estimators"], config["estimators"])
    for name, entry in config["models"].items():
        _check_names(f"models.{name}.dataset", [entry["dataset"]], config["datasets"])
        _check_names(f"models.{name}.train.method", [entry["train"]["method"]], TRAINERS)
        if "import" in entry:
            _check_names(f"models.{name}.import.source", [entry["import"]["source"]], config["sources"])
            known = config["sources"][entry["import"]["source"]]["files"]
            _check_names(f"models.{name}.import.file", [entry["import"]["file"]], known)
        _check_names(f"models.{name}.start", [entry["start"]] if "start" in entry else [], config["models"])
    for name, grid in config["grids"].items():
        _check_names(f"grids.{name}.datasets", grid["datasets"], config["datasets"])
    _check_names("zoo.datasets", config["zoo"]["datasets"].values(), config["datasets"])
    for name, entry in config["comparisons"].items():
        _check_names(f"comparisons.{name}.dataset", [entry["dataset"]], config["datasets"])
        for trainer, settings in entry["trainers"].items():
            _check_names(f"comparisons.{name}.trainers.{trainer}.method", [settings["method"]], TRAINERS)
    for name, entry in config["trainings"].items():
        _check_names(f"trainings.{name}.dataset", [entry["dataset"]], config["datasets"])
        for trainer, settings in entry["trainers"].items():
            _check_names(f"trainings.{name}.trainers.{trainer}.method", [settings["method"]], TRAINERS)
    for name, entry in config["estimators"].items():
        _check_names(f"estimators.{name}.method", [entry["method"]], ESTIMATORS)
    for name, entry in config["figures"].items():
        models = [*entry.get("slow", []), *entry.get("fast", [])]
        models += entry.get("models", [entry["model"]] if "model" in entry else [])
        models += [*entry.get("means", []), *([entry["judged"]] if "judged" in entry else [])]
        _check_names(f"figures.{name}.models", models, config["models"])
        for key in ("estimators", "remedies", "matrices"):
            _check_names(f"figures.{name}.{key}", entry.get(key, []), config["estimators"])
        _check_swapping(name, entry, config)
    for name, entry in config["tables"].items():
        _check_names(f"tables.{name}.zoo", [entry["zoo"]] if "zoo" in entry else [], config["zoo"]["hidden"])
        _check_names(f"tables.{name}.grid", [entry["grid"]] if "grid" in entry else [], config["grids"])
        trained = [entry["trainings"]] if "trainings" in entry else []
        _check_names(f"tables.{name}.trainings", trained, config["trainings"])
    _check_shown(config)


def _check_shown(config):
    """Check the papers of figures and tables, and that what is tested is shown."""
    for kind in ("figures", "tables"):
        for name, entry in config[kind].items():
            _check_names(f"{kind}.{name}.paper", [entry["paper"]], config["papers"])
    for name, entry in config["claims"].items():
        if "not_tested" not in entry:
            _check_names(f"claims.{name}.figure", [entry["figure"]], [*config["figures"], *config["tables"]])
        # The paper of a figure that is not drawn is the first part of its name.
        _check_names(f"claims.{name}.figure", [entry["figure"].partition("-")[0]], config["papers"])


def _check_swapping(name, entry, config):
    """Check the names in a figure of swapped temperatures: of comparisons and their trainers, of other figures."""
    _check_names(f"figures.{name}.dataset", [entry["dataset"]] if "dataset" in entry else [], config["datasets"])
    compared = [*entry.get("comparisons", []), *([entry["comparison"]] if "comparison" in entry else [])]
    _check_names(f"figures.{name}.comparisons", compared, config["comparisons"])
    for comparison in compared:
        known = config["comparisons"][comparison]["trainers"]
        for key in ("trainers", "shown"):
            _check_names(f"figures.{name}.{key}", entry.get(key, []), known)
    if "gradients" in entry:
        sources = {one: other for one, other in config["figures"].items() if "ladders" in other and "samplers" in other}
        _check_names(f"figures.{name}.gradients", [entry["gradients"]], sources)
        known = sources[entry["gradients"]]["samplers"]
        for key in ("samplers", "shown"):
            _check_names(f"figures.{name}.{key}", entry.get(key, []), known)


def grid_settings(grid):
    """The settings (`train` entries) of a grid, one for each combination of the entries of its lists, in order."""
    train = {**grid["train"], **{("options", name): value for name, value in grid["train"]["options"].items()}}
    del train["options"]
    axes = {key: value for key, value in train.items() if isinstance(value, list)}
    settings = []
    for chosen in product(*axes.values()):
        entry = {"options": {}}
        for key, value in {**train, **dict(zip(axes, chosen, strict=True))}.items():
            target, name = (entry["options"], key[1]) if isinstance(key, tuple) else (entry, key)
            target[name] = value
        settings.append(entry)
    return settings


def kept_grids(grids):
    """Grids without the data sets that are left out: those whose entry is null."""
    return {name: {**grid, "datasets": _kept(grid["datasets"])} for name, grid in grids.items()}


def kept_zoo(zoo):
    """The zoo without the data sets and trainers that are left out: those whose entry is null."""
    return {**zoo, **{key: _kept(zoo[key]) for key in ("datasets", "trainers")}}


def _kept(entries):
    return {name: entry for name, entry in entries.items() if entry}


def grid_models(grids):
    """Models {name: entry} of all grids, named <grid>-<data set>-<number of the setting>."""
    models = {}
    for name, grid in grids.items():
        for number, train in enumerate(grid_settings(grid)):
            for dataset in grid["datasets"]:
                models[f"{name}-{dataset}-{number}"] = {
                    "title": f"{grid['title']}: {dataset}, setting {number}",
                    "short": f"{dataset}, setting {number}",
                    "dataset": dataset,
                    "validate": True,
                    "train": train,
                }
    return models


def zoo_models(zoo):
    """Models {name: entry} of the zoo, named <data set>-<hidden>-<trainer>."""
    models = {}
    for (place, dataset), hidden, (trainer, entry) in product(
        zoo["datasets"].items(), zoo["hidden"], zoo["trainers"].items()
    ):
        train = {key: value for key, value in entry.items() if key != "title"}
        models[f"{place}-{hidden}-{trainer}"] = {
            "title": f"{place}, {hidden} hidden units, {entry['title']}",
            "short": f"{place}, {hidden} hidden, {entry['title']}",
            "dataset": dataset,
            "budgets": zoo["budgets"],
            "chains": zoo["chains"],
            "train": {**train, "hidden": hidden},
        }
    return models


def zoo_places(zoo):
    """{model: family, data set and trainer} of the models of the zoo; a family is a data set and a number of units."""
    return {
        f"{place}-{hidden}-{trainer}": {"family": f"{place}-{hidden}", "dataset": dataset, "trainer": trainer}
        for (place, dataset), hidden, trainer in product(zoo["datasets"].items(), zoo["hidden"], zoo["trainers"])
    }


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
