"""Write the table of verdicts on all claims."""

from pathlib import Path

from logzoo.claims.verdicts import verdict_table
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    (verdicts, _) = read_inputs(**{Path(path).stem: path for path in snakemake.input.verdicts})
    Path(snakemake.output.table).write_text(verdict_table(verdicts.values()))
