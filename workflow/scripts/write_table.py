"""Write one table as HTML, Markdown and CSV."""

from logzoo.artifacts.atomic import write_text
from logzoo.pipeline.jobs import job, read_inputs
from logzoo.reporting.tables import text_of

with job(snakemake.log[0]):
    rows = read_inputs(snakemake)["rows"]
    for form, path in snakemake.output.items():
        write_text(path, text_of(rows, form))
