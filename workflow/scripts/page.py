"""Write the HTML page of all figures, tables and verdicts."""

from replication.artifacts import stamped_text
from replication.jobs import job, stamp_of
from replication.papers.zoo.zoo_answer import findings, uses
from replication.reporting.page import exhibit_of, page

from pathlib import Path

from logzoo.io.atomic import write_text
from logzoo.io.netcdf import read_artifact, read_provenance
from logzoo.models.exact_sums import LARGEST_LAYER

with job(snakemake.log[0]):
    inputs, params = snakemake.input, snakemake.params
    zoo, names = read_artifact(inputs.zoo, "zoo"), params.names
    records = {path: read_provenance(path) for path in inputs.artifacts}
    text = page(
        read_artifact(inputs.scorecard, "scorecard"),
        {name: exhibit_of(shown, records) for name, shown in params.shown.items()},
        zoo=zoo,
        papers=params.papers,
        scale=params.scale,
        folder=params.folder,
        templates=Path(snakemake.input.templates[0]).parent,
        companion=inputs.companion,
        uses=uses(zoo, arenas=params.arenas, names=names, enumerated=LARGEST_LAYER),
        findings=findings(zoo, names=names),
        published=params.published,
    )
    write_text(snakemake.output.page, stamped_text(text, stamp_of(snakemake)))
