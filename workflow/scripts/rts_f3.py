"""Draw RTS figure 3."""

from logzoo.figures.rts import figure_3
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_estimates, read_inputs, read_named, stamp_of

with job(snakemake.log[0]):
    params = snakemake.params
    truths = read_named(snakemake.input.truths)
    inputs = read_inputs(verdict=snakemake.input.verdict)
    published = {
        model: values.get("log_z")
        for model, values in params.published.items()
        if model in truths and "stand_in_for" not in truths[model].attrs
    }
    figure = figure_3(read_estimates(snakemake.input.estimates), truths, params.titles, params.names, published)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
