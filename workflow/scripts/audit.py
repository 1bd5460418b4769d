"""Check every file against what the workflow would have it made with."""

import json
import sys
from pathlib import Path

from logzoo.artifacts.atomic import write_text
from logzoo.audit.tree import run_audit
from logzoo.pipeline.jobs import job

with job(snakemake.log[0]):
    expected = Path(snakemake.params.expected)
    write_text(expected, json.dumps(snakemake.params.tasks))
    text, passed = run_audit(".", expected=expected)
    print(text, end="", flush=True)
    sys.exit(0 if passed else 1)
