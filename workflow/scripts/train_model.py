"""Train one RBM on the training split of its data set; a checkpoint beside it survives an interruption."""

from pathlib import Path

from logzoo.api import train_rbm
from logzoo.artifacts.netcdf import write_artifact
from logzoo.datasets.build import visible_matrix
from logzoo.jobs import job, read_inputs, stand_in_notice
from logzoo.models.rbm import RBM

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    inputs, hashes = read_inputs(**dict(snakemake.input.items()))
    settings = dict(params.train)
    options = dict(settings.pop("options", {}))
    if params.validate:
        options["validation"] = visible_matrix(inputs["dataset"], "validation")
    if "start" in inputs:
        options["start"] = RBM.from_dataset(inputs["start"])
    seed = f"{params.seed}/{snakemake.wildcards.model}"
    checkpoint = Path(f"{output.model}.checkpoint.npz")
    data = visible_matrix(inputs["dataset"], "train")
    run = train_rbm(data, seed=seed, checkpoint=checkpoint, **settings, **options)
    notice = {"title": params.title, **stand_in_notice(inputs["dataset"])}
    provenance = {"parameters": params.train, "source": params.source, "inputs": hashes, "seed_path": seed}
    write_artifact(run.rbm.to_dataset().assign_attrs(notice), output.model, kind="model", **provenance)
    write_artifact(run.trace.assign_attrs(notice), output.trace, kind="trace", **provenance)
    if run.snapshots is not None:
        write_artifact(run.snapshots.assign_attrs(notice), output.snapshots, kind="snapshots", **provenance)
    checkpoint.unlink(missing_ok=True)
