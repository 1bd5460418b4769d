"""Combine every estimate and truth into one file."""

from pathlib import Path

from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.zoo import combine

with job(snakemake.log[0]):
    estimates = read_inputs(
        **{f"{Path(path).parent.name}/{Path(path).stem}": path for path in snakemake.input.estimates}
    )
    truths = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    models = read_inputs(**{Path(path).stem: path for path in snakemake.input.models})
    by_pair = {tuple(name.split("/")): estimate for name, estimate in estimates.items()}
    zoo = combine(by_pair, truths, models, snakemake.params.places)
    write_output(snakemake, zoo.assign_attrs(stand_in_notice(*truths.values())), kind="zoo")
