"""Draw RTS figure 1."""

from logzoo.figures.rts import figure_1
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(iterations=snakemake.input.iterations, verdict=snakemake.input.verdict)
    figure = figure_1(inputs["iterations"], snakemake.params.shown)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
