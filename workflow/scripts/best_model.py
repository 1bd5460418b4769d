"""Pick the best model of a grid on one data set, and find its test likelihood."""

from pathlib import Path

from logzoo.datasets.build import visible_matrix
from logzoo.experiments.best import best_likelihoods, best_of
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    models = {Path(path).name.removesuffix(".nc"): path for path in snakemake.input.models}
    traces = read_inputs(**dict(zip(models, snakemake.input.traces, strict=True)))
    best = best_of(traces)
    inputs = read_inputs(model=models[best], dataset=snakemake.input.dataset)
    base, test = (log_odds(visible_matrix(inputs["dataset"], "train")), visible_matrix(inputs["dataset"], "test"))
    stream = root_stream(settings.pop("seed")).child("best", *snakemake.wildcards)
    found = best_likelihoods(
        RBM.from_dataset(inputs["model"]), traces[best], test, base=base, stream=stream, **settings
    )
    notice = stand_in_notice(inputs["model"])
    published = {f"published_{name}": number for name, number in snakemake.params.published.items()}
    attributes = {"title": inputs["dataset"].attrs["title"], "model": best, **notice, **({} if notice else published)}
    write_output(snakemake, found.assign_attrs(attributes), kind="best", seed_path=stream)
