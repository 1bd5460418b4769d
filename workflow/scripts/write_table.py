"""Write one table as Markdown, HTML and CSV."""

from logzoo.artifacts.atomic import write_text
from logzoo.figures.tables import csv, html, markdown
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    inputs = read_inputs(rows=snakemake.input.rows)
    table, title = inputs["rows"], inputs["rows"].attrs["title"]
    for path, text in (("md", markdown(table, title)), ("html", html(table, title)), ("csv", csv(table))):
        write_text(snakemake.output[path], text)
