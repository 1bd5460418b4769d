"""Draw one figure of the zoo."""

from pathlib import Path

from logzoo.figures.style import save
from logzoo.figures.zoo import rmse_heat_map
from logzoo.figures.zoo_errors import figure_bias, figure_coverage
from logzoo.figures.zoo_lines import figure_seconds, figure_sweeps
from logzoo.figures.zoo_ranks import figure_ranks
from logzoo.figures.zoo_trainers import figure_trainers
from logzoo.jobs import job, read_inputs, stamp_of

with job(snakemake.log[0]):
    inputs = read_inputs(zoo=snakemake.input.zoo)
    params, zoo = snakemake.params, inputs["zoo"]
    if params.figure == "zoo-rmse":
        figure = rmse_heat_map(zoo, params.titles, params.names)
    elif params.figure == "zoo-trainers":
        figure = figure_trainers(zoo, params.trainers)
    elif params.figure == "zoo-seconds":
        timings = read_inputs(**{Path(path).stem.partition(".")[2]: path for path in snakemake.input.timings})
        figure = figure_seconds(zoo, timings, params.names)
    else:
        draw = {
            "zoo-sweeps": figure_sweeps,
            "zoo-ranks": figure_ranks,
            "zoo-bias": figure_bias,
            "zoo-coverage": figure_coverage,
        }[params.figure]
        figure = draw(zoo, params.names)
    save(figure, snakemake.output.png, snakemake.output.pdf, stamp_of(snakemake))
