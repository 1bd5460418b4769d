"""Run the experiment that a rule is named after on one model, from a base matched to its training data."""

from logzoo.datasets.build import visible_matrix
from logzoo.experiments.initial import initial_iterations
from logzoo.experiments.rungs import rungs_experiment
from logzoo.experiments.stationary import stationary_experiment
from logzoo.experiments.timing import cost_of_rungs
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.paths import log_odds
from logzoo.streams import root_stream

EXPERIMENTS = {
    "initial_iterations": initial_iterations,
    "rungs": rungs_experiment,
    "stationary": stationary_experiment,
    "time_of_rungs": cost_of_rungs,
}

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(model=snakemake.input.model, dataset=snakemake.input.dataset)
    stream = root_stream(settings.pop("seed")).child(snakemake.rule.replace("_", "-"), *snakemake.wildcards)
    base = log_odds(visible_matrix(inputs["dataset"], "train"))
    found = EXPERIMENTS[snakemake.rule](RBM.from_dataset(inputs["model"]), base, stream=stream, **settings)
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
