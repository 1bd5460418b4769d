"""How long tours are by the class of the image that they start from (Savarese et al. 2018, figure 2c)."""

import numpy as np
import xarray as xr

from logzoo.artifacts.labels import coordinate, labelled
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.models.rbm import RBM
from logzoo.paths import kernel_parameters
from logzoo.samplers.tours import TourSampler, stopping_set
from logzoo.samplers.walks import first_draws

_SETS = "stopping-set"


def run(artifacts, *, tours, cap, stream):
    """The experiment: `tours` tours of a model from training images drawn uniformly, cut after `cap` sweeps."""
    rbm, dataset = RBM.from_dataset(artifacts["model"]), artifacts["dataset"]
    data, labels = visible_matrix(dataset, "train"), dataset["label"].values
    example = stream.child("examples").generator().integers(len(data), size=tours)
    parameters = kernel_parameters(rbm, np.zeros(rbm.visible))
    states = first_draws(parameters, data, example, stream.child(_SETS))
    stopping = stopping_set(parameters, data, len(data), stream.child(_SETS))
    found = TourSampler(parameters, stopping, stream.child("tours")).run_from(states, tours * cap, cap)
    return counted(found.length, labels[dataset["split"].values == SPLITS.index("train")][example], cap)


def counted(lengths, labels, cap):
    """How many tours (tour,) of each class took how many sweeps, as a Dataset over (class, length)."""
    classes, rows = np.unique(labels, return_inverse=True)
    sweeps, columns = np.unique(lengths, return_inverse=True)
    tours = np.zeros((classes.size, sweeps.size), np.int64)
    np.add.at(tours, (rows, columns), 1)
    return xr.Dataset(
        {"tours": labelled(("class", "length"), tours, "tours of this class and length", "1")},
        coords={
            "class": coordinate("class", classes, "class of the image"),
            "length": coordinate("length", sweeps, "sweeps of the tour", "sweep"),
        },
        attrs={"cap": cap},
    )
