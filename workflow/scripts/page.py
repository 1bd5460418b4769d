"""Write the page of all figures, tables and verdicts."""

from replication.artifacts import stamped_text
from replication.jobs import job, stamp_of
from replication.reporting.page import exhibit_of, page

from pathlib import Path

from logzoo.io.atomic import write_text
from logzoo.io.netcdf import read_artifact, read_provenance

with job(snakemake.log[0]):
    inputs, params = snakemake.input, snakemake.params
    records = {path: read_provenance(path) for path in inputs.artifacts}
    text = page(
        read_artifact(inputs.scorecard, "scorecard"),
        {name: exhibit_of(shown, records) for name, shown in params.shown.items()},
        zoo=read_artifact(inputs.zoo, "zoo"),
        papers=params.papers,
        scale=params.scale,
        folder=params.folder,
        templates=Path(snakemake.input.templates[0]).parent,
        companion=inputs.companion,
    )
    write_text(snakemake.output.page, stamped_text(text, stamp_of(snakemake)))
