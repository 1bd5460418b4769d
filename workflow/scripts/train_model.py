"""Train one RBM on the training split of its data set. An interrupted training continues from its checkpoint."""

from replication.artifacts import stand_ins
from replication.jobs import checkpoint_of, discard_checkpoints, job, read_inputs, write_output

from logzoo.datasets.build import visible_matrix
from logzoo.models.rbm import RBM
from logzoo.training.trainers import train_rbm

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    inputs = read_inputs(snakemake)
    settings = dict(params.train)
    options = dict(settings.pop("options", {}))
    if params.validate:
        options["validation"] = visible_matrix(inputs["dataset"], "validation")
    if "start" in inputs:
        options["start"] = RBM.from_dataset(inputs["start"])
    seed = f"{params.seed}/{snakemake.wildcards.model}"
    data = visible_matrix(inputs["dataset"], "train")
    run = train_rbm(data, seed=seed, checkpoint=checkpoint_of(snakemake), **settings, **options)
    notice = {"title": params.title, **stand_ins([inputs["dataset"]])}
    results = {"model": run.rbm.to_dataset(), "trace": run.trace, "snapshots": run.snapshots}
    for number, kind in enumerate(output.keys()):
        write_output(snakemake, results[kind].assign_attrs(notice), kind=kind, number=number, seed_path=seed)
    discard_checkpoints(snakemake)
