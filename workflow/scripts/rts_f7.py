"""Draw RTS figure 7."""

from logzoo.figures.rts_base import figure_7
from logzoo.figures.style import save
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, read_named, stamp_of

with job(snakemake.log[0]):
    settings, params = snakemake.params.settings, snakemake.params
    estimates = read_named(snakemake.input.estimates)
    inputs = read_inputs(truth=snakemake.input.truth, verdict=snakemake.input.verdict)
    figure = figure_7(
        {name: estimates[name] for name in settings["estimators"]},
        {name: estimates[name] for name in settings["remedies"]},
        {params.names[name]: estimates[name] for name in settings["matrices"]},
        inputs["truth"],
        params.title,
        params.names,
    )
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
