"""Run several estimators on one model at every budget and replicate, and make one dataset for each estimator."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from logzoo.estimators.estimator_registry import estimate_together, find
from logzoo.estimators.evidence import Evidence, weighed
from logzoo.estimators.result import Finished, dataset_of
from logzoo.io.schema import labelled
from logzoo.models.rbm import RBM
from logzoo.streams import Stream


def estimate_matrix(
    rbm: RBM,
    entries: Mapping[str, Mapping[str, Any]],
    *,
    chains: int,
    stream: Stream,
    evidence: Evidence | None = None,
    checkpoint: Any = None,
) -> dict[str, xr.Dataset]:
    """Estimate log Z by several estimators with the same base, at all their budgets (sweeps per chain) and replicates.

    entries: `method`, `options`, `budgets` and `replicates` of each estimator, by name. Estimators with the same run
    share its draws at each budget and replicate. evidence: bounds and masses that every estimate is checked against
    (`logzoo.estimators.evidence`). checkpoint: a `logzoo.io.checkpoints.Checkpoint`; an interrupted call resumes after
    the last save. Returns {name: Dataset}. A Dataset has dimensions (budget, replicate), and the variables of
    `dataset_of`. Raises ValueError for unknown options and impossible sizes.
    """
    # Estimates without draws hardly depend on the budget, so the smallest budget suffices.
    estimated = {
        name: entry["budgets"] if find(entry["method"]).drawn else [min(entry["budgets"])]
        for name, entry in entries.items()
    }
    budgets = sorted({budget for budgets in estimated.values() for budget in budgets})
    repeats = range(max(entry["replicates"] for entry in entries.values()))
    cells = [
        (budget, replicate, names)
        for budget, replicate in product(budgets, repeats)
        if (
            names := [name for name in entries if budget in estimated[name] and replicate < entries[name]["replicates"]]
        )
    ]
    finished = Finished()
    parts = {"cells": finished}
    first = 0 if checkpoint is None else checkpoint.load(parts)
    for number, (budget, replicate, names) in enumerate(cells[first:], first):
        methods = {name: (entries[name]["method"], entries[name]["options"]) for name in names}
        by_name = estimate_together(rbm, methods, budget, chains, stream.child(budget, replicate))
        estimates = (by_name[name] for name in names)
        finished.estimates += [estimate if evidence is None else weighed(estimate, evidence) for estimate in estimates]
        if checkpoint is not None:
            checkpoint.save_if_due(number + 1, parts)
    estimates_of = {name: [] for name in entries}
    for name, estimate in zip((name for *_, names in cells for name in names), finished.estimates, strict=True):
        estimates_of[name].append(estimate)
    datasets = {}
    for name, entry in entries.items():
        budgets = sorted(entry["budgets"])
        estimates = estimates_of[name] * (len(budgets) // len(estimated[name]))
        repeats = np.arange(entry["replicates"])
        dimensions = {
            "budget": labelled("budget", np.array(budgets, np.int64), "budget in Gibbs sweeps per chain", "sweep"),
            "replicate": labelled("replicate", repeats, "independent repeat", "1"),
        }
        datasets[name] = dataset_of(estimates, dimensions).assign_attrs(chains=chains, form=estimates[0].form)
    return datasets
