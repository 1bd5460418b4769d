"""Publish the run of a scale, small enough for the repository."""

from logzoo.audit.publish import publish
from logzoo.audit.tasks import Tasks
from logzoo.pipeline.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    tasks = Tasks(params.tasks)
    text = publish(".", params.scale, tasks=tasks, partial=params.partial, most=params.megabytes)
    print(text, end="", flush=True)
