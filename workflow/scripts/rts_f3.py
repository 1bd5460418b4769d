"""Draw RTS figure 3."""

from collections import defaultdict
from pathlib import Path

from logzoo.figures.rts import figure_3
from logzoo.figures.style import save
from logzoo.jobs import job, read_inputs

with job(snakemake.log[0]):
    params = snakemake.params
    (truths, _) = read_inputs(**{Path(path).stem: path for path in snakemake.input.truths})
    estimates = defaultdict(dict)
    for path in map(Path, snakemake.input.estimates):
        (inputs, _) = read_inputs(estimate=path)
        estimates[path.parent.name][path.stem] = inputs["estimate"]
    published = {
        model: values.get("log_z")
        for model, values in params.published.items()
        if model in truths and "stand_in_for" not in truths[model].attrs
    }
    figure = figure_3(estimates, truths, params.titles, params.names, published)
    save(figure, snakemake.output.png, snakemake.output.pdf)
