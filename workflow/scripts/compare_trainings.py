"""Repeat a training and judge it on the way; a checkpoint of each repeat survives an interruption."""

from logzoo.api import train_rbm
from logzoo.artifacts.checkpoints import path_beside
from logzoo.datasets.build import label_units, visible_matrix
from logzoo.experiments.comparisons import repeated_training
from logzoo.jobs import discard_checkpoints, job, read_inputs, stand_in_notice, write_output
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings, output = dict(snakemake.params.settings), snakemake.output.comparison
    inputs = read_inputs(dataset=snakemake.input.dataset)
    train, points, seed = (settings.pop(name) for name in ("train", "points", "seed"))
    path = "/".join(map(str, (seed, "comparisons", *snakemake.wildcards)))
    data = visible_matrix(inputs["dataset"], "train")
    train = {**train, "every": max(1, train["updates"] // points), "snapshots": points}
    found = repeated_training(
        lambda repeat: train_rbm(data, seed=f"{path}/{repeat}", checkpoint=path_beside(output, repeat), **train),
        data,
        label_units(inputs["dataset"]),
        # One subset for all trainers of a comparison.
        stream=root_stream(seed).child("comparisons", snakemake.wildcards.comparison),
        **settings,
    )
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["dataset"])), kind="trace", seed_path=path)
    discard_checkpoints(snakemake)
