"""Draw one figure."""

from importlib import import_module

from replication.jobs import job, read_inputs, stamp_of
from replication.reporting.style import save

with job(snakemake.log[0]):
    artifacts = read_inputs(snakemake)
    figure = import_module(snakemake.params.module).draw(artifacts, **snakemake.params.settings)
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
