"""Draw what trainers and samplers reach at equal chain-sweeps and at equal seconds."""

from logzoo.figures.style import save
from logzoo.figures.swapping_trainings import figure_equal
from logzoo.jobs import job, read_inputs, read_named, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(gradients=snakemake.input.gradients, timings=snakemake.input.timings)
    runs = {name.partition(".")[2]: one for name, one in read_named(snakemake.input.runs).items()}
    params = snakemake.params
    figure = figure_equal(inputs["gradients"], runs, inputs["timings"], params.title, params.names)
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
