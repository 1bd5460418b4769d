"""Draw the heat map of RMSE over all models and estimators."""

from logzoo.figures.style import save
from logzoo.figures.zoo import rmse_heat_map
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    (inputs, _) = read_inputs(zoo=snakemake.input.zoo)
    figure = rmse_heat_map(inputs["zoo"], snakemake.params.titles, snakemake.params.names)
    save(figure, snakemake.output.png, snakemake.output.pdf)
