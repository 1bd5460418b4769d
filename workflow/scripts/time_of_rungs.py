"""Time the estimates from the same draws on ladders of several numbers of rungs."""

from logzoo.artifacts.netcdf import write_artifact
from logzoo.datasets.build import visible_matrix
from logzoo.experiments.timing import cost_of_rungs
from logzoo.jobs import job, read_inputs, stand_in_notice
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    (inputs, hashes) = read_inputs(model=snakemake.input.model, dataset=snakemake.input.dataset)
    stream = root_stream(settings.pop("seed")).child("time-of-rungs")
    base = log_odds(visible_matrix(inputs["dataset"], "train"))
    found = cost_of_rungs(RBM.from_dataset(inputs["model"]), base, stream=stream, **settings)
    write_artifact(
        found.assign_attrs(stand_in_notice(inputs["model"])),
        snakemake.output.timings,
        kind="trace",
        parameters=snakemake.params.settings,
        source=snakemake.params.source,
        inputs=hashes,
        seed_path=str(stream),
    )
