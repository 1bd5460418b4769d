"""Write the scorecard as Markdown, HTML and CSV."""

from replication.artifacts import stamped_text
from replication.jobs import job, stamp_of
from replication.reporting.page import scorecard_page
from replication.reporting.scorecard import csv, markdown

from pathlib import Path

from logzoo.io.atomic import write_text
from logzoo.io.netcdf import read_artifact

with job(snakemake.log[0]):
    params, card = snakemake.params, read_artifact(snakemake.input.scorecard, "scorecard")
    text = scorecard_page(
        card, scale=params.scale, folder=params.folder, templates=Path(snakemake.input.templates[0]).parent
    )
    text = stamped_text(text, stamp_of(snakemake))
    for form, content in (("md", markdown(card, params.folder)), ("html", text), ("csv", csv(card))):
        write_text(snakemake.output[form], content)
