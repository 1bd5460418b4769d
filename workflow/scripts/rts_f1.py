"""Draw RTS figure 1."""

from logzoo.figures.rts import figure_1
from logzoo.figures.style import save
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    (inputs, _) = read_inputs(iterations=snakemake.input.iterations)
    save(figure_1(inputs["iterations"], snakemake.params.shown), snakemake.output.png, snakemake.output.pdf)
