"""Write the table of log partition functions and likelihoods."""

from pathlib import Path

from logzoo.figures.zoo import likelihood_table
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    (truths, _) = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    table = likelihood_table(truths, snakemake.params.titles, snakemake.params.published)
    Path(snakemake.output.table).write_text(table)
