"""Write the table of log partition functions and likelihoods."""

from pathlib import Path

from logzoo.figures.zoo import likelihood_table
from logzoo.jobs import job, read_inputs, write_stamped

with job(snakemake.log[0]):
    truths = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    table = likelihood_table(truths, snakemake.params.titles, snakemake.params.published)
    write_stamped(snakemake, table)
