"""Draw one figure of tours."""

from logzoo.figures.las_vegas import figure_4
from logzoo.figures.style import save
from logzoo.figures.tours import figure_1, figure_2a, figure_2b, figure_2c, figure_3
from logzoo.figures.verdicts import note_verdicts
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    params = snakemake.params
    inputs = read_inputs(**dict(zip(params.models, snakemake.input.tours, strict=True)))
    one, title = inputs[params.models[0]], params.titles[params.models[0]]
    drawings = {
        "lv-f1": lambda: figure_1(one),
        "lv-f2a": lambda: figure_2a(inputs, params.titles),
        "lv-f2b": lambda: figure_2b(one, title),
        "lv-f2c": lambda: figure_2c(one, title),
        "lv-f3": lambda: figure_3(one),
        "lv-f4": lambda: figure_4(inputs, params.titles, params.names),
    }
    figure = drawings[params.figure]()
    for verdict in read_inputs(**{path: path for path in snakemake.input.verdict}).values():
        note_verdicts(figure, verdict)
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
