"""logzoo: log partition functions of restricted Boltzmann machines, by every method of four papers."""

import importlib

__version__ = "0.1.0"

# Public names and their modules. A module is imported on first use; __init__.pyi lists the names for type checkers.
_PUBLIC = {
    "RBM": "logzoo.models.rbm",
    "exact_log_z": "logzoo.models.exact_sums",
    "lower_bound": "logzoo.models.modes",
    "dbm_log_likelihood": "logzoo.deep",
    "Estimate": "logzoo.estimators.result",
    "Estimator": "logzoo.estimators.estimator",
    "Draws": "logzoo.estimators.estimator",
    "TrainingRun": "logzoo.training.loop",
    "LogZTracker": "logzoo.tracking",
    "sample_gibbs": "logzoo.samplers.gibbs_states",
    "estimate_log_z": "logzoo.api",
    "draw_samples": "logzoo.api",
    "read_log_z": "logzoo.api",
    "methods": "logzoo.api",
    "train_rbm": "logzoo.training.trainers",
    "trainers": "logzoo.training.trainers",
    "mean_log_likelihood": "logzoo.scoring",
    "score": "logzoo.scoring",
    "scorer": "logzoo.scoring",
}
__all__ = sorted(_PUBLIC)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name):
    if name not in _PUBLIC:
        raise AttributeError(f"module 'logzoo' has no attribute '{name}'")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__():
    return [*__all__, "__version__"]
