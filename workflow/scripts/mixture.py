"""Sample a mixture of two Gaussians by tempered Hamiltonian Monte Carlo: estimators, or step sizes."""

from logzoo.experiments.mixture import estimators_experiment, steps_experiment
from logzoo.jobs import job, write_output
from logzoo.streams import root_stream

EXPERIMENTS = {"rts-f2": estimators_experiment, "rts-f6": steps_experiment}

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    stream = root_stream(settings.pop("seed")).child("mixture", snakemake.wildcards.figure)
    write_output(
        snakemake, EXPERIMENTS[snakemake.wildcards.figure](stream=stream, **settings), kind="trace", seed_path=stream
    )
