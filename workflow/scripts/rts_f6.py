"""Draw RTS figure 6."""

from logzoo.figures.mixture import figure_6
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(mixture=snakemake.input.mixture, verdict=snakemake.input.verdict)
    figure = figure_6(inputs["mixture"])
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
