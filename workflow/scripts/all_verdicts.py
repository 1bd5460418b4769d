"""Gather the verdicts on all claims, and the claims that are not tested."""

from pathlib import Path

from logzoo.artifacts.netcdf import write_artifact
from logzoo.claims.scorecard import scorecard
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    verdicts, hashes = read_inputs(**{Path(path).stem: path for path in snakemake.input.verdicts})
    write_artifact(
        scorecard(snakemake.params.claims, verdicts, snakemake.params.places),
        snakemake.output.scorecard,
        kind="scorecard",
        parameters={"claims": snakemake.params.claims, "places": snakemake.params.places},
        source=snakemake.params.source,
        inputs=hashes,
        seed_path="",
    )
