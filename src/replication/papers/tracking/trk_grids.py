"""Grids of models: one RBM for each data set and each combination of settings."""

from collections.abc import Mapping
from itertools import product

from replication.types import Settings


def grid_settings(grid: Settings) -> list[Settings]:
    options, train = grid["train"]["options"], {key: value for key, value in grid["train"].items() if key != "options"}
    axes = [value if isinstance(value, list) else [value] for value in (*train.values(), *options.values())]
    return [
        {"options": dict(zip(options, chosen[len(train) :], strict=True)), **dict(zip(train, chosen, strict=False))}
        for chosen in product(*axes)
    ]


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
