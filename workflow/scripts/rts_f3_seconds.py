"""Draw the errors of RTS figure 3 against seconds."""

from logzoo.figures.rts import figure_3_seconds
from logzoo.figures.style import save
from logzoo.jobs import job, read_estimates, read_named, stamp_of

with job(snakemake.log[0]):
    params = snakemake.params
    timings = {name.partition(".")[2]: one for name, one in read_named(snakemake.input.timings).items()}
    figure = figure_3_seconds(
        read_estimates(snakemake.input.estimates),
        read_named(snakemake.input.truths),
        timings,
        params.titles,
        params.names,
    )
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
