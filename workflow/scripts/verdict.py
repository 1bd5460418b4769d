"""Judge the claims that one figure shows."""

from logzoo.artifacts.netcdf import write_artifact
from logzoo.claims.registry import CLAIMS
from logzoo.claims.scorecard import stand_ins
from logzoo.claims.verdicts import verdicts
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    artifacts, hashes = read_inputs(**dict(snakemake.input.items()))
    notice = stand_ins(artifacts.values())
    found = verdicts(
        snakemake.params.claims,
        CLAIMS[snakemake.wildcards.figure](**artifacts),
        untested="stand-in data" if notice else None,
    )
    write_artifact(
        found.assign_attrs(notice),
        snakemake.output.verdict,
        kind="verdict",
        parameters=snakemake.params.claims,
        source=snakemake.params.source,
        inputs=hashes,
        seed_path="",
    )
