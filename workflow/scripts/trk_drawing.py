"""Draw tracking figures 1 and 2, which measure nothing."""

from logzoo.figures.style import save
from logzoo.figures.tracking_model import figure_1, figure_2
from logzoo.jobs import job, stamp_of

with job(snakemake.log[0]):
    for figure, png, pdf in zip((figure_1(), figure_2()), snakemake.output.png, snakemake.output.pdf, strict=True):
        save(figure, png, pdf, stamp_of(snakemake))
