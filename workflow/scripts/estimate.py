"""Estimate log Z of one model by one estimator or more, each at every budget and replicate; checkpoints on the way."""

import numpy as np

from logzoo.datasets.build import visible_matrix
from logzoo.estimators.evidence import gather
from logzoo.estimators.matrix import estimate_matrix
from logzoo.estimators.registry import estimator
from logzoo.models.rbm import RBM
from logzoo.papers.configured import estimator_options
from logzoo.pipeline.jobs import checkpoint_of, discard_checkpoints, job, read_inputs, stand_in_notice, write_output
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake)
    rbm, params = RBM.from_dataset(inputs["model"]), snakemake.params
    seed = next(iter(params.settings.values()))["seed"]
    evidence_stream = root_stream(seed).child("evidence", snakemake.wildcards.model)
    examples = visible_matrix(inputs["dataset"], "train")
    # Grey levels are no states of the model.
    evidence = gather(rbm, evidence_stream, data=examples if examples.dtype == np.uint8 else None)
    for number, (name, settings) in enumerate(params.settings.items()):
        stream = root_stream(settings["seed"]).child(params.stream, snakemake.wildcards.model, name)
        estimates = estimate_matrix(
            rbm,
            estimator(settings["method"]),
            **{key: settings[key] for key in ("budgets", "replicates", "chains")},
            stream=stream,
            options=estimator_options(settings, inputs["dataset"], inputs.get("snapshots")),
            evidence=evidence,
            checkpoint=checkpoint_of(snakemake, number),
        )
        estimates = estimates.assign_attrs(stand_in_notice(inputs["model"]))
        write_output(snakemake, estimates, kind="estimate", number=number, seed_path=stream)
    discard_checkpoints(snakemake)
