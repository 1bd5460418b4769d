"""How long tours are by the class of the image that they start from (Savarese et al. 2018, figure 2c)."""

import numpy as np
import xarray as xr

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.io.labels import coordinate, labelled
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.stopping_sets import first_draws, stopping_set
from logzoo.samplers.tour_chains import TourSampler
from replication.papers.las_vegas.lengths import VISIBLE

_SETS = "stopping-set"


def run(artifacts, *, tours, cap, stream):
    """The experiment: `tours` tours of a model from training images drawn uniformly, cut after `cap` sweeps.

    Once with visible units drawn and once at their means (VISIBLE), from the same states with the same random numbers.
    """
    rbm, dataset = RBM.from_dataset(artifacts["model"]), artifacts["dataset"]
    data, labels = visible_matrix(dataset, "train"), dataset["label"].values
    example = stream.child("examples").generator().integers(len(data), size=tours)
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    states = first_draws(parameters, data, example, stream.child(_SETS))
    stopping = stopping_set(parameters, data, len(data), stream.child(_SETS))
    lengths = {}
    for name, mean_field in VISIBLE.items():
        sampler = TourSampler(parameters, stopping, stream.child("tours"), mean_field=mean_field)
        lengths[name] = sampler.run_from(states.copy(), tours * cap, cap).length
    return counted(lengths, labels[dataset["split"].values == SPLITS.index("train")][example], example, cap)


def counted(lengths, labels, examples, cap):
    """How many tours of each class took how many sweeps, as a Dataset over (visible, class, length).

    lengths: {what visible units are: (tour,)}; labels and examples (tour,): class and number of the image. Tours from
    the same image start in the same state, so the error of a mean log length is that of means over images.
    """
    classes, rows = np.unique(labels, return_inverse=True)
    sweeps, columns = np.unique(np.stack(list(lengths.values())), return_inverse=True)
    columns = columns.reshape(len(lengths), rows.size)
    tours = np.zeros((len(lengths), classes.size, sweeps.size), np.int64)
    for table, column in zip(tours, columns, strict=True):
        np.add.at(table, (rows, column), 1)
    counts, logs = tours.sum(axis=-1), np.log(sweeps)
    means = (tours * logs).sum(axis=-1) / counts
    squares = np.zeros(means.shape)
    _, first, images = np.unique(examples, return_index=True, return_inverse=True)
    of_images = np.bincount(rows[first], minlength=classes.size)
    for kind, column in enumerate(columns):
        apart = np.bincount(images, logs[column] - means[kind, rows])
        np.add.at(squares[kind], rows[first], apart**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(squares * (of_images / (of_images - 1.0))) / counts
    by_class = ("visible", "class")
    return xr.Dataset(
        {
            "tours": labelled((*by_class, "length"), tours, "tours of this class and length", "1"),
            "mean_log_length": labelled(by_class, means, "mean log length of tours", "1"),
            "mean_log_length_error": labelled(by_class, errors, "its standard error, over images", "1"),
        },
        coords={
            "visible": coordinate("visible", lengths, "what visible units are on a tour"),
            "class": coordinate("class", classes, "class of the image"),
            "length": coordinate("length", sweeps, "sweeps of the tour", "sweep"),
        },
        attrs={"cap": cap},
    )
