"""Audit the files of all scales, and compare those of this scale with its configuration."""

import sys

from replication.audit.findings import report
from replication.audit.tree import audit
from replication.jobs import job

with job(snakemake.log[0]):
    findings = audit(".", snakemake.params.jobs)
    print(report(findings), end="", flush=True)
    sys.exit(1 if findings.faults else 0)
