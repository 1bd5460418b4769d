"""Time the estimators on one model."""

from logzoo.estimators.registry import estimator
from logzoo.experiments.timing import cost_of_sweeps
from logzoo.jobs import estimator_options, job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(model=snakemake.input.model, dataset=snakemake.input.dataset)
    stream = root_stream(settings.pop("seed")).child("time-of-sweeps")
    runs = {
        name: (estimator(entry["method"]), estimator_options(entry, inputs["dataset"]))
        for name, entry in snakemake.params.estimators.items()
    }
    found = cost_of_sweeps(RBM.from_dataset(inputs["model"]), runs, stream=stream, **settings)
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
