"""A race: settings of a grid are trained for a while, and of those of one learning rate the best go on.

Desjardins et al. (2011), section 5, choose the best of many models, each stopped early by its tracked validation
likelihood. One that is far behind early on is hardly the best in the end, though it may be: this is a heuristic.
"""

import numpy as np

from logzoo.io.schema import coordinate, labelled


def groups_of(rates):
    """Those that race against each other: lists of models of {model: initial learning rate}, by that rate."""
    groups = {}
    for model, rate in rates.items():
        groups.setdefault(rate, []).append(model)
    return list(groups.values())


def number_kept(size, keep):
    """How many of a group of so many go on: that share, rounded, one at least."""
    return max(1, round(keep * size))


def run(artifacts, *, keep, rates):
    """The experiment on the traces of all trials: who goes on, 1 or 0, as a Dataset over `model`, and why.

    keep: share of each group that goes on. rates: {model: initial learning rate}. A likelihood that is not a finite
    number loses to all others; of equal ones the first goes on.
    """
    import xarray as xr  # takes long to import, and every start of the workflow would wait for it

    found = {model: artifacts["trials"][model].attrs.get("best_log_likelihood", np.nan) for model in rates}
    likelihoods = {model: value if np.isfinite(value) else np.nan for model, value in found.items()}
    kept = {model for group in groups_of(rates) for model in _best(group, likelihoods, keep)}
    columns = {
        "kept": (np.array([model in kept for model in rates], np.int8), "1 of those that go on, 0 of the others", "1"),
        "log_likelihood": ([*likelihoods.values()], "best tracked mean validation log-likelihood of the trial", "nat"),
        "learning_rate": ([*rates.values()], "initial learning rate, by which they are grouped", "1"),
    }
    variables = {name: labelled("model", *column) for name, column in columns.items()}
    return xr.Dataset(variables, {"model": coordinate("model", rates, "model")}, {"keep": keep})


def _best(group, likelihoods, keep):
    ranked = sorted(group, key=lambda model: -np.nan_to_num(likelihoods[model], nan=-np.inf))
    return ranked[: number_kept(len(group), keep)]


def goes_on(race, model):
    """Whether a model of a race (Dataset of `run`) is trained in full."""
    return bool(race["kept"].sel(model=model))
