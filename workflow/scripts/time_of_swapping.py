"""Time samplers with swapped temperatures, and the trainings that use them."""

from functools import partial

from logzoo.api import train_rbm
from logzoo.datasets.build import visible_matrix
from logzoo.experiments.timing import cost_of_swapping
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream


def training(data, settings, updates):
    """One training of so many updates."""
    return train_rbm(data, **{**settings, "updates": updates, "every": updates})


with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(**dict(snakemake.input.items()))
    stream = root_stream(settings.pop("seed")).child("time-of-swapping")
    data = visible_matrix(inputs["dataset"], "train")
    settings["trainings"] = {name: partial(training, data, one) for name, one in settings["trainings"].items()}
    found = cost_of_swapping(RBM.from_dataset(inputs["model"]), stream=stream, **settings)
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
