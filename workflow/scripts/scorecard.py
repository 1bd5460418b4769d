"""Write the scorecard as Markdown, HTML and CSV."""

from pathlib import Path

from logzoo.artifacts.atomic import write_text
from logzoo.artifacts.netcdf import read_artifact
from logzoo.artifacts.stamps import stamped_text
from logzoo.claims.scorecard import csv, markdown
from logzoo.figures.page import scorecard_page
from logzoo.jobs import job, stamp_of

with job(snakemake.log[0]):
    card = read_artifact(snakemake.input.scorecard, "scorecard")
    folder = Path(snakemake.output.md).parent
    text = scorecard_page(
        card,
        scale=snakemake.params.scale,
        folder=folder,
        templates=Path(snakemake.input.templates[0]).parent,
    )
    text = stamped_text(text, stamp_of(snakemake))
    for form, content in (("md", markdown(card, folder)), ("html", text), ("csv", csv(card))):
        write_text(snakemake.output[form], content)
