"""Grids of models, one RBM for each data set and each combination of settings, and the races of their settings.

In a race the settings of a grid are trained for a while, and of those of one learning rate the best go on. Desjardins
et al. (2011), section 5, choose the best of many models, each stopped early by its tracked validation likelihood. One
that is far behind early on is hardly the best in the end, though it may be: this is a heuristic.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from logzoo.io.labels import coordinate, labelled


class Race(NamedTuple):
    """Settings of a grid that race on one data set: the best trials are trained in full."""

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
    """Suffixes of the names of each repeat of a grid; that of the first is empty."""
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


def groups_of(rates):
    """Models that race against each other: lists of models of {model: initial learning rate}, by that rate."""
    groups = {}
    for model, rate in rates.items():
        groups.setdefault(rate, []).append(model)
    return list(groups.values())


def number_kept(size, keep):
    """How many of a group of so many go on: that share, rounded, one at least."""
    return max(1, round(keep * size))


def race(artifacts, *, keep, rates):
    """The experiment on the traces of all trials: who goes on, 1 or 0, as a Dataset over `model`, and why.

    keep: share of each group that goes on. rates: {model: initial learning rate}. A likelihood that is not a finite
    number loses to all others; of equal ones the first goes on.
    """
    import xarray as xr  # takes long to import, and every start of the workflow would wait for it

    stated = {model: artifacts["trials"][model].attrs.get("best_log_likelihood", np.nan) for model in rates}
    likelihoods = {model: value if np.isfinite(value) else np.nan for model, value in stated.items()}
    winners = set()
    for group in groups_of(rates):
        ranked = sorted(group, key=lambda model: -np.nan_to_num(likelihoods[model], nan=-np.inf))
        winners |= {*ranked[: number_kept(len(group), keep)]}
    columns = {
        "kept": (np.isin([*rates], [*winners]).astype(np.int8), "1 of those that go on, 0 of the others", "1"),
        "log_likelihood": ([*likelihoods.values()], "best tracked mean validation log-likelihood of the trial", "nat"),
        "learning_rate": ([*rates.values()], "initial learning rate, by which they are grouped", "1"),
    }
    variables = {name: labelled("model", *column) for name, column in columns.items()}
    return xr.Dataset(variables, {"model": coordinate("model", rates, "model")}, {"keep": keep})


def goes_on(race, model):
    """Whether a model of a race (Dataset of `race`) is trained in full."""
    return bool(race["kept"].sel(model=model))
