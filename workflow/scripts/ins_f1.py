"""Draw example images and their labels."""

from logzoo.figures.infinite_swapping import figure_1
from logzoo.figures.style import save
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(dataset=snakemake.input.dataset)
    examples = inputs["dataset"].isel(example=snakemake.params.examples)
    figure = figure_1(examples, [f"label {int(label)}" for label in examples["label"].values])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
