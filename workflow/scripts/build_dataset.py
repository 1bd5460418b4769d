"""Make the NetCDF file of one data set, or of scikit-learn's digits in its place."""

from replication.artifacts import raw_manifest
from replication.jobs import job, write_output

from pathlib import Path

from logzoo.datasets.build import build_dataset, stand_in

with job(snakemake.log[0]):
    name, entries = snakemake.wildcards.dataset, snakemake.params.entries
    manifest = raw_manifest(snakemake.input.manifest)
    if "unavailable" in manifest:
        dataset = stand_in(name, entries["digits"], manifest["unavailable"])
    else:
        dataset = build_dataset(name, entries["entry"], Path(snakemake.input.manifest).parent)
    write_output(snakemake, dataset, kind="dataset", seed_path=entries["entry"]["options"].get("seed", ""))
