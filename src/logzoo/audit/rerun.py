"""Run the script of one task (`tasks`) as Snakemake would: python -m logzoo.audit.rerun TASK.json, from its folder."""

import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

from logzoo.audit.tasks import Named


def main(path):
    """Run the script of the task in a JSON file with an object `snakemake` that holds what the task was given."""
    task = json.loads(Path(path).read_text())
    named = {name: Named(task[name]) for name in ("input", "output", "params", "wildcards")}
    given = SimpleNamespace(**named, log=[f"{path}.log"], rule=task["rule"], threads=1)
    runpy.run_path(task["script"], init_globals={"snakemake": given})


if __name__ == "__main__":
    main(sys.argv[1])
