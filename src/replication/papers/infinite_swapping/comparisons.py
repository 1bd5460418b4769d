"""Repeats of a training, judged on the way: likelihood and prediction accuracy (Hult et al. 2019, figures 3, 5, 6)."""

import numpy as np
import xarray as xr

from logzoo.datasets.build import label_units, visible_matrix
from logzoo.io.labels import labelled
from logzoo.models.classification import prediction_accuracy
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream
from logzoo.trainers import registry

_LARGEST_LAYER = 12  # units of the smaller layer up to which log Z is enumerated at every point
_TEXTS = {
    "accuracy": ("mean log-probability of the label given the input", "nat"),
    "right": ("share of examples whose own label is the most probable", "1"),
    "log_likelihood": ("mean log-likelihood of the training data, exact", "nat"),
}


def run(artifacts, *, trainer, train, points, stream, checkpoint, paired=False, **settings):
    """The experiment of one trainer in a comparison; all trainers of a comparison share the subset.

    train: settings of the training, `method` among them. paired: all trainers share the initial weights and the
    mini-batches of a repeat, too, so that their difference varies less.
    """
    data = visible_matrix(artifacts["dataset"], "train")
    snapshots = {"every": max(1, train["updates"] // points), "snapshots": points}
    options = {**train, **snapshots, "learning_rate": float(train["learning_rate"])}
    method = options.pop("method")

    def trained(repeat):
        apart = root_stream(f"{stream}/{trainer}/{repeat}").child("train", method)
        own = root_stream(f"{stream}/{repeat}").child("train") if paired else apart
        return registry.trainer(method)(data, stream=own, checkpoint=checkpoint(repeat), progress=False, **options)

    return repeated_training(trained, data, label_units(artifacts["dataset"]), stream=stream, **settings)


def repeated_training(train, examples, labels, *, repeats, subset, stream):
    """Train `repeats` times and judge every snapshot on the way, as a Dataset over (repeat, update), in nats.

    train(repeat) -> TrainingRun with snapshots, at the same updates each time. examples: training data (examples,
    visible), the last `labels` units a one-hot label. Accuracy is the mean log p(label | v) of `subset` examples, drawn
    once, so that its spread is that of the trainings. The mean log-likelihood is of all examples, exact; it is left out
    where log Z cannot be enumerated.
    """
    chosen = stream.child("subset").generator().choice(len(examples), min(subset, len(examples)), replace=False)
    rows = []
    for repeat in range(repeats):
        training = train(repeat)
        update = training.snapshots["update"].values
        states = [RBM.from_dataset(training.snapshots.isel(update=number)) for number in range(update.size)]
        predictions = [prediction_accuracy(rbm, examples[chosen], labels) for rbm in states]
        columns = {"accuracy": [each.mean for each in predictions], "right": [each.right for each in predictions]}
        if min(states[0].visible, states[0].hidden) <= _LARGEST_LAYER:
            # Small data hold many examples twice.
            distinct, counts = np.unique(examples, axis=0, return_counts=True)
            columns["log_likelihood"] = [
                np.average(rbm.log_likelihood(distinct, exact_log_z(rbm)), weights=counts) for rbm in states
            ]
        rows.append(columns)
    # In single precision, which is finer by far than what repeats vary by: half the file.
    values = {name: np.array([row[name] for row in rows], np.float32) for name in columns}
    variables = {name: labelled(("repeat", "update"), values[name], *_TEXTS[name]) for name in columns}
    sweeps = training.trace["chain_sweeps"].sel(update=update)
    variables["chain_sweeps"] = labelled("update", sweeps.values, sweeps.attrs["long_name"], "sweep")
    coords = {
        "repeat": labelled("repeat", np.arange(repeats), "independent repeat", "1"),
        "update": labelled("update", update, "parameter updates made before", "1"),
    }
    sizes = {"visible": states[0].visible, "hidden": states[0].hidden}
    return xr.Dataset(variables, coords, {**sizes, "subset": chosen.size, "examples": len(examples)})
