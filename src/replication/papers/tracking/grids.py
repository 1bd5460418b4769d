"""Grids of models: one RBM for each data set and each combination of settings."""

from itertools import product
from typing import NamedTuple


class Race(NamedTuple):
    """Settings of a grid that race on one data set: those of the best trials go on."""

    grid: str
    keep: float  # the share of trials that go on
    rates: dict  # {model: initial learning rate}


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


def again(grid):
    """What names end in that belong to each repeat of a grid, the first of them in nothing."""
    return ["", *(f"-again-{number}" for number in range(2, grid.get("repeats", 1) + 1))]


def grid_models(grids):
    """Models {name: entry} of all grids, named <grid>-<data set>-<number of the setting>, and the trials of races.

    Those of a repeat have `again` behind that.
    """
    models = {}
    for name, grid in grids.items():
        for (number, train), dataset, end in product(enumerate(grid_settings(grid)), grid["datasets"], again(grid)):
            setting = f"{dataset}, setting {number}{end.replace('-', ' ')}"
            entry = {
                "title": f"{grid['title']}: {setting}",
                "short": setting,
                "dataset": dataset,
                "validate": True,
                "train": train,
            }
            model = f"{name}-{dataset}-{number}{end}"
            models[model] = entry
            if grid.get("race"):
                models[trial_of(model)] = _trial(entry, grid["race"]["updates"])
    return models


def trial_of(model):
    """The name of the trial of a model that races: its first updates."""
    return f"{model}-trial"


def _trial(entry, updates):
    titles = {key: f"{entry[key]}, trial" for key in ("title", "short")}
    return {**entry, **titles, "train": {**entry["train"], "updates": updates}}


def races_of(grids):
    """The races {name: Race} of the grids that have them, named <grid>.<data set>, and by repeat."""
    races = {}
    for name, grid in grids.items():
        if grid.get("race"):
            rates = [train["learning_rate"] for train in grid_settings(grid)]
            for dataset, end in product(grid["datasets"], again(grid)):
                models = {f"{name}-{dataset}-{number}{end}": rate for number, rate in enumerate(rates)}
                races[f"{name}.{dataset}{end}"] = Race(name, grid["race"]["keep"], models)
    return races
