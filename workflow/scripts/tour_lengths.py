"""Tours of one model: how long they are, or chains broken into tours."""

import numpy as np

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.experiments.tours import Images, broken_chains, tour_lengths
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

EXPERIMENTS = {"tour_lengths": tour_lengths, "broken_chains": broken_chains}

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(**dict(snakemake.input.items()))
    dataset, data = inputs["dataset"], visible_matrix(inputs["dataset"], "train")
    labels = np.full(len(data), -1)
    if "label" in dataset:
        labels = dataset["label"].values[dataset["split"].values == SPLITS.index("train")]
    stream = root_stream(settings.pop("seed")).child(snakemake.rule.replace("_", "-"), *snakemake.wildcards)
    found = EXPERIMENTS[snakemake.rule](
        RBM.from_dataset(inputs["model"]), Images(data, labels), stream=stream, **settings
    )
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
