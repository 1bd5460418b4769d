"""Merge the configuration, check it against `replication.settings`, and complete it before anything runs."""

import re
from collections.abc import Iterable
from pathlib import Path

import yaml
from pydantic import ValidationError

from logzoo.checks import shown
from logzoo.estimators.estimator_registry import ESTIMATORS
from logzoo.printing import one_line
from replication.models import estimate_settings
from replication.papers.experiment import names_of_trainings, training_most, training_work
from replication.papers.tracking.trk_grids import grid_models
from replication.papers.zoo.families import matrix_places, zoo_models
from replication.settings.fields import message_of
from replication.settings.root import SCALED, Estimator, Settings, check_names, check_references

# The C loader is ten times as fast as the Python loader. PyYAML may be built without the C loader.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OF_PAGE = "zoo-seconds"


def checked(config: dict, folder: str | Path) -> dict:
    """The merged configuration at its scale, checked and completed.

    Settings of the scale replace general settings, and nulls outside `options` are removed. In the result, every method
    has an estimator, and `matrix.estimators` is a list. Models of grids, of the zoo and of repeated trainings are
    added, and figures that `only_figures` leaves out are removed. The declaration of a figure, not this function,
    checks the names in the settings of the figure. folder: folder of the configuration files, which define the names
    of scales.

    Raises a one-line ValueError with the dotted path of the setting, the expected form and the value.
    """
    config = _with_estimators(_without_nulls(_at_scale(config, _scales(Path(folder)))))
    try:
        settings = Settings.model_validate(config)
    except ValidationError as error:
        raise ValueError(message_of(error, config)) from None
    config = _completed(config, settings)
    check_references(settings, config)
    _check_trainings(config)
    _check_titles(config)
    _check_budgets(config)
    return config


def laid_over(files: Iterable[str | Path], config: dict) -> dict:
    """The settings of YAML files, merged in their order and then updated by a configuration, key by key."""
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
    """Names of the scales that are set in the YAML files below a folder."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.yaml")]
    return set(re.findall(r"^scale: *['\"]?([a-z0-9-]+)", "\n".join(texts), re.MULTILINE))


def _at_scale(config: dict, scales: set[str]) -> dict:
    """A configuration whose entries have the settings of its scale; `Settings` later reports ill-formed `scales`."""
    scale = str(config.get("scale"))
    sections = {name: config[name] for name in SCALED if isinstance(config.get(name), dict)}
    for section, entries in sections.items():
        sections[section] = {**entries}
        for name, entry in entries.items():
            at_scales = entry.get("scales") if isinstance(entry, dict) else None
            if isinstance(at_scales, dict) and all(isinstance(settings, dict) for settings in at_scales.values()):
                check_names(f"{section}.{name}.scales", at_scales, scales | {scale})
                plain = {key: value for key, value in entry.items() if key != "scales"}
                sections[section][name] = _merged(plain, at_scales.get(scale, {}))
    return {**config, **sections}


def _with_estimators(config: dict) -> dict:
    """A configuration in which every method has an estimator, and every estimator has a base and options."""
    if not isinstance(config.get("estimators"), dict):
        return config
    defaults = {name: Estimator.model_fields[name].default for name in ("base", "options")}
    methods = {name: {"title": method.title, "method": name, **defaults} for name, method in ESTIMATORS.items()}
    estimators = _merged(methods, config["estimators"])
    for name, entry in estimators.items():
        if isinstance(entry, dict):
            # Defaults follow the entry, because artifacts record settings in this order.
            estimators[name] = entry | {key: value for key, value in defaults.items() if key not in entry}
    return {**config, "estimators": estimators}


def _without_nulls(settings: dict) -> dict:
    """Settings without nulls, except in options, where null is a value."""
    return {
        key: _without_nulls(value) if isinstance(value, dict) and key != "options" else value
        for key, value in settings.items()
        if value is not None
    }


def _completed(config: dict, settings: Settings) -> dict:
    estimators = settings.matrix.estimators
    if estimators == "all":
        names = [name for name in ESTIMATORS if name not in settings.matrix.left_out]
        estimators = list(dict.fromkeys([*names, *settings.matrix.added]))
    added = grid_models(config["grids"]) | zoo_models(config["zoo"]) | _repeated_trainings(config["models"])
    for name in sorted(config["models"].keys() & added.keys()):
        raise ValueError(
            f"configuration: models.{name}: expected another name; a grid, the zoo or a repeated training uses it"
        )
    config = _with_only(settings.only_figures, config)
    return {
        **config,
        "matrix": {**config["matrix"], "estimators": estimators},
        "models": {**config["models"], **added},
        "papers": dict(sorted(config["papers"].items(), key=lambda item: item[1]["place"])),
    }


def _with_only(names: list[str] | None, config: dict) -> dict:
    """Keep only the figures in `names` (also in `answers`) and their papers. If `names` is None, all figures stay."""
    if names is None:
        return config
    if _OF_PAGE not in names:
        raise ValueError(f"configuration: only_figures: expected a list with {_OF_PAGE}, which the page needs")
    figures = {name: entry for name, entry in config["figures"].items() if name in names}
    used = {entry["paper"] for entry in figures.values()}
    papers = {name: {**entry} for name, entry in config["papers"].items() if name in used}
    for entry in papers.values():
        if "answers" in entry:
            entry["answers"] = [name for name in entry["answers"] if name in figures]
    return {**config, "figures": figures, "papers": papers}


def _repeated_trainings(models: dict) -> dict:
    """Entries {name: entry} for repeated trainings, which train a model with other random draws."""
    return {
        again: {
            **{key: value for key, value in entry.items() if key != "trainings"},
            "title": f"{entry['title']}, training {number}",
            "short": f"{entry['short']}, {number}",
        }
        for name, entry in models.items()
        for number, again in enumerate(names_of_trainings(name, entry), start=1)
        if again != name
    }


def _merged(settings: dict, others: dict) -> dict:
    """Settings updated by other settings, section by section."""
    both = {
        key: _merged(settings[key], value) if isinstance(value, dict) and isinstance(settings.get(key), dict) else value
        for key, value in others.items()
    }
    return {**settings, **both}


def _check_trainings(config: dict) -> None:
    """Check that the cost of every training is a number. Options have no types, so a wrong type shows here first."""
    for name, entry in config["models"].items():
        if "train" in entry:
            train, data = entry["train"], config["datasets"][entry["dataset"]]
            try:
                training_work(train, data["visible"])
                training_most(train, data["visible"], data["splits"]["train"])
            except (ArithmeticError, TypeError, ValueError) as error:
                options, method = shown(train.get("options", {})), train["method"]
                raise ValueError(
                    f"configuration: models.{name}.train.options: expected values that the trainer {method} takes,"
                    f" found {options}: {one_line(error)}"
                ) from None


def _check_titles(config: dict) -> None:
    """Check that titles differ, because rows of tables have them as keys."""
    for section, entries in (("estimators", config["estimators"]), ("zoo.trainers", config["zoo"]["trainers"])):
        named: dict[str, str] = {}
        for name, entry in entries.items():
            if (other := named.setdefault(entry["title"], name)) != name:
                raise ValueError(
                    f"configuration: {section}.{name}.title: expected another title than that of {other},"
                    f" found {shown(entry['title'])}"
                )


def _check_budgets(config: dict) -> None:
    """Check that compared estimators have the budgets of their model, and that models of a family share a budget.

    Models of a family share panels of the zoo, which show only shared budgets.
    """
    for name, entry in config["estimators"].items():
        if "budgets" in entry and (name in ESTIMATORS or name in config["matrix"]["estimators"]):
            raise ValueError(
                f"configuration: estimators.{name}.budgets: expected none, because figures compare {name} with others"
                " at equal budgets; set the budgets of models or of the matrix"
            )
    shared: dict[str, set[int]] = {}
    for model, family in ((model, entry["family"]) for model, entry in matrix_places(config).items()):
        settings = estimate_settings(config, model, config["matrix"]["estimators"]).values()
        budgets = {budget for entry in settings for budget in entry["budgets"]}
        shared[family] = budgets & shared.get(family, budgets)
        if not shared[family]:
            raise ValueError(
                f"configuration: models.{model}.budgets: expected a budget that all models of the family {family}"
                f" share, found {', '.join(map(str, sorted(budgets)))}"
            )
