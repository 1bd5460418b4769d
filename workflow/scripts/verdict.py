"""Judge the claims that one figure shows."""

from logzoo.claims.registry import CLAIMS
from logzoo.claims.scorecard import stand_ins
from logzoo.claims.verdicts import verdicts
from logzoo.jobs import job, read_inputs, write_output

with job(snakemake.log[0]):
    artifacts = read_inputs(**dict(snakemake.input.items()))
    notice = stand_ins(artifacts.values())
    found = verdicts(
        snakemake.params.claims,
        CLAIMS[snakemake.wildcards.figure](**artifacts),
        untested="stand-in data" if notice else None,
    )
    write_output(snakemake, found.assign_attrs(notice), kind="verdict")
