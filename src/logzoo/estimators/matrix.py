"""One estimator on one model at every budget and replicate, as one dataset."""

import numpy as np
import xarray as xr
from tqdm import tqdm

from logzoo.artifacts.labels import labelled
from logzoo.budgets import SweepLedger
from logzoo.estimators.result import DIAGNOSTICS, PROFILES, Estimate

_VARIABLES = {
    "log_z": ("estimate of log Z", "nat", np.float64),
    "std_error": ("standard error of log Z, over independent chains", "nat", np.float64),
    "sweeps_spent": ("Gibbs sweeps spent per chain, all purposes", "sweep", np.int64),
    "converged": ("1 when the method found nothing wrong with its own run", "1", np.int8),
}


class Finished:
    """Estimates that are made, in order; `state` has them as arrays that a checkpoint can hold."""

    def __init__(self):
        self.estimates = []

    @property
    def state(self):
        """The arrays by name."""
        return {
            f"{number}/{name}": array
            for number, estimate in enumerate(self.estimates)
            for name, array in _arrays_of(estimate).items()
        }

    def restore(self, state):
        """Take over the arrays of a `state`."""
        cells = {}
        for key, array in state.items():
            number, _, name = key.partition("/")
            cells.setdefault(int(number), {})[name] = array
        self.estimates = [_estimate_of(cells[number]) for number in range(len(cells))]


def _arrays_of(estimate):
    named = {
        f"{kind}/{name}": value
        for kind in ("diagnostics", "profiles")
        for name, value in getattr(estimate, kind).items()
    }
    return {
        "words": np.array([estimate.method, estimate.form]),
        "counts": np.array([estimate.sweeps, estimate.chains, estimate.converged], np.int64),
        "nats": np.array([estimate.log_z, estimate.std_error, *estimate.interval], np.float64),
        **{name: np.asarray(value) for name, value in named.items()},
    }


def _estimate_of(arrays):
    method, form = map(str, arrays["words"])
    sweeps, chains, converged = map(int, arrays["counts"])
    log_z, std_error, low, high = map(float, arrays["nats"])
    named = {
        kind: {name.removeprefix(f"{kind}/"): array for name, array in arrays.items() if name.startswith(f"{kind}/")}
        for kind in ("diagnostics", "profiles")
    }
    return Estimate(
        method=method,
        log_z=log_z,
        std_error=std_error,
        interval=(low, high),
        sweeps=sweeps,
        chains=chains,
        converged=bool(converged),
        form=form,
        diagnostics={name: float(array) for name, array in named["diagnostics"].items()},
        profiles=named["profiles"],
    )


def estimate_matrix(rbm, run, *, budgets, replicates, chains, stream, options, checkpoint=None, progress=False):
    """Estimate log Z at every budget (sweeps per chain) and replicate, each from a stream of its own.

    run: an estimator's function (handed in, so that one method's results do not depend on the code of the others).
    checkpoint: an `artifacts.checkpoints.Checkpoint`: an interrupted call goes on after what it had finished.
    Returns a Dataset over (budget, replicate): log_z, std_error, interval (with `bound`), sweeps_spent, converged and
    the method's diagnostics and profiles. Raises ValueError for unknown options and impossible sizes.
    """
    cells = [(budget, replicate) for budget in budgets for replicate in range(replicates)]
    finished = Finished()
    parts = {"cells": finished}
    first = 0 if checkpoint is None else checkpoint.load(parts)
    done, total = (sum(budget for budget, _ in some) for some in (cells[:first], cells))
    silent = None if progress else True
    with tqdm(total=total, initial=done, desc="estimates", unit="sweep", disable=silent) as bar:
        for number, (budget, replicate) in enumerate(cells[first:], first):
            ledger = SweepLedger(budget, chains)
            finished.estimates.append(run(rbm, ledger, stream.child(budget, replicate), options))
            bar.update(budget)
            if checkpoint is not None:
                checkpoint.save_if_due(number + 1, parts)
    results = np.empty(len(cells), object)
    results[:] = finished.estimates
    return _dataset(results.reshape(len(budgets), replicates), budgets, chains)


def _dataset(results, budgets, chains):
    cells = ("budget", "replicate")
    variables = {}
    for name, (long_name, units, dtype) in _VARIABLES.items():
        field = "sweeps" if name == "sweeps_spent" else name
        variables[name] = (
            cells,
            _collect(results, lambda estimate, key=field: getattr(estimate, key), dtype),
            long_name,
            units,
        )
    interval = np.stack(
        [_collect(results, lambda estimate, end=end: estimate.interval[end], np.float64) for end in (0, 1)], -1
    )
    variables["interval"] = ((*cells, "bound"), interval, "95% interval of log Z", "nat")
    for name in sorted({name for estimate in results.flat for name in estimate.diagnostics}):
        values = _collect(results, lambda estimate, key=name: estimate.diagnostics.get(key, np.nan), np.float64)
        variables[name] = (cells, values, *DIAGNOSTICS[name])
    for name in sorted({name for estimate in results.flat for name in estimate.profiles}):
        long_name, units, dimensions = PROFILES[name]
        values = np.stack([estimate.profiles[name] for estimate in results.flat])
        variables[name] = ((*cells, *dimensions), values.reshape(*results.shape, *values.shape[1:]), long_name, units)
    coordinates = {
        "budget": (("budget",), np.array(budgets, np.int64), "budget in Gibbs sweeps per chain", "sweep"),
        "replicate": (("replicate",), np.arange(results.shape[1]), "independent repeat", "1"),
        "bound": (("bound",), np.array([0.025, 0.975]), "quantile that the end of the interval stands for", "1"),
    }
    dataset = xr.Dataset(
        {name: labelled(*content) for name, content in variables.items()},
        coords={name: labelled(*content) for name, content in coordinates.items()},
    )
    return dataset.assign_attrs(chains=chains, form=results.flat[0].form)


def _collect(results, read, dtype):
    return np.array([read(estimate) for estimate in results.flat], dtype).reshape(results.shape)
