"""Write one table as HTML, Markdown and CSV."""

from replication.jobs import job, read_inputs
from replication.reporting.tables import text_of

from logzoo.io.atomic import write_text

with job(snakemake.log[0]):
    rows = read_inputs(snakemake)["rows"]
    for form, path in snakemake.output.items():
        write_text(path, text_of(rows, form))
