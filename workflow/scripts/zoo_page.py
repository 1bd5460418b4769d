"""Write the page of the zoo, on which the reader chooses what to see."""

from pathlib import Path

from logzoo.artifacts.atomic import write_text
from logzoo.artifacts.stamps import stamped_text
from logzoo.papers.zoo.page import page
from logzoo.pipeline.jobs import job, read_inputs, stamp_of

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
