"""Fetch and verify the raw files of one source.

If files are not available and `missing_data` is not `stop`, the manifest records the reason.
"""

from replication.jobs import job

import json
import logging
from pathlib import Path

from logzoo.datasets.sources import SourcesExhausted, fetch, mirror_folders
from logzoo.io.atomic import write_text

with job(snakemake.log[0]):
    manifest = Path(snakemake.output.manifest)
    name = snakemake.wildcards.source
    try:
        content = fetch(name, snakemake.params.files, manifest.parent, mirrors=mirror_folders())
    except SourcesExhausted as error:
        # `missing_data` is not a param: raw files serve all scales, and the setting does not change their content.
        if snakemake.config["missing_data"] == "stop":
            raise
        logging.warning("%s; stand-in data replace them (once they are available: snakemake --forcerun fetch)", error)
        content = {"name": name, "files": {}, "unavailable": str(error)}
    write_text(manifest, json.dumps(content, indent=1, sort_keys=True) + "\n")
