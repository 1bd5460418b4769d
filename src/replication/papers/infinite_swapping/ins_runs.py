"""Experiments of Hult et al. (2019): distances of running estimates of the gradient, and repeats of trainings.

Figures 2 and 4 show the distance of a running estimate of the gradient from the exact gradient. Both gradients contain
the same part from the data, so only the part from the model counts. The model's part is the expectation of
v p(h | v)', v and p(h | v). Its estimate is the mean over all sweeps so far, weighted by eq 8. Figures 3 and 5 show the
likelihood and the prediction accuracy at the snapshots of trainings. Figure 6 shows only the accuracy.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from logzoo.datasets.build import label_units, visible_matrix
from logzoo.io.checkpoints import unfinished
from logzoo.io.schema import coordinate, labelled
from logzoo.models.classification import prediction_accuracy
from logzoo.models.exact_sums import exact_expectations, exact_log_z
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.replicas import InfiniteSwapping
from logzoo.streams import root_stream
from logzoo.training import trainers
from logzoo.types import Array
from replication.types import Artifacts, Checkpoint, Settings, Stream, TrainingRun


def gradients(artifacts: Artifacts, *, states: Iterable[str], stream: Stream, **settings: Any) -> xr.Dataset:
    """Gradient distances at the first snapshot (`early`) and at the last parameters (`late`) of each training."""
    trained, names = [], list(artifacts["models"])
    for name, model in artifacts["models"].items():
        first = artifacts["snapshots"][name].isel(update=0)
        known = {"early": RBM.from_dataset(first), "late": RBM.from_dataset(model)}
        chosen = {state: known[state] for state in states}
        trained.append(gradient_distances(chosen, stream=stream.child(name), **settings))
    joined = xr.concat(trained, "training", data_vars=["distance", "unevenness"])
    return joined.assign_coords(training=coordinate("training", names, "training of the RBM"))


def gradient_distances(
    states: Mapping[str, RBM],
    samplers: Mapping[str, Settings],
    *,
    ladders: int,
    steps: int,
    repeats: int,
    points: int,
    stream: Stream,
) -> xr.Dataset:
    """Distances of gradient estimates from the exact gradient, and of a replica's temperatures from uniform use.

    samplers: {name: settings of InfiniteSwapping}. A repeat runs `ladders` copies of the ladder, or the number in its
    settings, from uniform states for `steps` sweeps. Distances are computed after up to `points` of these sweeps, at
    about geometric intervals.
    """
    looks = np.unique(np.geomspace(1, steps, points).round().astype(int))
    shape = len(states), len(samplers), repeats, looks.size
    distance, unevenness = np.empty(shape), np.empty(shape)
    chains = np.zeros(len(samplers), int)
    for row, (state, rbm) in enumerate(states.items()):
        for column, (name, settings) in enumerate(samplers.items()):
            sampler = swapped_ladders(stream.child(state, name).key, repeats, ladders, settings)
            chains[column] = sampler.rung.size // repeats
            distance[row, column], unevenness[row, column] = _distances(rbm, sampler, looks, repeats)
    over = ("state", "sampler", "repeat", "step")
    return xr.Dataset(
        {
            "distance": labelled(over, distance, "Euclidean distance to the exact gradient", "1"),
            "unevenness": labelled(
                over, unevenness, "total variation distance from uniform of the temperatures of a replica", "1"
            ),
            "chains": labelled("sampler", chains, "chains of a repeat", "1"),
        },
        coords={
            "state": coordinate("state", states, "state of the parameters"),
            "sampler": coordinate("sampler", samplers, "sampler"),
            "repeat": coordinate("repeat", range(repeats), "independent repeat"),
            "step": coordinate("step", looks, "Gibbs sweeps per chain", "sweep"),
        },
        attrs={"visible": rbm.visible, "hidden": rbm.hidden, "ladders": ladders},
    )


def swapped_ladders(key: np.uint64, repeats: int, ladders: int, settings: Settings) -> InfiniteSwapping:
    """InfiniteSwapping with the ladders of all repeats; `ladders` in `settings` takes precedence."""
    settings = {"ladders": ladders, **settings}
    return InfiniteSwapping(key, repeats * settings.pop("ladders"), **settings)


def _distances(rbm, sampler, looks, repeats):
    """Errors of the gradient and distances of the temperatures from the uniform distribution, both (repeat, step)."""
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    exact = exact_expectations(rbm.weights, rbm.visible_bias, rbm.hidden_bias)
    target = np.concatenate([means.ravel() for means in exact[1:]])
    sampler.load(parameters, log_odds=np.zeros_like(parameters.base))
    sums = np.zeros((repeats, target.size))
    distance, unevenness = np.empty((repeats, looks.size)), np.empty((repeats, looks.size))
    before = 0
    for position, look in enumerate(looks):
        sampler.move_and_sum(before + 1, look + 1, sums)
        before = look
        means = sums / (look * sampler.count / repeats)
        distance[:, position] = np.sqrt(((means - target) ** 2).sum(axis=1))
        apart = 0.5 * np.abs(sampler.occupancy / look - 1.0 / sampler.betas.size).sum(axis=1)
        unevenness[:, position] = apart.reshape(repeats, -1).mean(axis=1)
    return distance, unevenness


_LARGEST_LAYER = 12  # log Z of every snapshot is enumerated if the smaller layer has at most this many units
_TEXTS = {
    "accuracy": ("mean log-probability of the label given the input", "nat"),
    "right": ("share of examples whose true label is the most probable", "1"),
    "log_likelihood": ("mean log-likelihood of the training data, exact", "nat"),
}


def trainings(
    artifacts: Artifacts,
    *,
    trainer: str,
    train: Settings,
    points: int,
    stream: Stream,
    checkpoint: Callable[..., Checkpoint],
    paired: bool = False,
    initial_scale: float | None = None,
    **settings: Any,
) -> xr.Dataset:
    """The experiment of one trainer in a comparison. All trainers of a comparison share the subset for accuracies.

    paired: all trainers also share the initial weights and the mini-batches of a repeat. initial_scale: standard
    deviation of the initial weights and biases, in place of the option `initial`.
    """
    data = visible_matrix(artifacts["dataset"], "train")
    snapshots = {"every": max(1, train["updates"] // points), "snapshots": points}
    options = {**train, **snapshots, "learning_rate": float(train["learning_rate"])}
    method = options.pop("method")

    def trained(repeat):
        seed, names = (f"{stream}/{repeat}", ()) if paired else (f"{stream}/{trainer}/{repeat}", (method,))
        streams = root_stream(seed).child("train", *names)
        more = {"checkpoint": checkpoint(repeat), "progress": False}
        if initial_scale is not None:
            more["start"] = _initial(data.shape[1], options["hidden"], initial_scale, streams.child("start"))
        return trainers.trainer(method)(data, stream=streams, **more, **options)

    labels = label_units(artifacts["dataset"])
    return repeated_training(trained, data, labels, stream=stream, checkpoint=checkpoint("repeats"), **settings)


def _initial(visible, hidden, scale, stream):
    """An RBM whose parameters are independent normal draws of standard deviation `scale`."""
    generator = stream.generator()
    return RBM(*(scale * generator.standard_normal(shape) for shape in ((visible, hidden), visible, hidden)))


def repeated_training(
    train: Callable[[int], TrainingRun],
    examples: Array,
    labels: int,
    *,
    repeats: int,
    subset: int,
    stream: Stream,
    checkpoint: Checkpoint | None = None,
) -> xr.Dataset:
    """Train `repeats` times by train(repeat) -> TrainingRun, and evaluate every snapshot.

    The last `labels` units of `examples` are a one-hot label. Accuracy is the mean log p(label | input) of `subset`
    examples, drawn once, so that its spread comes from the trainings alone. The exact mean log-likelihood of all
    examples is left out if both layers have more than 12 units. checkpoint: keeps the results of finished repeats.
    """
    chosen = stream.child("subset").generator().choice(len(examples), min(subset, len(examples)), replace=False)
    selected, rows = examples[chosen], {}
    for repeat in unfinished(checkpoint, range(repeats), rows):
        for name, value in _evaluated(train(repeat), examples, selected, labels).items():
            value = np.asarray(value)
            rows.setdefault(name, np.empty((repeats, *value.shape), value.dtype))[repeat] = value
    # Single precision halves the file. Its rounding error is far below the variation of repeats.
    variables = {
        name: labelled(("repeat", "update"), rows[name].astype(np.float32), *_TEXTS[name])
        for name in _TEXTS
        if name in rows
    }
    update, sweeps, hidden = (rows[name][-1] for name in ("update", "chain_sweeps", "hidden"))
    variables["chain_sweeps"] = labelled("update", sweeps, "Gibbs sweeps spent so far, summed over chains", "sweep")
    coords = {
        "repeat": coordinate("repeat", range(repeats), "independent repeat"),
        "update": coordinate("update", update, "parameter updates before the snapshot"),
    }
    sizes = {"visible": examples.shape[1], "hidden": int(hidden)}
    return xr.Dataset(variables, coords, {**sizes, "subset": chosen.size, "examples": len(examples)})


def _evaluated(training, examples, chosen, labels):
    """Results of one training by name, most of them over its snapshots."""
    snapshots = training.snapshots
    update = snapshots["update"].values
    states = [RBM.from_dataset(snapshots.isel(update=number)) for number in range(update.size)]
    predictions = [prediction_accuracy(rbm, chosen, labels) for rbm in states]
    row = {
        "accuracy": [prediction.mean for prediction in predictions],
        "right": [prediction.right for prediction in predictions],
        "update": update,
        "chain_sweeps": training.trace["chain_sweeps"].sel(update=update).values,
        "hidden": states[0].hidden,
    }
    if min(states[0].visible, states[0].hidden) <= _LARGEST_LAYER:
        # Examples with few visible units are often equal, so log-likelihoods of distinct examples are enough.
        distinct, counts = np.unique(examples, axis=0, return_counts=True)
        row["log_likelihood"] = [
            np.average(rbm.log_likelihood(distinct, exact_log_z(rbm)), weights=counts) for rbm in states
        ]
    return row
