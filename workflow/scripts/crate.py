"""Describe the finished run of a scale as an RO-Crate."""

from replication.audit.crate import write_crate
from replication.jobs import job

with job(snakemake.log[0]):
    path = write_crate(".", snakemake.params.scale, jobs=snakemake.params.jobs)
    print(f"written: {path}", flush=True)
