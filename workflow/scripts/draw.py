"""Draw one figure."""

from replication.jobs import job, read_inputs, stamp_of
from replication.papers.declaration import declaration_of
from replication.reporting.style import SETTINGS, save

from importlib import import_module

import matplotlib

with job(snakemake.log[0]), matplotlib.rc_context(SETTINGS):
    declared = declaration_of(import_module(snakemake.params.module), snakemake.wildcards.shown)
    figure = declared.draw(read_inputs(snakemake), **snakemake.params.settings)
    save(figure, snakemake.output.png, snakemake.output.get("pdf"), stamp_of(snakemake))
