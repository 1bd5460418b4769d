"""Test log-likelihoods of the best RBMs of a grid, by the tracker and by AIS, over repeats of all trainings."""

import numpy as np

from logzoo.io.schema import coordinate, labelled

NAMES = ("test_log_likelihood_tracked", "test_log_likelihood_ais", "ais_std_error", "tracked_std_dev")


def run(artifacts):
    """The experiment on {repeat: {data set: best RBM}}, as a Dataset over (repeat, dataset)."""
    import xarray as xr  # takes long to import, and every start of the workflow would wait for it

    repeats = [list(models.values()) for models in artifacts.values()]
    datasets = list(next(iter(artifacts.values())))
    variables = {}
    for name in NAMES:
        values = np.array([[float(best[name]) for best in models] for models in repeats])
        variables[name] = ("repeat", "dataset"), values, repeats[0][0][name].attrs
    coords = {
        "repeat": labelled("repeat", np.arange(len(repeats)), "repeat of all trainings beyond the first", "1"),
        "dataset": coordinate("dataset", datasets, "data set"),
    }
    return xr.Dataset(variables, coords)
