"""Convert configured bases and options of estimators to arguments of the library."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from logzoo.datasets.build import visible_matrix
from logzoo.estimators.estimator_registry import takes
from logzoo.paths import log_odds
from replication.types import Dataset


def matched_base(dataset: Dataset) -> np.ndarray:
    """Base log-odds (visible,) with the marginals of the training split."""
    return log_odds(visible_matrix(dataset, "train"))


def estimator_options(
    entries: Mapping[str, dict], dataset: Dataset, snapshots: Dataset | None = None
) -> dict[str, dict[str, Any]]:
    """Keyword arguments {name: arguments} of estimators on a data set; entries: {name: entry of the configuration}.

    The base `matched` becomes the log-odds of the training split. The option `data` is the test split, and the option
    `snapshots` has the given snapshots of the training. Only estimators with these options receive them.
    """
    matched = matched_base(dataset) if any(entry["base"] == "matched" for entry in entries.values()) else None
    from_data = [name for name, entry in entries.items() if takes(entry["method"], "data")]
    test = visible_matrix(dataset, "test") if from_data else None
    options = {}
    for name, entry in entries.items():
        base = matched if entry["base"] == "matched" else entry["base"]
        data = {"data": test} if name in from_data else {}
        along = {"snapshots": snapshots} if snapshots is not None and takes(entry["method"], "snapshots") else {}
        options[name] = {**entry["options"], "base": base, **data, **along}
    return options
