"""Find how far estimates of the gradient are from the exact one, at the first and the last state of a training."""

from logzoo.experiments.gradients import gradient_distances
from logzoo.experiments.snapshots import rbm_at
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(**dict(snakemake.input.items()))
    stream = root_stream(settings.pop("seed")).child("gradients", *snakemake.wildcards)
    first = inputs["snapshots"]["update"].values[0]
    states = {"early": rbm_at(inputs["snapshots"], first), "late": RBM.from_dataset(inputs["model"])}
    states = {name: states[name] for name in settings.pop("states")}
    found = gradient_distances(states, stream=stream, **settings)
    write_output(snakemake, found.assign_attrs(stand_in_notice(inputs["model"])), kind="trace", seed_path=stream)
