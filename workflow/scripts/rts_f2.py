"""Draw RTS figure 2."""

from logzoo.figures.mixture import figure_2
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(mixture=snakemake.input.mixture, verdict=snakemake.input.verdict)
    figure = figure_2(inputs["mixture"], snakemake.params.names)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
