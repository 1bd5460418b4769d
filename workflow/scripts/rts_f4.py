"""Draw RTS figure 4."""

from logzoo.figures.rts_rungs import figure_4
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    inputs = read_inputs(rungs=files.rungs, truth=files.truth, verdict=files.verdict)
    figure = figure_4(inputs["rungs"], inputs["truth"], params.title, params.names)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
