"""Combine every estimate and truth into one file."""

from pathlib import Path

from logzoo.artifacts.netcdf import write_artifact
from logzoo.jobs import job, read_inputs, stand_in_notice
from logzoo.zoo import combine

with job(snakemake.log[0]):
    estimates, hashes = read_inputs(
        **{f"{Path(path).parent.name}/{Path(path).stem}": path for path in snakemake.input.estimates}
    )
    truths, more = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    zoo = combine({tuple(name.split("/")): estimate for name, estimate in estimates.items()}, truths)
    write_artifact(
        zoo.assign_attrs(stand_in_notice(*truths.values())),
        snakemake.output.zoo,
        kind="zoo",
        parameters={"models": snakemake.params.models, "estimators": snakemake.params.estimators},
        source=snakemake.params.source,
        inputs={**hashes, **more},
        seed_path="",
    )
