"""One estimator on one model at every budget and replicate, as one dataset."""

import numpy as np
import xarray as xr
from tqdm import tqdm

from logzoo.budgets import SweepLedger
from logzoo.estimators.result import DIAGNOSTICS, PROFILES
from logzoo.labels import labelled

_VARIABLES = {
    "log_z": ("estimate of log Z", "nat", np.float64),
    "std_error": ("standard error of log Z, over independent chains", "nat", np.float64),
    "sweeps_spent": ("Gibbs sweeps spent per chain, all purposes", "sweep", np.int64),
    "converged": ("1 when the method found nothing wrong with its own run", "1", np.int8),
}


def estimate_matrix(rbm, run, *, budgets, replicates, chains, stream, options, progress=False):
    """Estimate log Z at every budget (sweeps per chain) and replicate, each from a stream of its own.

    run: an estimator's function (handed in, so that one method's results do not depend on the code of the others).
    Returns a Dataset over (budget, replicate): log_z, std_error, interval (with `bound`), sweeps_spent, converged and
    the method's diagnostics and profiles. Raises ValueError for unknown options and impossible sizes.
    """
    shape = (len(budgets), replicates)
    results = np.empty(shape, object)
    cells = list(np.ndindex(shape))
    total = replicates * sum(budgets)
    with tqdm(total=total, desc="estimates", unit="sweep", disable=None if progress else True) as bar:
        for cell in cells:
            budget, replicate = budgets[cell[0]], cell[1]
            ledger = SweepLedger(budget, chains)
            results[cell] = run(rbm, ledger, stream.child(budget, replicate), options)
            bar.update(budget)
    return _dataset(results, budgets, chains)


def _dataset(results, budgets, chains):
    cells = ("budget", "replicate")
    variables = {}
    for name, (long_name, units, dtype) in _VARIABLES.items():
        field = "sweeps" if name == "sweeps_spent" else name
        variables[name] = (cells, _collect(results, lambda one, key=field: getattr(one, key), dtype), long_name, units)
    interval = np.stack([_collect(results, lambda one, end=end: one.interval[end], np.float64) for end in (0, 1)], -1)
    variables["interval"] = ((*cells, "bound"), interval, "95% interval of log Z", "nat")
    for name in sorted({name for one in results.flat for name in one.diagnostics}):
        values = _collect(results, lambda one, key=name: one.diagnostics.get(key, np.nan), np.float64)
        variables[name] = (cells, values, *DIAGNOSTICS[name])
    for name in sorted({name for one in results.flat for name in one.profiles}):
        long_name, units, dimensions = PROFILES[name]
        values = np.stack([one.profiles[name] for one in results.flat])
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
    return np.array([read(one) for one in results.flat], dtype).reshape(results.shape)
