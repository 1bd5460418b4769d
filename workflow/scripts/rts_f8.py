"""Draw RTS figure 8."""

from logzoo.figures.rts_stationary import figure_8
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, read_named, stamp_of

with job(snakemake.log[0]):
    params = snakemake.params
    stationary = {name.partition(".")[2]: one for name, one in read_named(snakemake.input.stationary).items()}
    inputs = read_inputs(verdict=snakemake.input.verdict)
    figure = figure_8(stationary, read_named(snakemake.input.truths), params.titles, params.names)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
