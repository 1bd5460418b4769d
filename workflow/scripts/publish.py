"""Publish the run of a scale, small enough for the repository, and renew what pages quote of it."""

from pathlib import Path

from logzoo.artifacts.atomic import write_text
from logzoo.audit.publish import publish
from logzoo.audit.tasks import Tasks
from logzoo.pipeline.jobs import job
from logzoo.reporting.quotes import requoted

with job(snakemake.log[0]):
    params = snakemake.params
    tasks = Tasks(params.tasks)
    given = {"partial": params.partial, "most": params.megabytes, "hours": params.hours}
    text = publish(".", params.scale, tasks=tasks, **given)
    print(text, end="", flush=True)
    # A run that is not finished has no scorecard.
    for page in [] if params.partial else params.pages:
        old = Path(page).read_text()
        new = requoted(old, page, ".")
        if new != old:
            write_text(page, new)
            print(f"renewed: {page}", flush=True)
