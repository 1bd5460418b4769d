"""Combine every estimate and truth into one file."""

from pathlib import Path

from logzoo.artifacts.netcdf import write_artifact
from logzoo.jobs import job, read_inputs, stand_in_notice
from logzoo.zoo import combine

with job(snakemake.log[0]):
    estimates, hashes = read_inputs(
        **{f"{Path(path).parent.name}/{Path(path).stem}": path for path in snakemake.input.estimates}
    )
    truths, of_truths = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    models, of_models = read_inputs(**{Path(path).stem: path for path in snakemake.input.models})
    by_pair = {tuple(name.split("/")): estimate for name, estimate in estimates.items()}
    zoo = combine(by_pair, truths, models, snakemake.params.places)
    more = {
        f"{kind}/{name}": one for kind, of in (("truth", of_truths), ("model", of_models)) for name, one in of.items()
    }
    write_artifact(
        zoo.assign_attrs(stand_in_notice(*truths.values())),
        snakemake.output.zoo,
        kind="zoo",
        parameters={"places": snakemake.params.places, "estimators": snakemake.params.estimators},
        source=snakemake.params.source,
        inputs={**hashes, **more},
        seed_path="",
    )
