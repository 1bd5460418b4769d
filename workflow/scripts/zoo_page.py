"""Write the interactive HTML page of the zoo."""

from replication.artifacts import stamped_text
from replication.jobs import job, read_inputs, stamp_of
from replication.papers.zoo.zoo_page import page

from pathlib import Path

from logzoo.io.atomic import write_text

with job(snakemake.log[0]):
    params = snakemake.params
    text = page(
        read_inputs(snakemake),
        names=params.names,
        pages=params.pages,
        figures=params.figures,
        places=params.places,
        scale=params.scale,
        folder=params.folder,
        templates=Path(snakemake.input.templates[0]).parent,
    )
    write_text(snakemake.output.page, stamped_text(text, stamp_of(snakemake)))
