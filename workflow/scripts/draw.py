"""Draw one figure, with the verdicts on its claims."""

from importlib import import_module

from logzoo.pipeline.jobs import job, read_inputs, stamp_of
from logzoo.reporting.notes import note_verdicts
from logzoo.reporting.style import save

with job(snakemake.log[0]):
    artifacts = read_inputs(snakemake)
    verdict = artifacts.pop("verdict", None)
    figure = import_module(snakemake.params.module).draw(artifacts, **snakemake.params.settings)
    below = 0.0 if verdict is None else note_verdicts(figure, verdict)
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake), below=below)
