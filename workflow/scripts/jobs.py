"""Write all jobs of the configuration as JSON."""

from replication.jobs import job

import json
from pathlib import Path

from logzoo.io.atomic import write_text

with job(snakemake.log[0]):
    path = Path(snakemake.params.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(snakemake.params.jobs))
