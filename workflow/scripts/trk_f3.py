"""Draw tracking figure 3."""

from logzoo.figures.style import save
from logzoo.figures.tracking import Run, figure_3
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, read_named, stamp_of

NAMES = {"exact": "exact", "ais": "AIS", "kalman": "Kalman filter"}

with job(snakemake.log[0]):
    traces, exact, ais = (read_named(snakemake.input[name]) for name in ("traces", "exact", "ais"))
    panels = {}
    for models in snakemake.params.panels.values():
        runs = []
        for model in models:
            train = snakemake.params.train[model]
            label = f"α = {train['options']['alpha']:g}"
            runs.append(Run(label, traces[f"{model}.trace"], exact[f"{model}.exact"], ais[f"{model}.ais"]))
        panels[f"learning rate {train['learning_rate']:g}"] = runs
    inputs = read_inputs(verdict=snakemake.input.verdict)
    figure = figure_3(panels, NAMES)
    note_verdicts(figure, inputs["verdict"])
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
