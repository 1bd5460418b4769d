"""Estimate log Z of one model by one estimator, at every budget and replicate."""

from logzoo.artifacts.netcdf import write_artifact
from logzoo.estimators.matrix import estimate_matrix
from logzoo.estimators.registry import estimator
from logzoo.jobs import estimator_options, job, read_inputs, stand_in_notice
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = snakemake.params.settings
    (inputs, hashes) = read_inputs(model=snakemake.input.model, dataset=snakemake.input.dataset)
    stream = root_stream(settings["seed"]).child(
        snakemake.params.stream, snakemake.wildcards.model, snakemake.wildcards.estimator
    )
    estimates = estimate_matrix(
        RBM.from_dataset(inputs["model"]),
        estimator(settings["method"]),
        budgets=settings["budgets"],
        replicates=settings["replicates"],
        chains=settings["chains"],
        stream=stream,
        options=estimator_options(settings, inputs["dataset"]),
    )
    write_artifact(
        estimates.assign_attrs(stand_in_notice(inputs["model"])),
        snakemake.output.estimate,
        kind="estimate",
        parameters=settings,
        source=snakemake.params.source,
        inputs=hashes,
        seed_path=str(stream),
    )
