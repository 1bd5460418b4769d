"""Train one RBM on the training split of its data set."""

from logzoo.api import train_rbm
from logzoo.artifacts.netcdf import write_artifact
from logzoo.datasets.build import visible_matrix
from logzoo.jobs import job, read_inputs, stand_in_notice

with job(snakemake.log[0]):
    params = snakemake.params
    (inputs, hashes) = read_inputs(dataset=snakemake.input.dataset)
    settings = dict(params.train)
    options = settings.pop("options", {})
    seed = f"{params.seed}/{snakemake.wildcards.model}"
    run = train_rbm(visible_matrix(inputs["dataset"], "train"), seed=seed, **settings, **options)
    notice = {"title": params.title, **stand_in_notice(inputs["dataset"])}
    provenance = {"parameters": params.train, "source": params.source, "inputs": hashes, "seed_path": seed}
    write_artifact(run.rbm.to_dataset().assign_attrs(notice), snakemake.output.model, kind="model", **provenance)
    write_artifact(run.trace.assign_attrs(notice), snakemake.output.trace, kind="trace", **provenance)
