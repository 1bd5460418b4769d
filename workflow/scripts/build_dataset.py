"""Read the raw files of one data set into its NetCDF form, or the digits that stand in for it."""

import json
from pathlib import Path

from logzoo.datasets.build import build_dataset, stand_in
from logzoo.jobs import job, write_output

with job(snakemake.log[0]):
    name, params = snakemake.wildcards.dataset, snakemake.params
    manifest = json.loads(Path(snakemake.input.manifest).read_text())
    if "unavailable" in manifest:
        dataset = stand_in(name, {**params.digits_origin, **params.digits}, manifest["unavailable"])
    else:
        dataset = build_dataset(name, {**params.origin, **params.entry}, Path(snakemake.input.manifest).parent)
    write_output(snakemake, dataset, kind="dataset", seed_path=params.entry["options"].get("seed", ""))
