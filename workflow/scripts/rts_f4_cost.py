"""Draw what the estimates of RTS figure 4 cost."""

from logzoo.figures.rts_rungs import figure_4_cost
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(timings=snakemake.input.timings, verdict=snakemake.input.verdict)
    figure = figure_4_cost(inputs["timings"], snakemake.params.title)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
