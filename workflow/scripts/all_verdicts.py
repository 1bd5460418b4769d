"""Gather the verdicts on all claims, and the claims that are not tested."""

from pathlib import Path

from logzoo.claims.scorecard import scorecard
from logzoo.jobs import job, read_inputs, write_output

with job(snakemake.log[0]):
    verdicts = read_inputs(**{Path(path).stem: path for path in snakemake.input.verdicts})
    write_output(snakemake, scorecard(snakemake.params.claims, verdicts, snakemake.params.places), kind="scorecard")
