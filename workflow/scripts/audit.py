"""Check every file against what the workflow would have it made with."""

import json
import sys
from pathlib import Path

from logzoo.audit.manifest import write_text
from logzoo.audit.report import report, write_report
from logzoo.audit.tasks import Tasks
from logzoo.audit.tree import audit
from logzoo.jobs import job

with job(snakemake.log[0]):
    write_text(Path(snakemake.params.expected), json.dumps(snakemake.params.tasks))
    findings = audit(Path(), Tasks(snakemake.params.tasks))
    write_report(findings, Path("audit.json"))
    print(report(findings), end="", flush=True)
    sys.exit(1 if findings.faults else 0)
