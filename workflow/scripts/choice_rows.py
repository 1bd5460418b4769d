"""Derive the table of which estimator to use."""

from pathlib import Path

from logzoo.figures.zoo_choice import choice_rows
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output

with job(snakemake.log[0]):
    params = snakemake.params
    inputs = read_inputs(zoo=snakemake.input.zoo)
    timings = read_inputs(**{Path(path).stem.partition(".")[2]: path for path in snakemake.input.timings})
    table = choice_rows(inputs["zoo"], timings, params.names)
    write_output(snakemake, table.assign_attrs(title=params.title, **stand_in_notice(inputs["zoo"])), kind="table")
