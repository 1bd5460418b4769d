"""What is configured, as the functions of the package take it."""

from logzoo.datasets.build import visible_matrix
from logzoo.estimators.estimator_registry import starts_from_data, takes
from logzoo.paths import log_odds


def matched_base(dataset):
    """Base log-odds (visible,) with the marginals of the training split."""
    return log_odds(visible_matrix(dataset, "train"))


def estimator_options(entries, dataset, snapshots=None):
    """{name: options} of configured estimators {name: (method, base, options)}, with what they take from the data set.

    The `matched` base has the marginals of the training split, others go by name; methods that start from data get the
    test split, and those that go along a trajectory the snapshots, if there are any.
    """
    matched = matched_base(dataset) if any(entry["base"] == "matched" for entry in entries.values()) else None
    started = [name for name, entry in entries.items() if starts_from_data(entry["method"])]
    test = visible_matrix(dataset, "test") if started else None
    options = {}
    for name, entry in entries.items():
        base = matched if entry["base"] == "matched" else entry["base"]
        data = {"data": test} if name in started else {}
        along = {"snapshots": snapshots} if snapshots is not None and takes(entry["method"], "snapshots") else {}
        options[name] = {**entry["options"], "base": base, **data, **along}
    return options
