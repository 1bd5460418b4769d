"""Train by one trainer, run after run at each learning rate, and find the exact likelihoods; checkpoints on the way."""

from logzoo.checks import binary_matrix, grey_matrix
from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.experiments.likelihoods import trained_likelihoods
from logzoo.jobs import checkpoint_of, discard_checkpoints, job, read_inputs, stand_in_notice, write_output
from logzoo.streams import root_stream
from logzoo.trainers.registry import trainer

CHECKS = {"grey": grey_matrix, "binary": binary_matrix}

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(dataset=snakemake.input.dataset)
    check = CHECKS[settings["train"]["values"]]
    splits = {split: check(split, visible_matrix(inputs["dataset"], split)) for split in SPLITS}
    # Runs of all trainers share their streams, and so their mini-batches.
    stream = root_stream(settings["seed"]).child("trainings", snakemake.wildcards.training)

    def train(rate, run):
        return trainer(settings["method"])(
            splits["train"],
            stream=stream.child(run),
            learning_rate=rate,
            checkpoint=checkpoint_of(snakemake, name=f"{rate}.{run}"),
            progress=False,
            **settings["train"],
        )

    found = trained_likelihoods(train, splits, rates=settings["rates"], runs=settings["runs"])
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["dataset"])), kind="trace", seed_path=stream)
    discard_checkpoints(snakemake)
