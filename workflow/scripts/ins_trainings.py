"""Draw likelihood and prediction accuracy while training, over repeats."""

from logzoo.figures.style import save
from logzoo.figures.swapping_trainings import Rows, figure_trainings
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, read_named, stamp_of

with job(snakemake.log[0]):
    params = snakemake.params
    named = read_named(snakemake.input.runs)
    rows = []
    for comparison, title in params.titles.items():
        runs = {trainer: named[f"{comparison}.{trainer}"] for trainer in params.names}
        shown = [name for name in ("log_likelihood", "accuracy") if all(name in one for one in runs.values())]
        rows += [Rows(title, variable, runs) for variable in shown]
    figure = figure_trainings(rows, params.names)
    note_verdicts(figure, read_inputs(verdict=snakemake.input.verdict)["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
