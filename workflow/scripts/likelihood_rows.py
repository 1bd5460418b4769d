"""Gather a table of log-likelihoods: the best models of a grid, runs of several trainers, or one model by each."""

from pathlib import Path

from logzoo.figures.tables import best_rows, trainer_rows, training_rows
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output

with job(snakemake.log[0]):
    params = snakemake.params
    names = [Path(path).name for path in snakemake.input]
    inputs = read_inputs(**dict(zip(names, snakemake.input, strict=True)))
    if params.grid is not None:
        table = best_rows({name.split(".")[1]: one for name, one in inputs.items()})
    elif params.trainers:
        table = training_rows({name.split(".")[1]: one for name, one in inputs.items()}, params.trainers)
    else:
        truths = {name.split(".")[0]: one for name, one in inputs.items() if ".trace." not in name}
        traces = {name.split(".")[0]: one for name, one in inputs.items() if ".trace." in name}
        table = trainer_rows(truths, traces, params.titles)
    write_output(snakemake, table.assign_attrs(title=params.title, **stand_in_notice(*inputs.values())), kind="table")
