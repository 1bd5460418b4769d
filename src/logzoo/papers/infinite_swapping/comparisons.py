"""Repeats of a training, judged on the way: likelihood and prediction accuracy (Hult et al. 2019, figures 3, 5, 6)."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import labelled
from logzoo.experiments.snapshots import rbm_at
from logzoo.models.classification import prediction_accuracy
from logzoo.models.exact import exact_log_z

_LARGEST_LAYER = 12  # units of the smaller layer up to which log Z is enumerated at every point


def repeated_training(train, examples, labels, *, repeats, subset, stream):
    """Train `repeats` times and judge every snapshot on the way, as a Dataset over (repeat, update), in nats.

    train(repeat) -> TrainingRun with snapshots, at the same updates each time. examples: training data (examples,
    visible), the last `labels` units a one-hot label. Accuracy is the mean log p(label | v) of `subset` examples, drawn
    once, so that its spread is that of the trainings. The mean log-likelihood is of all examples, exact; it is left out
    where log Z cannot be enumerated.
    """
    chosen = stream.child("subset").generator().choice(len(examples), min(subset, len(examples)), replace=False)
    likelihood = None
    rows = []
    for repeat in range(repeats):
        run = train(repeat)
        states = [rbm_at(run.snapshots, update) for update in run.snapshots["update"].values]
        found = [prediction_accuracy(rbm, examples[chosen], labels) for rbm in states]
        columns = {"accuracy": [one.mean for one in found], "right": [one.right for one in found]}
        if min(states[0].visible, states[0].hidden) <= _LARGEST_LAYER:
            likelihood = likelihood or _mean_log_likelihood_of(examples)
            columns["log_likelihood"] = [likelihood(rbm) for rbm in states]
        rows.append(columns)
    size = {"visible": states[0].visible, "hidden": states[0].hidden}
    return _dataset(rows, run).assign_attrs(size | {"subset": chosen.size, "examples": len(examples)})


def _mean_log_likelihood_of(examples):
    """A function of an RBM: the exact mean log-likelihood of examples, of which small data hold many twice."""
    distinct, counts = np.unique(examples, axis=0, return_counts=True)
    return lambda rbm: np.average(rbm.log_likelihood(distinct, exact_log_z(rbm)), weights=counts)


def _dataset(rows, run):
    texts = {
        "accuracy": ("mean log-probability of the label given the input", "nat"),
        "right": ("share of examples whose own label is the most probable", "1"),
        "log_likelihood": ("mean log-likelihood of the training data, exact", "nat"),
    }
    update = run.snapshots["update"].values
    variables = {
        name: labelled(("repeat", "update"), np.array([row[name] for row in rows]), *texts[name]) for name in rows[0]
    }
    sweeps = run.trace["chain_sweeps"].sel(update=update)
    variables["chain_sweeps"] = labelled("update", sweeps.values, sweeps.attrs["long_name"], "sweep")
    coords = {
        "repeat": labelled("repeat", np.arange(len(rows)), "independent repeat", "1"),
        "update": labelled("update", update, "parameter updates made before", "1"),
    }
    return xr.Dataset(variables, coords)
