"""Statistics and readers that the modules of the papers share."""

import re

import numpy as np
import xarray as xr


def of_means(a, b):
    return a.mean() / b.mean()


def rms(errors):
    return np.sqrt(np.mean(np.square(errors), axis=0))


def geometric(ratios):
    return np.exp(np.log(ratios).mean())


def of_rms(a, b):
    """Geometric mean over budgets of ratios of RMSEs, from errors (repeat, budget)."""
    return geometric(rms(a) / rms(b))


def datasets(files, paths):
    """The datasets at these paths; an empty list if a file is missing."""
    return [xr.load_dataset(files[path]) for path in paths] if files.keys() >= set(paths) else []


def matching(files, pattern):
    """The datasets at all paths of this pattern, in the order of their paths."""
    return datasets(files, [path for path in sorted(files) if re.fullmatch(pattern, path)])
