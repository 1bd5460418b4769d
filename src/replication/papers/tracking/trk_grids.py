"""Grids of models: one RBM for each data set and each combination of settings."""

from collections.abc import Mapping
from itertools import product

from replication.types import Settings


def grid_settings(grid: Settings) -> list[Settings]:
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


def grid_models(grids: Mapping[str, Settings]) -> dict[str, Settings]:
    """Models {name: entry} of all grids, named <grid>-<data set>-<number of the setting>."""
    models = {}
    for name, grid in grids.items():
        for (number, train), dataset in product(enumerate(grid_settings(grid)), grid["datasets"]):
            setting = f"{dataset}, setting {number}"
            models[f"{name}-{dataset}-{number}"] = {
                "title": f"{grid['title']}: {setting}",
                "short": setting,
                "dataset": dataset,
                "validate": True,
                "train": train,
            }
    return models
