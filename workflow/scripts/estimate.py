"""Estimate log Z of one model by one or more estimators, at every budget and replicate, with checkpoints."""

from replication.artifacts import stand_ins
from replication.evidence_artifact import from_dataset
from replication.jobs import checkpoint_of, discard_checkpoints, job, read_inputs, write_output
from replication.matrix import estimate_matrix
from replication.papers.configured import estimator_options

from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake)
    rbm, params = RBM.from_dataset(inputs["model"]), snakemake.params
    plain = next(iter(params.settings.values()))
    seed, model = root_stream(plain["seed"]), snakemake.wildcards.model
    evidence = from_dataset(inputs["evidence"])
    options = estimator_options(params.settings, inputs["dataset"], inputs.get("snapshots"))
    results = {}
    for base in sorted({settings["base"] for settings in params.settings.values()}):
        of_base = {
            name: {**settings, "options": options[name]}
            for name, settings in params.settings.items()
            if settings["base"] == base
        }
        stream = seed.child(params.stream, model, base)
        done = checkpoint_of(snakemake, name=base)
        estimates = estimate_matrix(
            rbm, of_base, chains=plain["chains"], stream=stream, evidence=evidence, checkpoint=done
        )
        results |= {name: (estimates[name], stream) for name in of_base}
    for number, name in enumerate(params.settings):
        estimates, stream = results[name]
        estimates = estimates.assign_attrs(stand_ins([inputs["model"]]))
        write_output(snakemake, estimates, kind="estimate", number=number, seed_path=stream)
    discard_checkpoints(snakemake)
