"""Publish the run of a scale, small enough for the repository, and update the numbers that pages quote from it."""

from pathlib import Path

from logzoo.io.atomic import write_text
from replication.audit.publish import publish
from replication.jobs import job
from replication.reporting.quotes import requoted

with job(snakemake.log[0]):
    params = snakemake.params
    text = publish(".", params.scale, params.jobs, most=params.megabytes, hours=params.hours)
    print(text, end="", flush=True)
    for page in params.pages:
        old = Path(page).read_text()
        new = requoted(old, page, ".")
        if new != old:
            write_text(page, new)
            print(f"updated: {page}", flush=True)
