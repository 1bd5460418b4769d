"""Draw distances of estimated gradients, or how evenly replicas use the temperatures."""

from logzoo.figures.style import save
from logzoo.figures.swapping_gradients import figure_association, figure_gradients, figure_many
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

FIGURES = {"gradients": figure_gradients, "many": figure_many, "association": figure_association}

with job(snakemake.log[0]):
    inputs = read_inputs(**dict(snakemake.input.items()))
    shown = [inputs[name] for name in ("gradients", "timings") if name in inputs]
    figure = FIGURES[snakemake.params.kind](*shown, snakemake.params.title, snakemake.params.names)
    if "verdict" in inputs:
        note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
