"""Estimate log Z of one model by tours as they accumulate, and by other estimators at the same cost."""

from logzoo.datasets.build import visible_matrix
from logzoo.experiments.tour_estimates import tour_estimates
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(**dict(snakemake.input.items()))
    stream = root_stream(settings.pop("seed")).child("lv-f4", *snakemake.wildcards)
    data = visible_matrix(inputs["dataset"], "train")
    found = tour_estimates(RBM.from_dataset(inputs["model"]), data, log_odds(data), stream=stream, **settings)
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
