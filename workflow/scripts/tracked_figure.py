"""Draw what followed one training: the rule's name says which figure it is."""

from logzoo.figures.style import save
from logzoo.figures.tracking import figure_4a, figure_4b, figure_5
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

FIGURES = {"rts_f5": figure_5, "trk_f4a": figure_4a, "trk_f4b": figure_4b}

with job(snakemake.log[0]):
    inputs = read_inputs(**dict(snakemake.input.items()))
    figure = FIGURES[snakemake.rule](inputs["trace"], inputs["check"], snakemake.params.title)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
