"""Make the scorecard from all claims and their verdicts."""

from replication.jobs import job, read_inputs, write_output
from replication.reporting.scorecard import scorecard

with job(snakemake.log[0]):
    card = scorecard(snakemake.params.claims, read_inputs(snakemake), snakemake.params.places)
    write_output(snakemake, card.assign_attrs(standing=snakemake.params.standing), kind="scorecard")
