"""What is configured, as the functions of the package take it."""

from logzoo.datasets.build import visible_matrix
from logzoo.estimators.registry import starts_from_data, takes
from logzoo.paths import log_odds


def matched_base(dataset):
    """Base log-odds (visible,) with the marginals of the training split."""
    return log_odds(visible_matrix(dataset, "train"))


def estimator_options(entry, dataset, snapshots=None):
    """Options of a configured estimator (method, base, options), with what it takes from the model's data set.

    The `matched` base has the marginals of the training split, others go by name; methods that start from data get the
    test split, and those that go along a trajectory the snapshots, if there are any.
    """
    base = matched_base(dataset) if entry["base"] == "matched" else entry["base"]
    data = {"data": visible_matrix(dataset, "test")} if starts_from_data(entry["method"]) else {}
    along = {"snapshots": snapshots} if snapshots is not None and takes(entry["method"], "snapshots") else {}
    return {**entry["options"], "base": base, **data, **along}
